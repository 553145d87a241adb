"""Summary tables over several collections, the same in every report format."""

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.evaluate.metrics import (
    MAIN_METRIC,
    Comparison,
    MetricSummary,
    Overall,
    name_with_level,
    summarise_comparisons,
)
from waymeet.evaluate.tuning import Fold
from waymeet.interfaces.quality.report import Report

_MARKS = {"better": " ▲", "worse": " ▼"}
_MEAN = "mean"
_NO_VALUE = "–"
_FIRST_RANK = "MRR@10"
_MORE_METRICS = ("R@5", "all-gold@5", _FIRST_RANK)
"""Metrics that have a table beside the main one."""
_MAX_NAMES = 4


class Cell(NamedTuple):
    """A cell of a table."""

    text: str
    style: str = ""
    """`best`, `better`, `worse` or empty."""


class Table(NamedTuple):
    """A table with a title and a description."""

    title: str
    about: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def has_levels(report: Report) -> bool:
    """Check whether the level of the results was chosen."""
    return any(result.level for result in report.results)


def split_levels(report: Report) -> list[Report]:
    """Split a report into one for each level at which it was measured."""
    levels = list(dict.fromkeys(result.level for result in report.results))
    return [_at_level(report, level) for level in levels] if len(levels) > 1 else [report]


def _at_level(report: Report, level: str) -> Report:
    return replace(
        report,
        results=tuple(each for each in report.results if each.level == level),
        comparisons=tuple(each for each in report.comparisons if each.level == level),
        against_others=tuple(each for each in report.against_others if each.level == level),
        ablations=tuple(each for each in report.ablations if each.level == level),
        baseline=tuple(each for each in report.baseline if each.level == level),
        means=tuple(each for each in report.means if each.level == level),
    )


def _with_level(title: str, report: Report) -> str:
    """Add the level to a title if it was chosen, and the same for the whole report."""
    levels = {result.level for result in report.results}
    return name_with_level(title, levels.pop() if len(levels) == 1 else "")


def is_matrix(report: Report) -> bool:
    """Check whether several recipes were run on several collections."""
    collections = {result.collection for result in report.results}
    recipes = {result.recipe for result in report.results}
    return min(len(collections), len(recipes)) > 1


def summary_tables(report: Report) -> Iterator[Table]:
    """Yield every table that summarises an evaluation."""
    parts = split_levels(report)
    for part in parts if is_matrix(report) else ():
        yield metric_table(part, report.metric)
        yield from (
            _difference_table(_with_level(title, part), about, comparisons)
            for title, about, comparisons in _compared_recipes(part)
            if comparisons
        )
        yield from (metric_table(part, metric) for metric in report.metrics if metric in _MORE_METRICS)
    if is_matrix(report):
        yield _latency_table(parts[0])
    for part in parts:
        yield from overall_tables(part)
    if report.means and not (is_matrix(report) and len(parts) == 1):  # there, the tables of metrics have the means
        yield mean_table(report)


def mean_table(report: Report) -> Table:
    """Make the table of the means over all collections."""
    metrics = (MAIN_METRIC, _FIRST_RANK)
    rows = []
    for mean in report.means:
        level = [Cell(mean.level)] if has_levels(report) else []
        values = (Cell(f"{mean.metrics[metric]:.3f}") for metric in metrics)
        rows.append([Cell(mean.recipe), *level, Cell(str(mean.collections)), *values])
    header = ["recipe", *(["level"] if has_levels(report) else []), "collections", *metrics]
    return Table("Mean over collections", "Collections have equal weight.", header, rows)


def overall_tables(report: Report) -> Iterator[Table]:
    """Yield the tables of ablations and folds over all collections."""
    if len({ablation.collection for ablation in report.ablations}) > 1:
        yield ablation_table(report)
    if report.folds:
        yield _fold_table(report)


def _compared_recipes(report: Report) -> tuple[tuple[str, str, Sequence[Comparison]], ...]:
    """Give title, description and comparisons of the tables of differences between recipes."""
    about = f"Differences of {report.metric}, query by query, with their 95 % intervals (paired bootstrap)."
    first = report.comparisons[0].against if report.comparisons else ""
    second = report.against_others[0].recipe if report.against_others else ""
    return (
        (f"Against {first}", f"{about} ▲ and ▼ are beyond noise.", report.comparisons),
        (
            f"{second} against the others",
            f"Differences of {second} to each other recipe, computed likewise.",
            [_name_by_opponent(comparison) for comparison in report.against_others],
        ),
    )


def _name_by_opponent(comparison: Comparison) -> Comparison:
    """Exchange the two names of a comparison, so that its column is named after the opponent."""
    return Comparison(
        comparison.collection,
        comparison.against,
        comparison.recipe,
        comparison.metric,
        comparison.difference,
        comparison.low,
        comparison.high,
        comparison.better,
        comparison.worse,
        comparison.queries,
        comparison.level,
    )


def metric_table(report: Report, metric: str) -> Table:
    """Make the table of one metric, with a row for each collection and a column for each recipe."""
    verdicts: dict[tuple[str, str], str] = {}
    about = "The best value of each row is marked."
    if metric == report.metric and report.comparisons:
        verdicts = {(comparison.collection, comparison.recipe): comparison.verdict for comparison in report.comparisons}
        about += f" ▲ better, ▼ worse than {report.comparisons[0].against} beyond noise."
    rows = []
    for collection, by_recipe in _results_by_collection(report).items():
        best = max(f"{result.metrics[metric]:.3f}" for result in by_recipe.values())
        cells = _row_start(collection, by_recipe)
        for recipe in _recipes(report):
            value = f"{by_recipe[recipe].metrics[metric]:.3f}" if recipe in by_recipe else _NO_VALUE
            mark = _MARKS.get(verdicts.get((collection, recipe), ""), "")
            cells.append(Cell(value + mark, "best" if value == best else ""))
        rows.append(cells)
    rows.append(_mean_row(report, lambda result: result.metrics[metric], "{:.3f}"))
    return Table(_with_level(metric, report), about, ["collection", "queries", *_recipes(report)], rows)


def _latency_table(report: Report) -> Table:
    """Make the table of the mean time for a query."""
    rows = [
        [
            *_row_start(collection, by_recipe),
            *(
                Cell(f"{by_recipe[recipe].mean_ms:.1f}" if recipe in by_recipe else _NO_VALUE)
                for recipe in _recipes(report)
            ),
        ]
        for collection, by_recipe in _results_by_collection(report).items()
    ]
    rows.append(_mean_row(report, lambda result: result.mean_ms, "{:.1f}"))
    about = "Time on the machine that measured, with the embedding of the query where vectors are searched."
    return Table("Mean milliseconds for a query", about, ["collection", "queries", *_recipes(report)], rows)


def _difference_table(title: str, about: str, comparisons: Sequence[Comparison]) -> Table:
    """Make a table of differences, with a row for each collection and a column for each recipe."""
    recipes = list(dict.fromkeys(comparison.recipe for comparison in comparisons))
    rows = []
    for collection in dict.fromkeys(comparison.collection for comparison in comparisons):
        by_recipe = {each.recipe: each for each in comparisons if each.collection == collection}
        cells = (_difference_cell(by_recipe[each]) if each in by_recipe else Cell(_NO_VALUE) for each in recipes)
        rows.append([Cell(collection), *cells])
    overall = {each.name: each for each in summarise_comparisons(comparisons)}
    rows.append([Cell(_MEAN), *(_mean_cell(overall[recipe]) for recipe in recipes)])
    return Table(title, about, ["collection", *recipes], rows)


def ablation_table(report: Report) -> Table:
    """Make the table of the effect of each stage and signal over all collections."""
    ablations = summarise_comparisons(report.ablations, report.excluded_from_mean)
    one_recipe = len({each.against for each in ablations}) == 1
    rows = []
    for ablation in ablations:
        worst, best = ablation.worst, ablation.best
        rows.append(
            [
                Cell(ablation.name if one_recipe else f"{ablation.against}: {ablation.name}"),
                Cell(f"{ablation.mean:+.4f}"),
                Cell(f"{ablation.low:+.4f} … {ablation.high:+.4f}"),
                Cell(f"{worst.difference:+.3f} {worst.collection}" if worst.difference < 0 else _NO_VALUE),
                Cell(f"{best.difference:+.3f} {best.collection}" if best.difference > 0 else _NO_VALUE),
                Cell(_shorten_names(ablation.worse)),
                Cell(_shorten_names(ablation.better)),
                _ablation_verdict(ablation, report.excluded_from_mean),
            ]
        )
    title = f"Effect of each part of {ablations[0].against}" if one_recipe else "Effect of each part"
    header = ["change", "mean difference", "95 %", "largest loss", "largest gain", "losses", "gains", "verdict"]
    about = (
        "The recipe without one stage, or with one number at its neutral value, against the complete recipe: a loss "
        "shows that the part is useful. Collections have equal weight. `losses` and `gains` name the collections on "
        "which the difference is beyond noise; one in twenty chance differences looks so."
    )
    if report.excluded_from_mean:
        about += f" Not in the mean: {_shorten_names(report.excluded_from_mean)}."
    return Table(_with_level(title, report), about, header, rows)


def _ablation_verdict(ablation: Overall, excluded: Sequence[str]) -> Cell:
    """Judge a part by the collections that lose and gain without it."""
    if ablation.worse and ablation.mean > 0:
        return Cell("useful on some, harmful on average")
    if ablation.worse:
        only_excluded = set(ablation.worse) <= set(excluded)
        return Cell("useful on excluded collections" if only_excluded else "useful", "better")
    if not any((ablation.low, ablation.high, ablation.worst.difference, ablation.best.difference)):
        return Cell("no effect")
    if ablation.better and ablation.mean > 0:
        return Cell("harmful", "worse")
    return Cell("within noise")


def _fold_table(report: Report) -> Table:
    """Make the table of weights tuned without a collection, against the current weights."""
    rows = [[*_fold_row(fold)] for fold in report.folds]
    (overall,) = summarise_comparisons([fold.comparison for fold in report.folds])
    queries = sum(fold.comparison.queries for fold in report.folds)
    before, after = fmean(fold.before for fold in report.folds), fmean(fold.after for fold in report.folds)
    rows.append(
        [Cell(_MEAN), *map(Cell, (str(queries), f"{after:.3f}", f"{before:.3f}")), _mean_cell(overall), Cell("")]
    )
    about = (
        f"Weights are tuned on all other collections, starting at the current ones, and measured by {report.metric} on "
        "the collection that was left out. Current weights that are fitted to that collection would be better there."
    )
    header = [
        "collection",
        "queries",
        "tuned without it",
        "current weights",
        "difference",
        "weights changed by tuning",
    ]
    return Table(_with_level("Weights tuned without a collection", report), about, header, rows)


def _fold_row(fold: Fold) -> Iterator[Cell]:
    yield Cell(fold.comparison.collection)
    yield Cell(str(fold.comparison.queries))
    yield Cell(f"{fold.after:.3f}")
    yield Cell(f"{fold.before:.3f}")
    yield _difference_cell(fold.comparison)
    changes = (f"{key} {old:g} → {new:g}" for key, (old, new) in fold.changed_weights.items())
    yield Cell(", ".join(changes) or _NO_VALUE)


def _difference_cell(comparison: Comparison) -> Cell:
    style = comparison.verdict if comparison.verdict in _MARKS else ""
    interval = f"({comparison.low:+.3f} … {comparison.high:+.3f})"
    return Cell(f"{comparison.difference:+.3f} {interval}{_MARKS.get(style, '')}", style)


def _mean_cell(overall: Overall) -> Cell:
    better, worse = len(overall.better), len(overall.worse)
    return Cell(f"{overall.mean:+.3f} ({overall.low:+.3f} … {overall.high:+.3f}), {better} ▲ {worse} ▼")


def _shorten_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more or _NO_VALUE


def _recipes(report: Report) -> list[str]:
    return list(dict.fromkeys(result.recipe for result in report.results))


def _results_by_collection(report: Report) -> dict[str, dict[str, MetricSummary]]:
    results: dict[str, dict[str, MetricSummary]] = {}
    for result in report.results:
        results.setdefault(result.collection, {})[result.recipe] = result
    return results


def _row_start(collection: str, by_recipe: dict[str, MetricSummary]) -> list[Cell]:
    """Make the first two cells of a row: the collection and its number of queries."""
    return [Cell(collection), Cell(str(next(iter(by_recipe.values())).queries))]


def _mean_row(report: Report, value: Callable[[MetricSummary], float], number_format: str) -> list[Cell]:
    """Make the row of means, in which collections have equal weight."""
    cells = []
    for recipe in _recipes(report):
        values = [value(result) for result in report.results if result.recipe == recipe]
        cells.append(Cell(number_format.format(fmean(values))))
    return [Cell(_MEAN), Cell(""), *cells]
