"""Reports as lines of a terminal."""

from collections.abc import Iterator, Sequence

from waymeet.evaluate.metrics import MAIN_METRIC, METRICS, Comparison, MetricSummary
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.rows import comparison_sections, list_remarks, name_vector_models
from waymeet.interfaces.quality.tables import Table, is_matrix, mean_table, metric_table, overall_tables, split_levels
from waymeet.interfaces.render.text import Line

_STYLES = {"better": "green", "worse": "red", "best": "bold"}
_LEVEL_WIDTH = len("section")
_WIDTHS = {name: max(len(name), 6) + 2 for name in METRICS}


def header_line(collection_width: int, recipe_width: int, level: str = "") -> Line:
    """Format the header of the table of results, with a column for the level if there is one."""
    names = "".join(f"{name:>{_WIDTHS[name]}}" for name in METRICS)
    level_name = f"  {'level':{_LEVEL_WIDTH}}" if level else ""
    recipe_name = f"{'recipe':{max(recipe_width, 6)}}{level_name}"
    first = f"{'collection':{max(collection_width, 10)}}  {recipe_name}  queries{names}"
    return [(f"{first}  {'95 % of ' + MAIN_METRIC:15}  p50 ms  p95 ms  vector models", "bold")]


def result_line(result: MetricSummary, collection_width: int, recipe_width: int) -> Line:
    """Format the result of one recipe on one collection."""
    values = "".join(f"{value:{_WIDTHS[name]}.4f}" for name, value in result.metrics.items())
    low, high = result.intervals[MAIN_METRIC]
    return [
        (f"{result.collection:{max(collection_width, 10)}}  ", ""),
        (f"{result.recipe:{max(recipe_width, 6)}}", "cyan"),
        (f"  {result.level:{_LEVEL_WIDTH}}" if result.level else "", "cyan"),
        (f"  {result.queries:7}{values}  ", ""),
        (f"{f'{low:.3f} – {high:.3f}':15}", "dim"),
        (f"{result.p50_ms:8.2f}{result.p95_ms:8.2f}  ", ""),
        (name_vector_models(result), "dim"),
    ]


def comparison_lines(title: str, comparisons: Sequence[Comparison]) -> Iterator[Line]:
    """Format comparisons under a title, one line each."""
    yield []
    yield [(title, "bold")]
    collection_width = max(len(comparison.collection) for comparison in comparisons)
    recipe_width = max(len(comparison.label) for comparison in comparisons)
    for comparison in comparisons:
        style = _STYLES.get(comparison.verdict, "")
        yield [
            (f"{comparison.collection:{collection_width}}  ", "dim"),
            (f"{comparison.label:{recipe_width}}", "cyan"),
            (f"  {comparison.difference:+.4f}", style),
            (f"  [{comparison.low:+.4f}, {comparison.high:+.4f}]", "dim"),
            (f"  {comparison.better:4} better {comparison.worse:4} worse  ", ""),
            (comparison.verdict, style),
            (f"  against {comparison.against}", "dim"),
        ]


def summary_lines(report: Report) -> Iterator[Line]:
    """Format every comparison of a report, with summary tables for several collections."""
    for part in split_levels(report):
        tables = [metric_table(part, report.metric)] if is_matrix(part) else []
        for table in [*tables, *overall_tables(part)]:
            yield from _table_lines(table)
    for title, _, comparisons in comparison_sections(report, short=True):
        yield from comparison_lines(f"{title} ({report.metric})", comparisons)
    if report.means:
        yield from _table_lines(mean_table(report))


def _table_lines(table: Table) -> Iterator[Line]:
    yield []
    yield [(table.title, "bold"), (f"  {table.about}", "dim")]
    texts = [table.header, *([cell.text for cell in row] for row in table.rows)]
    widths = [max(len(row[column]) for row in texts) for column in range(len(table.header))]
    yield [("  ".join(f"{name:{width}}" for name, width in zip(table.header, widths, strict=True)), "dim")]
    for row in table.rows:
        yield [(f"{cell.text:{width}}  ", _STYLES.get(cell.style, "")) for cell, width in zip(row, widths, strict=True)]


def remark_lines(report: Report) -> Iterator[Line]:
    """Format the remarks and failures of a report."""
    for remark in list_remarks(report):
        yield [(remark, "yellow" if remark.startswith("degraded") else "")]
    for failure in report.failures:
        yield [(failure, "red")]
