"""A report as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from waymeet.interfaces.present import one_line
from waymeet.interfaces.quality import tables
from waymeet.interfaces.quality.report import Report

_ESCAPED = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#~"})


def as_markdown(report: Report) -> str:
    """Write a report as Markdown; what came from collections is text in it, never markup."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "# Quality"
    yield ""
    yield f"Measured by Waymeet {_plain(report.version)}. Intervals hold 95 of 100 means over such queries (bootstrap);"
    yield "differences are taken query by query, and one whose interval holds 0 may be chance."
    yield from ("", *_table(tables.result_heads(report), (tables.result_row(report, each) for each in report.results)))
    for title, about, rows in tables.parts(report):
        yield from ("", f"## {title}", "", f"{about} The measure is {_plain(report.measure)}.", "")
        yield from _table(tables.COMPARISON_HEADS, map(tables.comparison_row, rows))
    notes = [*report.failures, *tables.remarks(report)]
    if notes:
        yield from ("", "## Remarks", "", *(f"- {_plain(each)}" for each in notes))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(heads)
    yield "|" + "|".join("---" if at < 2 else "--:" for at in range(len(heads))) + "|"
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |"


def _plain(text: str) -> str:
    return one_line(text).translate(_ESCAPED)
