"""A report as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from waymeet.interfaces.quality import tables
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.tables import Cell, Grid, grids, several
from waymeet.interfaces.render.text import to_single_line

_ESCAPED = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#~"})


def as_markdown(report: Report) -> str:
    """Write a report as Markdown; what came from collections is text in it, never markup."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "# Quality"
    yield ""
    yield f"Measured by Waymeet {plain(report.version)}. Intervals hold 95 of 100 means over such queries (bootstrap);"
    yield "differences are taken query by query, and one whose interval holds 0 may be chance."
    if not several(report):
        rows = (tables.result_row(report, each) for each in report.results)
        yield from ("", *_table(tables.result_heads(report), rows))
    for grid in grids(report):
        yield from ("", *section(grid))
    for title, about, found in tables.difference_tables(report, short=True):
        yield from ("", f"## {title}", "", f"{about} The measure is {plain(report.measure)}.", "")
        yield from _table(tables.COMPARISON_HEADS, map(tables.comparison_row, found))
    notes = [*report.failures, *tables.remarks(report)]
    if notes:
        yield from ("", "## Remarks", "", *(f"- {plain(each)}" for each in notes))


def section(grid: Grid) -> Iterator[str]:
    """Write a table with its title."""
    yield from (f"## {plain(grid.title)}", "", plain(grid.about), "")
    yield f"| {' | '.join(map(plain, grid.heads))} |"
    yield "|" + "|".join(_side(grid, at) for at in range(len(grid.heads))) + "|"
    for row in grid.rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _side(grid: Grid, at: int) -> str:
    """Say on which side a column stands: numbers on the right."""
    numbers = all(row[at].text.strip("–")[:1] in {"", "+", "-", *"0123456789"} for row in grid.rows)
    return "--:" if numbers else "---"


def _cell(cell: Cell) -> str:
    text = plain(cell.text)
    return f"**{text}**" if cell.style == "best" else text


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(heads)
    yield "|" + "|".join("---" if at < 2 else "--:" for at in range(len(heads))) + "|"
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(plain, cells))} |"


def plain(text: str) -> str:
    """Write text so that Markdown takes it for nothing else."""
    return to_single_line(text).translate(_ESCAPED)
