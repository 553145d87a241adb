"""Reports as one HTML page with inline pictures, without scripts and external addresses."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from waymeet.evaluate.metrics import Comparison, MetricSummary
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.rows import (
    COMPARISON_HEADER,
    comparison_row,
    comparison_sections,
    list_remarks,
    result_header,
    result_row,
    results_by_collection,
)
from waymeet.interfaces.quality.svg import Row, draw_intervals
from waymeet.interfaces.quality.tables import summary_tables
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
    f"<title>Search quality</title><style>{_STYLE}</style></head><body><main>"
)


def format_html(report: Report) -> str:
    """Format a report as an HTML page, with texts from collections escaped."""
    return "\n".join([_HEAD, *_sections(report), "</main></body></html>", ""])


def _sections(report: Report) -> Iterator[str]:
    yield "<h1>Search quality</h1>"
    yield (
        f"<p>Measured by Waymeet {_escape(report.version)}. Lines are 95 % bootstrap intervals of the mean over "
        "queries; differences are computed query by query, and one whose interval contains 0 may be chance.</p>"
    )
    if report.failures:
        yield _list("failure", report.failures)
    for table in summary_tables(report):
        yield f"<h2>{_escape(table.title)}</h2><p>{_escape(table.about)}</p>"
        yield _card(_table(table.header, table.rows))
    yield f"<h2>{_escape(report.metric)} by collection</h2>"
    for name, results in results_by_collection(report):
        yield f'<section class="card"><h3>{_escape(name)}</h3>{_result_plot(report, name, results)}</section>'
    yield "<h2>All results</h2>"
    yield _card(_result_table(report))
    for title, about, comparisons in comparison_sections(report):
        yield f"<h2>{_escape(title)}</h2><p>{_escape(about)} The metric is {_escape(report.metric)}.</p>"
        yield from _comparison_cards(title, comparisons)
    remarks = list(list_remarks(report))
    if remarks:
        yield "<h2>Remarks</h2>"
        yield _list("", remarks)


def _result_plot(report: Report, name: str, results: Sequence[MetricSummary]) -> str:
    rows = []
    for result in results:
        value, (low, high) = result.metrics[report.metric], result.intervals[report.metric]
        rows.append(Row(to_single_line(result.label), value, low, high, shown=f"{value:.3f}"))
    return draw_intervals(rows, to_single_line(f"{report.metric} on {name}"))


def _comparison_cards(title: str, comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Draw and list comparisons, with a card for each collection and opponent."""
    for collection, against in dict.fromkeys((each.collection, each.against) for each in comparisons):
        group = [each for each in comparisons if (each.collection, each.against) == (collection, against)]
        rows = [
            Row(
                to_single_line(comparison.label),
                comparison.difference,
                comparison.low,
                comparison.high,
                comparison.verdict,
                f"{comparison.difference:+.3f}",
            )
            for comparison in group
        ]
        name = f"{collection}: against {against}"
        plot = draw_intervals(rows, to_single_line(f"{title}, {name}"), zero=True)
        table = _table(
            COMPARISON_HEADER,
            ([(cell, comparison.verdict) for cell in comparison_row(comparison)] for comparison in group),
        )
        yield f'<section class="card"><h3>{_escape(name)}</h3>{plot}<div class="scroll">{table}</div></section>'


def _result_table(report: Report) -> str:
    """List all results, with the best of each metric on each collection and level marked."""
    header, rows = result_header(report), []
    for _, results in results_by_collection(report):
        for result in results:
            rivals = [each for each in results if each.level == result.level]
            cells = [(cell, "") for cell in result_row(report, result)]
            for column, name in enumerate(report.metrics, start=header.index("queries") + 1):
                if len(rivals) > 1 and result.metrics[name] == max(each.metrics[name] for each in rivals):
                    cells[column] = (cells[column][0], "best")
            rows.append(cells)
    return _table(header, rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]]) -> str:
    head = "".join(f"<th>{_escape(name)}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td{_class(style)}>{_escape(cell)}</td>' for cell, style in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _class(style: str) -> str:
    return f' class="{style}"' if style in {"best", "better", "worse"} else ""


def _card(content: str) -> str:
    return f'<section class="card scroll">{content}</section>'


def _list(style: str, items: Iterable[str]) -> str:
    return f'<ul class="card {style}">{"".join(f"<li>{_escape(item)}</li>" for item in items)}</ul>'


def _escape(text: str) -> str:
    return escape(to_single_line(text))
