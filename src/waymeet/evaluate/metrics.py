"""Metrics of runs, and comparisons between runs."""

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from math import hypot
from statistics import fmean, quantiles
from typing import NamedTuple

from msgspec import Struct

from waymeet.evaluate.collection import Collection
from waymeet.evaluate.run import Run
from waymeet.formulas.metrics import (
    Judgements,
    all_gold,
    bootstrap_interval,
    ndcg,
    paired_interval,
    recall,
    reciprocal_rank,
)

METRICS: Mapping[str, Callable[[Sequence[str], Judgements], float]] = {
    "nDCG@10": partial(ndcg, depth=10),
    "R@2": partial(recall, depth=2),
    "R@5": partial(recall, depth=5),
    "R@10": partial(recall, depth=10),
    "R@100": partial(recall, depth=100),
    "all-gold@5": partial(all_gold, depth=5),
    "MRR@10": partial(reciprocal_rank, depth=10),
}
MAIN_METRIC = "nDCG@10"
"""The metric by which recipes are compared."""


def name_with_level(recipe: str, level: str) -> str:
    """Name a recipe with the level at which it was measured.

    >>> name_with_level("auto", "section"), name_with_level("auto", "")
    ('auto, by section', 'auto')
    """
    return f"{recipe}, by {level}" if level else recipe


class MetricSummary(Struct, frozen=True):
    """The mean metrics of a run and its time per query."""

    collection: str
    recipe: str
    queries: int
    metrics: Mapping[str, float]
    """The mean over all queries, by metric."""
    intervals: Mapping[str, tuple[float, float]]
    """The 95 % interval of the mean, by metric."""
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    mean_ms: float = 0.0
    vector_models: str = ""
    """The embedding models that were used, or empty."""
    degraded: Mapping[str, int] = {}
    """The number of degraded answers, by code."""
    level: str = ""
    """`section` or `file` if the level was chosen, else empty."""

    @property
    def label(self) -> str:
        """The recipe with its level."""
        return name_with_level(self.recipe, self.level)


class MeasuredRun(NamedTuple):
    """The metrics of a run, in summary and of each query."""

    summary: MetricSummary
    scores: Mapping[str, Mapping[str, float]]
    """By metric, then by query."""


class Comparison(Struct, frozen=True):
    """The difference between two runs on a collection, computed query by query."""

    collection: str
    recipe: str
    against: str
    """The recipe or run that is subtracted."""
    metric: str
    difference: float
    low: float
    high: float
    better: int
    """The number of queries with a higher value."""
    worse: int
    queries: int
    level: str = ""
    """`section` or `file` if the level was chosen, else empty."""

    @property
    def label(self) -> str:
        """The recipe or change with its level."""
        return name_with_level(self.recipe, self.level)

    @property
    def verdict(self) -> str:
        """Name the direction of the difference, if it is beyond noise."""
        if self.low <= 0.0 <= self.high:
            return "within noise" if self.better or self.worse else "no difference"
        return "better" if self.difference > 0 else "worse"


class MeanResult(Struct, frozen=True):
    """The mean metrics of a recipe over several collections, which have equal weight."""

    recipe: str
    collections: int
    metrics: Mapping[str, float]
    level: str = ""
    """`section` or `file` if the level was chosen, else empty."""


class Overall(NamedTuple):
    """The mean of one difference over several collections, which have equal weight."""

    name: str
    against: str
    mean: float
    low: float
    high: float
    worst: Comparison
    best: Comparison
    better: tuple[str, ...]
    """Collections on which it is better, beyond noise."""
    worse: tuple[str, ...]
    """Collections on which it is worse, beyond noise."""


def average_results(results: Sequence[MetricSummary]) -> tuple[MeanResult, ...]:
    """Average the results of each recipe and level over collections, if it has several."""
    groups: dict[tuple[str, str], dict[str, MetricSummary]] = {}
    for result in results:
        groups.setdefault((result.recipe, result.level), {})[result.collection] = result
    return tuple(
        MeanResult(
            recipe,
            len(group),
            {name: round(fmean(result.metrics[name] for result in group.values()), 4) for name in METRICS},
            level,
        )
        for (recipe, level), group in groups.items()
        if len(group) > 1
    )


def summarise_comparisons(comparisons: Sequence[Comparison], excluded: Container[str] = ()) -> list[Overall]:
    """Average the comparisons of the same two runs at the same level over collections.

    The variances of independent means add up, so the half width of the interval is the root of the summed squares of
    the half widths, divided by their number. Collections that are `excluded` from the mean are still named.
    """
    groups: dict[tuple[str, str, str], list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault((comparison.recipe, comparison.against, comparison.level), []).append(comparison)
    summaries = []
    for (name, against, _), rows in groups.items():
        counted = [row for row in rows if row.collection not in excluded] or rows
        mean = fmean(row.difference for row in counted)
        half_width = hypot(*((row.high - row.low) / 2 for row in counted)) / len(counted)
        ordered = sorted(rows, key=lambda row: row.difference)
        better, worse = (
            tuple(row.collection for row in rows if row.verdict == verdict) for verdict in ("better", "worse")
        )
        low, high = _round(mean - half_width), _round(mean + half_width)
        summaries.append(Overall(name, against, _round(mean), low, high, ordered[0], ordered[-1], better, worse))
    return summaries


def _score_queries(collection: Collection, run: Run) -> dict[str, dict[str, float]]:
    """Compute all metrics of every query of a collection, also of those without results."""
    scores: dict[str, dict[str, float]] = {name: {} for name in METRICS}
    for query in collection.queries:
        ranked = [document for document, _ in run.ranked.get(query.id, ())]
        for name, metric in METRICS.items():
            scores[name][query.id] = metric(ranked, collection.qrels[query.id])
    return scores


def measure_run(collection: Collection, run: Run) -> MeasuredRun:
    """Compute the metrics of a run."""
    scores = _score_queries(collection, run)
    intervals = {name: bootstrap_interval(list(values.values())) for name, values in scores.items()}
    times = sorted(run.seconds) or [0.0]
    percentiles = quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 19
    summary = MetricSummary(
        collection.name,
        run.name,
        len(collection.queries),
        {name: round(interval.mean, 4) for name, interval in intervals.items()},
        {name: (round(interval.low, 4), round(interval.high, 4)) for name, interval in intervals.items()},
        round(percentiles[9] * 1000, 3),
        round(percentiles[18] * 1000, 3),
        round(fmean(times) * 1000, 3),
        run.vector_models,
        run.degraded,
        collection.level,
    )
    return MeasuredRun(summary, scores)


def measure_without_intervals(collection: Collection, run: Run) -> MeasuredRun:
    """Compute the metrics of a run without intervals, which are slow, to compare it only."""
    summary = MetricSummary(collection.name, run.name, len(collection.queries), {}, {}, level=collection.level)
    return MeasuredRun(summary, _score_queries(collection, run))


def compare_runs(run: MeasuredRun, other: MeasuredRun, against: str = "", metric: str = MAIN_METRIC) -> Comparison:
    """Compare two runs over the queries that both have."""
    return compare_with_scores(run, other.scores[metric], against or other.summary.recipe, metric)


def compare_with_scores(
    run: MeasuredRun, others: Mapping[str, float], against: str, metric: str = MAIN_METRIC
) -> Comparison:
    """Compare a run with the values of another one for the same queries."""
    own = run.scores[metric]
    queries = [query for query in own if query in others]
    gains = [own[query] - others[query] for query in queries]
    interval = paired_interval([own[query] for query in queries], [others[query] for query in queries])
    return Comparison(
        run.summary.collection,
        run.summary.recipe,
        against,
        metric,
        _round(interval.mean),
        _round(interval.low),
        _round(interval.high),
        sum(gain > 0 for gain in gains),
        sum(gain < 0 for gain in gains),
        len(queries),
        run.summary.level,
    )


def _round(value: float) -> float:
    return round(value, 4) + 0.0  # + 0.0 turns -0.0 into 0.0
