"""The rows of a report's tables, as text: every form shows the same."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from waymeet.evaluate.metrics import Comparison, Worth
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.tables import several

STAND_IN = "hashing-"
SAID = "hashing-… is the deterministic stand-in for tests: it knows words, not meaning, and is no model."


def worths(report: Report) -> Iterator[tuple[str, list[Worth]]]:
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


def result_row(report: Report, each: Worth) -> list[str]:
    """Show what one recipe is worth on one collection."""
    low, high = each.intervals[report.measure]
    return [
        each.collection,
        each.recipe,
        str(each.queries),
        *(f"{each.measures[name]:.4f}" for name in report.measures),
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


def meaning(each: Worth) -> str:
    """Name the models of meaning that were asked."""
    if not each.meaning:
        return "not asked"
    return f"{each.meaning} (test stand-in)" if each.meaning.startswith(STAND_IN) else each.meaning


def parts(report: Report, *, short: bool = False) -> Iterator[tuple[str, str, Sequence[Comparison]]]:
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
    if any(each.meaning.startswith(STAND_IN) for each in report.results):
        yield SAID
    short: dict[str, dict[str, int]] = {}
    for each in report.results:
        for code, answers in each.degraded.items():
            told = short.setdefault(code, {})
            told[each.recipe] = told.get(each.recipe, 0) + answers
    for code, by_recipe in short.items():
        yield f"degraded answers [{code}]: " + ", ".join(f"{number} of {name}" for name, number in by_recipe.items())
