"""A report as one page of HTML: pictures inside, nothing fetched, nothing run."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from waymeet.evaluate.metrics import Comparison, MetricSummary
from waymeet.interfaces.quality import tables
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.svg import Row, intervals
from waymeet.interfaces.quality.tables import grids
from waymeet.interfaces.render.text import to_single_line

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2433; --soft: #667085; --line: #e4e7ec; --paper: #fbfbfd; --card: #fff;
  --even: #5b6b8c; --better: #13795b; --worse: #b42318; --best: #eaf5f0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9f0; --soft: #98a2b3; --line: #2c3444; --paper: #12151c;
  --card: #191e28; --even: #9db2dd; --better: #4cc38a; --worse: #ff8a80; --best: #173428; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 48px 24px 80px; }
h1 { font-size: 30px; letter-spacing: -.02em; margin: 0 0 6px; }
h2 { font-size: 20px; letter-spacing: -.01em; margin: 48px 0 4px; }
h3 { font-size: 15px; margin: 0 0 8px; }
p { margin: 0 0 14px; color: var(--soft); max-width: 74ch; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 16px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 7px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 500; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
tr:last-child td { border-bottom: 0; }
td.best { background: var(--best); font-weight: 600; }
td.better { color: var(--better); } td.worse { color: var(--worse); }
li { margin: 4px 0; } .failure { color: var(--worse); font-weight: 600; }
svg.plot { display: block; width: 100%; height: auto; max-width: 820px; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .tick { fill: var(--soft); font-size: 11px; }
svg .grid { stroke: var(--line); } svg .zero { stroke: var(--soft); stroke-dasharray: 3 3; }
svg .range { stroke-width: 3; stroke-linecap: round; opacity: .45; }
svg .even line { stroke: var(--even); } svg .even circle { fill: var(--even); }
svg .better line { stroke: var(--better); } svg .better circle { fill: var(--better); }
svg .worse line { stroke: var(--worse); } svg .worse circle { fill: var(--worse); }
"""
_HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    f"<title>Quality of answers</title><style>{_STYLE}</style></head><body><main>"
)


def as_page(report: Report) -> str:
    """Make a page of a report; whatever came from collections is text in it, never markup."""
    return "\n".join([_HEAD, *_sections(report), "</main></body></html>", ""])


def _sections(report: Report) -> Iterator[str]:
    yield "<h1>Quality of answers</h1>"
    yield (
        f"<p>Measured by Waymeet {_text(report.version)}. Lines are intervals that hold 95 of 100 means over such "
        "queries (bootstrap); differences are taken query by query, and one whose interval holds 0 may be chance.</p>"
    )
    if report.failures:
        yield _list("failure", report.failures)
    for grid in grids(report):
        yield f"<h2>{_text(grid.title)}</h2><p>{_text(grid.about)}</p>"
        yield _card(_table(grid.heads, grid.rows))
    yield f"<h2>{_text(report.measure)} by collection</h2>"
    for name, found in tables.worths(report):
        yield f'<section class="card"><h3>{_text(name)}</h3>{_results(report, name, found)}</section>'
    yield "<h2>All figures</h2>"
    yield _card(_result_table(report))
    for title, about, rows in tables.difference_tables(report):
        yield f"<h2>{_text(title)}</h2><p>{_text(about)} The measure is {_text(report.measure)}.</p>"
        yield from _differences(title, rows)
    remarks = list(tables.remarks(report))
    if remarks:
        yield "<h2>Remarks</h2>"
        yield _list("", remarks)


def _results(report: Report, name: str, found: Sequence[MetricSummary]) -> str:
    rows = []
    for each in found:
        value, (low, high) = each.metrics[report.measure], each.intervals[report.measure]
        rows.append(Row(to_single_line(each.recipe), value, low, high, shown=f"{value:.3f}"))
    return intervals(rows, to_single_line(f"{report.measure} on {name}"))


def _differences(title: str, found: Sequence[Comparison]) -> Iterator[str]:
    """Draw and list differences, a card for each collection and what they are against."""
    for key in dict.fromkeys((each.collection, each.against) for each in found):
        group = [each for each in found if (each.collection, each.against) == key]
        rows = [
            Row(
                to_single_line(each.recipe),
                each.difference,
                each.low,
                each.high,
                each.verdict,
                f"{each.difference:+.3f}",
            )
            for each in group
        ]
        name = f"{key[0]}: against {key[1]}"
        picture = intervals(rows, to_single_line(f"{title}, {name}"), zero=True)
        listed = _table(
            tables.COMPARISON_HEADS,
            ([(cell, each.verdict) for cell in tables.comparison_row(each)] for each in group),
        )
        yield f'<section class="card"><h3>{_text(name)}</h3>{picture}<div class="scroll">{listed}</div></section>'


def _result_table(report: Report) -> str:
    """List all figures; the best of each measure on each collection is marked where there is a choice."""
    rows = []
    for _, found in tables.worths(report):
        best = {name: max(each.metrics[name] for each in found) for name in report.measures}
        for each in found:
            cells = [(cell, "") for cell in tables.result_row(report, each)]
            for at, name in enumerate(report.measures, start=3):
                if len(found) > 1 and each.metrics[name] == best[name]:
                    cells[at] = (cells[at][0], "best")
            rows.append(cells)
    return _table(tables.result_heads(report), rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]]) -> str:
    head = "".join(f"<th>{_text(each)}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(f'<td{_class(kind)}>{_text(cell)}</td>' for cell, kind in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind in {"best", "better", "worse"} else ""


def _card(inside: str) -> str:
    return f'<section class="card scroll">{inside}</section>'


def _list(kind: str, rows: Iterable[str]) -> str:
    return f'<ul class="card {kind}">{"".join(f"<li>{_text(each)}</li>" for each in rows)}</ul>'


def _text(text: str) -> str:
    return escape(to_single_line(text))
