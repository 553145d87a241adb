"""Tables that sum up many collections, the same in every form of a report."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from waymeet.evaluate.metrics import Comparison, MetricSummary, Overall, summarise_comparisons
from waymeet.evaluate.tuning import Fold
from waymeet.interfaces.quality.report import Report

_MARKS = {"better": " ▲", "worse": " ▼"}
_MEAN = "mean"
_SHOWN = ("R@5", "all-gold@5", "MRR@10")
"""Measures that have a table of their own beside the main one."""
_MOST_NAMES = 4


class Cell(NamedTuple):
    """What stands in a place of a table."""

    text: str
    style: str = ""
    """`best`, `better`, `worse` or nothing."""


class Grid(NamedTuple):
    """A table with a title and what it shows."""

    title: str
    about: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def several(report: Report) -> bool:
    """Tell whether several recipes were asked on several collections, so that a table has two sides."""
    return min(len({each.collection for each in report.results}), len({each.recipe for each in report.results})) > 1


def grids(report: Report) -> Iterator[Grid]:
    """Yield every table there is to sum up an evaluation."""
    if several(report):
        yield figures(report, report.measure)
        yield from (differences(title, about, found) for title, about, found in _compared(report) if found)
        yield from (figures(report, each) for each in report.measures if each in _SHOWN)
        yield times(report)
    yield from sums(report)


def sums(report: Report) -> Iterator[Grid]:
    """Yield the tables that say something about all collections together."""
    if len({each.collection for each in report.ablations}) > 1:
        yield parts(report)
    if report.folds:
        yield folds(report)


def _compared(report: Report) -> tuple[tuple[str, str, Sequence[Comparison]], ...]:
    told = f"Differences of {report.measure}, query by query, with the bounds of 95 of 100 (paired bootstrap)."
    first = report.comparisons[0].against if report.comparisons else ""
    second = report.rivals[0].recipe if report.rivals else ""
    turned = [_turned(each) for each in report.rivals]
    return (
        (f"Against {first}", f"{told} ▲ and ▼ are beyond noise.", report.comparisons),
        (f"{second} against the others", f"What {second} is ahead by, likewise.", turned),
    )


def _turned(each: Comparison) -> Comparison:
    """Name a difference by what it is against."""
    return Comparison(
        each.collection,
        each.against,
        each.recipe,
        each.metric,
        each.difference,
        each.low,
        each.high,
        each.better,
        each.worse,
        each.queries,
    )


def figures(report: Report, measure: str) -> Grid:
    """Show one measure: collections below each other, recipes side by side."""
    verdicts: dict[tuple[str, str], str] = {}
    about = "The best of each line stands out."
    if measure == report.measure and report.comparisons:
        verdicts = {(each.collection, each.recipe): each.verdict for each in report.comparisons}
        about += f" ▲ better, ▼ worse than {report.comparisons[0].against} beyond noise."
    rows = []
    for name, found in _by_collection(report).items():
        best = max(f"{each.metrics[measure]:.3f}" for each in found.values())
        cells = [Cell(name), Cell(str(next(iter(found.values())).queries))]
        for recipe in _recipes(report):
            value = f"{found[recipe].metrics[measure]:.3f}" if recipe in found else "–"
            mark = _MARKS.get(verdicts.get((name, recipe), ""), "")
            cells.append(Cell(value + mark, "best" if value == best else ""))
        rows.append(cells)
    rows.append(_means(report, lambda each: each.metrics[measure], "{:.3f}"))
    return Grid(measure, about, ["collection", "queries", *_recipes(report)], rows)


def times(report: Report) -> Grid:
    """Show what an answer costs."""
    rows = [
        [
            Cell(name),
            Cell(str(next(iter(found.values())).queries)),
            *(Cell(f"{found[each].mean_ms:.1f}" if each in found else "–") for each in _recipes(report)),
        ]
        for name, found in _by_collection(report).items()
    ]
    rows.append(_means(report, lambda each: each.mean_ms, "{:.1f}"))
    about = "What a question costs on the machine that measured, its embedding included where meaning is asked."
    return Grid("Milliseconds for a question, on average", about, ["collection", "queries", *_recipes(report)], rows)


def differences(title: str, about: str, found: Sequence[Comparison]) -> Grid:
    """Show differences with their intervals: collections below each other, recipes side by side."""
    recipes = list(dict.fromkeys(each.recipe for each in found))
    rows = []
    for name in dict.fromkeys(each.collection for each in found):
        here = {each.recipe: each for each in found if each.collection == name}
        rows.append([Cell(name), *(_difference(here[each]) if each in here else Cell("–") for each in recipes)])
    sums = {each.name: each for each in summarise_comparisons(found)}
    rows.append([Cell(_MEAN), *(_mean_of(sums[each]) for each in recipes)])
    return Grid(title, about, ["collection", *recipes], rows)


def parts(report: Report) -> Grid:
    """Show what each stage and signal is worth over all collections."""
    found = summarise_comparisons(report.ablations, report.aside)
    one = len({each.against for each in found}) == 1
    rows = []
    for each in found:
        lost, gained = each.worst, each.best
        rows.append(
            [
                Cell(each.name if one else f"{each.against}: {each.name}"),
                Cell(f"{each.mean:+.4f}"),
                Cell(f"{each.low:+.4f} … {each.high:+.4f}"),
                Cell(f"{lost.difference:+.3f} {lost.collection}" if lost.difference < 0 else "–"),
                Cell(f"{gained.difference:+.3f} {gained.collection}" if gained.difference > 0 else "–"),
                Cell(_named(each.worse)),
                Cell(_named(each.better)),
                Cell(*_standing(each, report.aside)),
            ]
        )
    title = f"What each part of {found[0].against} is worth" if one else "What each part is worth"
    heads = ["what is changed", "mean change", "95 %", "most lost", "most gained", "lost", "gained", "so it"]
    about = (
        "The recipe without one stage, or with one number where it has no say, against the whole: a loss says that the "
        "part earns its place. Collections count the same; `lost` and `gained` name those where it is beyond noise: of "
        "twenty differences that are chance, one looks so."
    )
    if report.aside:
        about += f" No part in the mean: {_named(report.aside)}."
    return Grid(title, about, heads, rows)


def _standing(each: Overall, aside: Sequence[str]) -> tuple[str, str]:
    """Say in a few words whether a part earns its place; what stands aside shows only that it works."""
    if each.worse and each.mean > 0:
        return "pays and costs", ""
    if each.worse:
        return ("works where it is needed" if set(each.worse) <= set(aside) else "earns its place"), "better"
    if not any((each.low, each.high, each.worst.difference, each.best.difference)):
        return "changes nothing", ""
    if each.better and each.mean > 0:
        return "costs more than it pays", "worse"
    return "is within noise", ""


def folds(report: Report) -> Grid:
    """Show weights found without a collection, beside those that are set."""
    rows = [[*_fold(each)] for each in report.folds]
    (whole,) = summarise_comparisons([each.compared for each in report.folds])
    queries = sum(each.compared.queries for each in report.folds)
    before, after = fmean(each.before for each in report.folds), fmean(each.after for each in report.folds)
    rows.append([Cell(_MEAN), *map(Cell, (str(queries), f"{after:.3f}", f"{before:.3f}")), _mean_of(whole), Cell("")])
    about = (
        f"Weights are searched for on all other collections, from where they are set, and judged by {report.measure} "
        "on the one that was left out. If what is set were fitted to that collection, it would be ahead there."
    )
    heads = [
        "collection",
        "queries",
        "tuned without it",
        "as set",
        "difference",
        "what the others would have otherwise",
    ]
    return Grid("Weights tuned without a collection", about, heads, rows)


def _fold(each: Fold) -> Iterator[Cell]:
    yield Cell(each.compared.collection)
    yield Cell(str(each.compared.queries))
    yield Cell(f"{each.after:.3f}")
    yield Cell(f"{each.before:.3f}")
    yield _difference(each.compared)
    yield Cell(", ".join(f"{key} {old:g} → {new:g}" for key, (old, new) in each.changed_weights.items()) or "–")


def _difference(each: Comparison) -> Cell:
    style = each.verdict if each.verdict in _MARKS else ""
    return Cell(f"{each.difference:+.3f} ({each.low:+.3f} … {each.high:+.3f}){_MARKS.get(style, '')}", style)


def _mean_of(each: Overall) -> Cell:
    better, worse = len(each.better), len(each.worse)
    return Cell(f"{each.mean:+.3f} ({each.low:+.3f} … {each.high:+.3f}), {better} ▲ {worse} ▼")


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more or "–"


def _recipes(report: Report) -> list[str]:
    return list(dict.fromkeys(each.recipe for each in report.results))


def _by_collection(report: Report) -> dict[str, dict[str, MetricSummary]]:
    found: dict[str, dict[str, MetricSummary]] = {}
    for each in report.results:
        found.setdefault(each.collection, {})[each.recipe] = each
    return found


def _means(report: Report, value: Callable[[MetricSummary], float], form: str) -> list[Cell]:
    """Give the line of means, in which collections count the same."""
    shown = []
    for recipe in _recipes(report):
        found = [value(each) for each in report.results if each.recipe == recipe]
        shown.append(Cell(form.format(fmean(found))))
    return [Cell(_MEAN), Cell(""), *shown]


STAND_IN = "hashing-"
SAID = "hashing-… is the deterministic stand-in for tests: it knows words, not meaning, and is no model."


def worths(report: Report) -> Iterator[tuple[str, list[MetricSummary]]]:
    """Yield what was measured, by collection."""
    for name, group in groupby(report.results, key=lambda each: each.collection):
        yield name, list(group)


def result_heads(report: Report) -> list[str]:
    """Head the table of what was measured."""
    return [
        "collection",
        "recipe",
        "queries",
        *report.measures,
        "95 % of " + report.measure,
        "p50 ms",
        "mean ms",
        "meaning",
    ]


def result_row(report: Report, each: MetricSummary) -> list[str]:
    """Show what one recipe is worth on one collection."""
    low, high = each.intervals[report.measure]
    return [
        each.collection,
        each.recipe,
        str(each.queries),
        *(f"{each.metrics[name]:.4f}" for name in report.measures),
        f"{low:.3f} – {high:.3f}",
        f"{each.p50_ms:.1f}",
        f"{each.mean_ms:.1f}",
        meaning(each),
    ]


COMPARISON_HEADS = ["collection", "what", "against", "difference", "95 %", "better", "worse", "queries", "verdict"]


def comparison_row(each: Comparison) -> list[str]:
    """Show a difference with what it means."""
    return [
        each.collection,
        each.recipe,
        each.against,
        f"{each.difference:+.4f}",
        f"{each.low:+.4f} … {each.high:+.4f}",
        str(each.better),
        str(each.worse),
        str(each.queries),
        each.verdict,
    ]


def meaning(each: MetricSummary) -> str:
    """Name the models of meaning that were asked."""
    if not each.vector_models:
        return "not asked"
    return f"{each.vector_models} (test stand-in)" if each.vector_models.startswith(STAND_IN) else each.vector_models


def difference_tables(report: Report, *, short: bool = False) -> Iterator[tuple[str, str, Sequence[Comparison]]]:
    """Yield the tables of differences that are not empty, each with a title and what it shows.

    If they are to be short, those are left out that are summed up (see `grids`).
    """
    many = short and len({each.collection for each in report.ablations}) > 1
    found = (
        (
            "Recipes compared",
            "Each recipe against the first, query by query.",
            () if short and several(report) else report.comparisons,
        ),
        (
            "What each part is worth",
            "The recipe without one stage or signal, against the whole: a loss says that the part earns its place.",
            () if many else report.ablations,
        ),
        ("Against the baseline", "What was measured now, against what was kept.", report.baseline),
    )
    return (each for each in found if each[2])


def remarks(report: Report) -> Iterator[str]:
    """Yield what a reader of the tables must know."""
    yield from report.remarks
    if report.needed:
        yield f"not left out, for other stages need what they give: {', '.join(report.needed)}"
    if any(each.vector_models.startswith(STAND_IN) for each in report.results):
        yield SAID
    short: dict[str, dict[str, int]] = {}
    for each in report.results:
        for code, answers in each.degraded.items():
            told = short.setdefault(code, {})
            told[each.recipe] = told.get(each.recipe, 0) + answers
    for code, by_recipe in short.items():
        yield f"degraded answers [{code}]: " + ", ".join(f"{number} of {name}" for name, number in by_recipe.items())
