"""Reports as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.rows import (
    COMPARISON_HEADER,
    comparison_row,
    comparison_sections,
    list_remarks,
    result_header,
    result_row,
)
from waymeet.interfaces.quality.tables import Cell, Table, is_matrix, summary_tables
from waymeet.interfaces.render.text import to_single_line

_ESCAPED = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#~"})


def format_markdown(report: Report) -> str:
    """Format a report as Markdown, with texts from collections escaped."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "# Quality"
    yield ""
    yield f"Measured by Waymeet {escape_markdown(report.version)}."
    yield "Intervals are 95 % bootstrap intervals of the mean over queries;"
    yield "differences are computed query by query, and one whose interval contains 0 may be chance."
    if not is_matrix(report):
        rows = (result_row(report, result) for result in report.results)
        yield from ("", *_table(result_header(report), rows))
    for table in summary_tables(report):
        yield from ("", *table_section(table))
    for title, about, comparisons in comparison_sections(report, short=True):
        yield from ("", f"## {title}", "", f"{about} The metric is {escape_markdown(report.metric)}.", "")
        yield from _table(COMPARISON_HEADER, map(comparison_row, comparisons))
    remarks = [*report.failures, *list_remarks(report)]
    if remarks:
        yield from ("", "## Remarks", "", *(f"- {escape_markdown(remark)}" for remark in remarks))


def table_section(table: Table) -> Iterator[str]:
    """Yield the lines of a table with its title and description."""
    yield from (f"## {escape_markdown(table.title)}", "", escape_markdown(table.about), "")
    yield f"| {' | '.join(map(escape_markdown, table.header))} |"
    yield "|" + "|".join(_alignment(table, column) for column in range(len(table.header))) + "|"
    for row in table.rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _alignment(table: Table, column: int) -> str:
    """Align columns of numbers to the right."""
    numbers = all(row[column].text.strip("–")[:1] in {"", "+", "-", *"0123456789"} for row in table.rows)
    return "--:" if numbers else "---"


def _cell(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    return f"**{text}**" if cell.style == "best" else text


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(header)
    yield "|" + "|".join("---" if column < 2 else "--:" for column in range(len(header))) + "|"
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escape_markdown, cells))} |"


def escape_markdown(text: str) -> str:
    """Escape a text so that Markdown shows it unchanged on one line."""
    return to_single_line(text).translate(_ESCAPED)
