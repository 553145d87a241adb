"""What runs are worth, each by itself and beside one another."""

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from math import hypot
from statistics import fmean, quantiles
from typing import NamedTuple

from msgspec import Struct

from waymeet.evaluate.collection import Collection
from waymeet.evaluate.run import Run
from waymeet.formulas.metrics import Judgements, all_gold, interval, ndcg, paired, recall, reciprocal_rank

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
"""The measure by which recipes are compared if nobody says otherwise."""


class MetricSummary(Struct, frozen=True):
    """How good a run is and what it cost."""

    collection: str
    recipe: str
    queries: int
    metrics: Mapping[str, float]
    """By name: the mean over all queries."""
    intervals: Mapping[str, tuple[float, float]]
    """By name: the bounds within which 95 of 100 means over such queries lie."""
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    mean_ms: float = 0.0
    vector_models: str = ""
    """Which models of meaning were asked; empty if none was."""
    degraded: Mapping[str, int] = {}
    """How many answers were less than they could be, by the reason's code."""


class MeasuredRun(NamedTuple):
    """A run's worth, and what it comes from: by measure, the value of each query."""

    summary: MetricSummary
    scores: Mapping[str, Mapping[str, float]]


class Comparison(Struct, frozen=True):
    """By how much one thing is better than another, query by query."""

    collection: str
    recipe: str
    against: str
    """What it is compared with."""
    metric: str
    difference: float
    low: float
    high: float
    better: int
    """Queries that it answers better."""
    worse: int
    queries: int

    @property
    def verdict(self) -> str:
        """Say in a word what the difference means."""
        if self.low <= 0.0 <= self.high:
            return "within noise" if self.better or self.worse else "no difference"
        return "better" if self.difference > 0 else "worse"


class Overall(NamedTuple):
    """What one difference comes to over several collections, each of which counts the same."""

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


def summarise_comparisons(found: Sequence[Comparison], aside: Container[str] = ()) -> list[Overall]:
    """Sum up the differences of the same two things over collections.

    The interval of a mean of independent means comes from theirs: half their widths, squared, add up. Collections that
    stand `aside` are named like the others, and have no part in the mean.
    """
    groups: dict[tuple[str, str], list[Comparison]] = {}
    for each in found:
        groups.setdefault((each.recipe, each.against), []).append(each)
    summed = []
    for (name, against), rows in groups.items():
        counted = [each for each in rows if each.collection not in aside] or rows
        mean = fmean(each.difference for each in counted)
        room = hypot(*((each.high - each.low) / 2 for each in counted)) / len(counted)
        ordered = sorted(rows, key=lambda each: each.difference)
        better, worse = (
            tuple(each.collection for each in rows if each.verdict == word) for word in ("better", "worse")
        )
        low, high = _rounded(mean - room), _rounded(mean + room)
        summed.append(Overall(name, against, _rounded(mean), low, high, ordered[0], ordered[-1], better, worse))
    return summed


def scores(collection: Collection, run: Run) -> dict[str, dict[str, float]]:
    """Measure every query of a collection, also those without any answer."""
    found: dict[str, dict[str, float]] = {name: {} for name in METRICS}
    for query in collection.queries:
        ranked = [document for document, _ in run.ranked.get(query.id, ())]
        for name, measure in METRICS.items():
            found[name][query.id] = measure(ranked, collection.qrels[query.id])
    return found


def measure_run(collection: Collection, run: Run) -> MeasuredRun:
    """Measure a run against the judgements."""
    found = scores(collection, run)
    means = {name: interval(list(values.values())) for name, values in found.items()}
    times = sorted(run.seconds) or [0.0]
    cuts = quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 19
    worth = MetricSummary(
        collection.name,
        run.name,
        len(collection.queries),
        {name: round(each.mean, 4) for name, each in means.items()},
        {name: (round(each.low, 4), round(each.high, 4)) for name, each in means.items()},
        round(cuts[9] * 1000, 3),
        round(cuts[18] * 1000, 3),
        round(fmean(times) * 1000, 3),
        run.vector_models,
        run.degraded,
    )
    return MeasuredRun(worth, found)


def measure_without_intervals(collection: Collection, run: Run) -> MeasuredRun:
    """Measure a run only to be compared: without intervals of its own, which take long."""
    return MeasuredRun(
        MetricSummary(collection.name, run.name, len(collection.queries), {}, {}), scores(collection, run)
    )


def compare_runs(this: MeasuredRun, that: MeasuredRun, against: str = "", measure: str = MAIN_METRIC) -> Comparison:
    """Compare two runs over the queries that both were asked."""
    return beside(this, that.scores[measure], against or that.summary.recipe, measure)


def beside(this: MeasuredRun, those: Mapping[str, float], against: str, measure: str = MAIN_METRIC) -> Comparison:
    """Compare a run with the values that something else had for the same queries."""
    ours = this.scores[measure]
    both = [query for query in ours if query in those]
    gains = [ours[query] - those[query] for query in both]
    found = paired([ours[query] for query in both], [those[query] for query in both])
    return Comparison(
        this.summary.collection,
        this.summary.recipe,
        against,
        measure,
        _rounded(found.mean),
        _rounded(found.low),
        _rounded(found.high),
        sum(gain > 0 for gain in gains),
        sum(gain < 0 for gain in gains),
        len(both),
    )


def _rounded(value: float) -> float:
    return round(value, 4) + 0.0  # not -0
