"""Draw a dot chart as SVG: a row for each collection, a dot for each recipe."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_LABEL, _PLOT, _RIGHT = 170, 520, 30
_ROW, _TOP, _BOTTOM = 22, 44, 34
_COLOURS = ("plain", "words", "whole")
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1d2433; } .tick { fill: #667085; font-size: 11px; }
.grid { stroke: #e4e7ec; } .span { stroke: #cbd2e0; stroke-width: 3; stroke-linecap: round; }
.plain { fill: #98a2b3; } .words { fill: #5b8def; } .whole { fill: #13795b; }
@media (prefers-color-scheme: dark) { text { fill: #e6e9f0; } .tick { fill: #98a2b3; } .grid { stroke: #2c3444; }
.span { stroke: #3a4458; } .whole { fill: #4cc38a; } }
"""


class DotRow(NamedTuple):
    """A row of the chart: values between 0 and 1, each with its name."""

    label: str
    values: Sequence[tuple[str, float]]


def draw_dots(rows: Sequence[DotRow], title: str) -> str:
    """Draw all rows over one axis, with a legend above."""
    width, height = _LABEL + _PLOT + _RIGHT, _TOP + _ROW * len(rows) + _BOTTOM
    foot = height - _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
    ]
    for tick in range(0, 11, 2):
        x = _x(tick / 10)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{foot}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{tick / 10:g}</text>')
    names = list(dict.fromkeys(name for row in rows for name, _ in row.values))
    colour = dict(zip(names, _COLOURS, strict=False))
    for number, name in enumerate(names):
        x = _LABEL + 110 * number
        parts.append(f'<circle class="{colour.get(name, "plain")}" cx="{x}" cy="18" r="5"/>')
        parts.append(f'<text x="{x + 11}" y="22">{escape(name)}</text>')
    for number, row in enumerate(rows):
        y = _TOP + _ROW * number + _ROW / 2
        parts.append(f'<text x="{_LABEL - 14}" y="{y + 4:.1f}" text-anchor="end">{escape(row.label)}</text>')
        values = [value for _, value in row.values]
        if values:
            ends = f'x1="{_x(min(values)):.1f}" x2="{_x(max(values)):.1f}"'
            parts.append(f'<line class="span" {ends} y1="{y:.1f}" y2="{y:.1f}"/>')
        for name, value in row.values:
            tooltip = f"<title>{escape(f'{row.label}, {name}: {value:.3f}')}</title>"
            style = colour.get(name, "plain")
            parts.append(f'<circle class="{style}" cx="{_x(value):.1f}" cy="{y:.1f}" r="5">{tooltip}</circle>')
    return "\n".join([*parts, "</svg>", ""])


def _x(value: float) -> float:
    return _LABEL + _PLOT * value
