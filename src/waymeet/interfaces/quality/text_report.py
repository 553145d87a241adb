"""Figures as lines of a terminal."""

from collections.abc import Iterator, Sequence

from waymeet.evaluate.metrics import MAIN_METRIC, METRICS, Comparison, MetricSummary
from waymeet.interfaces.quality import tables
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.tables import Grid, figures, several, sums
from waymeet.interfaces.render.text import Line

_STYLES = {"better": "green", "worse": "red", "best": "bold"}
_WIDE = {name: max(len(name), 6) + 2 for name in METRICS}


def head(first: int, second: int) -> Line:
    """Head the table of what was measured; the widths are those of its first columns."""
    names = "".join(f"{name:>{_WIDE[name]}}" for name in METRICS)
    told = f"{'collection':{max(first, 10)}}  {'recipe':{max(second, 6)}}  queries{names}"
    return [(f"{told}  {'95 % of ' + MAIN_METRIC:15}  p50 ms  p95 ms  meaning", "bold")]


def row(each: MetricSummary, first: int, second: int) -> Line:
    """Show what one recipe is worth on one collection."""
    values = "".join(f"{value:{_WIDE[name]}.4f}" for name, value in each.metrics.items())
    low, high = each.intervals[MAIN_METRIC]
    return [
        (f"{each.collection:{max(first, 10)}}  ", ""),
        (f"{each.recipe:{max(second, 6)}}", "cyan"),
        (f"  {each.queries:7}{values}  ", ""),
        (f"{f'{low:.3f} – {high:.3f}':15}", "dim"),
        (f"{each.p50_ms:8.2f}{each.p95_ms:8.2f}  ", ""),
        (tables.meaning(each), "dim"),
    ]


def differences(title: str, found: Sequence[Comparison]) -> Iterator[Line]:
    """Show differences, one line each."""
    yield []
    yield [(title, "bold")]
    wide = [max(len(each.collection) for each in found), max(len(each.recipe) for each in found)]
    for each in found:
        style = _STYLES.get(each.verdict, "")
        yield [
            (f"{each.collection:{wide[0]}}  ", "dim"),
            (f"{each.recipe:{wide[1]}}", "cyan"),
            (f"  {each.difference:+.4f}", style),
            (f"  [{each.low:+.4f}, {each.high:+.4f}]", "dim"),
            (f"  {each.better:4} better {each.worse:4} worse  ", ""),
            (each.verdict, style),
            (f"  against {each.against}", "dim"),
        ]


def all_differences(report: Report) -> Iterator[Line]:
    """Show every table of differences of a report; many collections are summed up."""
    for grid in ([figures(report, report.measure)] if several(report) else []) + list(sums(report)):
        yield from _grid(grid)
    for title, _, found in tables.difference_tables(report, short=True):
        yield from differences(f"{title} ({report.measure})", found)


def _grid(grid: Grid) -> Iterator[Line]:
    yield []
    yield [(grid.title, "bold"), (f"  {grid.about}", "dim")]
    table = [grid.heads, *([cell.text for cell in row] for row in grid.rows)]
    wide = [max(len(row[at]) for row in table) for at in range(len(grid.heads))]
    yield [("  ".join(f"{name:{width}}" for name, width in zip(grid.heads, wide, strict=True)), "dim")]
    for row in grid.rows:
        yield [(f"{cell.text:{width}}  ", _STYLES.get(cell.style, "")) for cell, width in zip(row, wide, strict=True)]


def remarks(report: Report) -> Iterator[Line]:
    """Say what a reader of the tables must know."""
    for each in tables.remarks(report):
        yield [(each, "yellow" if each.startswith("degraded") else "")]
    for each in report.failures:
        yield [(each, "red")]
