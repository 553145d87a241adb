"""Rows of results and comparisons, and remarks, the same in every report format."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from waymeet.evaluate.metrics import Comparison, MetricSummary
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.tables import has_levels, is_matrix, split_levels

_TEST_EMBEDDER = "hashing-"
_TEST_EMBEDDER_REMARK = "hashing-… is the deterministic stand-in for tests: it hashes words and is not a model."

COMPARISON_HEADER = ("collection", "what", "against", "difference", "95 %", "better", "worse", "queries", "verdict")


def results_by_collection(report: Report) -> Iterator[tuple[str, list[MetricSummary]]]:
    """Yield each collection with its results."""
    for name, group in groupby(report.results, key=lambda result: result.collection):
        yield name, list(group)


def result_header(report: Report) -> list[str]:
    """Give the header of the table of results."""
    return [
        "collection",
        "recipe",
        *(["level"] if has_levels(report) else []),
        "queries",
        *report.metrics,
        "95 % of " + report.metric,
        "p50 ms",
        "mean ms",
        "vector models",
    ]


def result_row(report: Report, result: MetricSummary) -> list[str]:
    """Format the result of one recipe on one collection."""
    low, high = result.intervals[report.metric]
    return [
        result.collection,
        result.recipe,
        *([result.level] if has_levels(report) else []),
        str(result.queries),
        *(f"{result.metrics[name]:.4f}" for name in report.metrics),
        f"{low:.3f} – {high:.3f}",
        f"{result.p50_ms:.1f}",
        f"{result.mean_ms:.1f}",
        name_vector_models(result),
    ]


def comparison_row(comparison: Comparison) -> list[str]:
    """Format a comparison with its verdict."""
    return [
        comparison.collection,
        comparison.label,
        comparison.against,
        f"{comparison.difference:+.4f}",
        f"{comparison.low:+.4f} … {comparison.high:+.4f}",
        str(comparison.better),
        str(comparison.worse),
        str(comparison.queries),
        comparison.verdict,
    ]


def name_vector_models(result: MetricSummary) -> str:
    """Name the embedding models of a run, or `none`."""
    if not result.vector_models:
        return "none"
    is_test_embedder = result.vector_models.startswith(_TEST_EMBEDDER)
    return f"{result.vector_models} (test stand-in)" if is_test_embedder else result.vector_models


def comparison_sections(report: Report, *, short: bool = False) -> Iterator[tuple[str, str, Sequence[Comparison]]]:
    """Yield title, description and comparisons of each list of comparisons that is not empty.

    With `short`, lists that a summary table covers are left out (see `tables.summary_tables`).
    """
    has_ablation_table = short and len({ablation.collection for ablation in report.ablations}) > 1
    sections = (
        (
            "Recipes compared",
            "Each recipe against the first, query by query.",
            () if short and is_matrix(report) else report.comparisons,
        ),
        (
            "Effect of each part",
            "The recipe without one stage or signal, against the complete recipe: a loss shows a useful part.",
            () if has_ablation_table else report.ablations,
        ),
        ("Against the baseline", "The runs measured now, against the saved baseline.", report.baseline),
    )
    return (section for section in sections if section[2])


def list_remarks(report: Report) -> Iterator[str]:
    """Yield the limits of the results that a reader has to know."""
    yield from report.remarks
    if report.required_stages:
        yield f"not left out, because later stages need their output: {', '.join(report.required_stages)}"
    if any(result.vector_models.startswith(_TEST_EMBEDDER) for result in report.results):
        yield _TEST_EMBEDDER_REMARK
    counts: dict[str, dict[str, int]] = {}
    for result in split_levels(report)[0].results:  # all levels have the same answers
        for code, answers in result.degraded.items():
            by_recipe = counts.setdefault(code, {})
            by_recipe[result.recipe] = by_recipe.get(result.recipe, 0) + answers
    for code, by_recipe in counts.items():
        yield f"degraded answers [{code}]: " + ", ".join(f"{number} of {name}" for name, number in by_recipe.items())
