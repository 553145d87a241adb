"""Plots of values with intervals as SVG, without scripts and external addresses."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

_ROW, _TOP, _BOTTOM = 24, 10, 30
_LABEL, _PLOT, _VALUE = 250, 430, 60
_WIDTH = _LABEL + _PLOT + _VALUE
_MAX_LABEL_CHARS = 36
_TICKS = 5


class Row(NamedTuple):
    """A value with its interval."""

    label: str
    value: float
    low: float
    high: float
    style: str = "even"
    """`better`, `worse` or `even`, which the style sheet maps to a colour."""
    shown: str = ""
    """The value as text."""


def draw_intervals(rows: Sequence[Row], title: str, *, zero: bool = False) -> str:
    """Draw each value as a point on the line of its interval, with `zero` around a line at 0."""
    low, high = _bounds(rows, zero=zero)
    height = _TOP + _ROW * len(rows) + _BOTTOM
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" class="plot">',
        f"<title>{escape(title)}</title>",
    ]
    foot = _TOP + _ROW * len(rows)
    for tick in _ticks(low, high):
        x = _x(tick, low, high)
        kind = "zero" if zero and abs(tick) < 1e-12 else "grid"
        label = _format_tick(tick, signed=zero)
        parts += [
            f'<line class="{kind}" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{foot}"/>',
            f'<text class="tick" x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{label}</text>',
        ]
    for number, row in enumerate(rows):
        parts += _draw_row(row, _TOP + _ROW * number + _ROW / 2, low, high)
    return "\n".join([*parts, "</svg>"])


def _draw_row(row: Row, y: float, low: float, high: float) -> list[str]:
    label = row.label if len(row.label) <= _MAX_LABEL_CHARS else f"{row.label[: _MAX_LABEL_CHARS - 1]}…"
    left, right, x = (_x(value, low, high) for value in (row.low, row.high, row.value))
    style = row.style if row.style in {"better", "worse"} else "even"
    return [
        f'<g class="{style}"><title>{escape(f"{row.label}: {row.shown} [{row.low:.3g}, {row.high:.3g}]")}</title>',
        f'<text class="label" x="{_LABEL - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>',
        f'<line class="range" x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}"/>',
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"/>',
        f'<text class="value" x="{_WIDTH - 4}" y="{y + 4:.1f}" text-anchor="end">{escape(row.shown)}</text></g>',
    ]


def _bounds(rows: Sequence[Row], *, zero: bool) -> tuple[float, float]:
    """Compute the bounds of the axis: all intervals with a margin."""
    low = min((row.low for row in rows), default=0.0)
    high = max((row.high for row in rows), default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = max((high - low) * 0.06, 0.005)
    return (low - margin, high + margin) if zero else (max(low - margin, 0.0), min(high + margin, 1.0))


def _ticks(low: float, high: float) -> list[float]:
    """Choose round numbers on an axis as ticks.

    >>> [round(tick, 2) for tick in _ticks(0.31, 0.52)]
    [0.35, 0.4, 0.45, 0.5]
    """
    rough = (high - low) / _TICKS
    size = 10.0 ** floor(log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough - 1e-12)
    return [step * number for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _x(value: float, low: float, high: float) -> float:
    return _LABEL + _PLOT * (value - low) / (high - low)


def _format_tick(value: float, *, signed: bool = False) -> str:
    return f"{value + 0.0:{'+' if signed and abs(value) > 1e-12 else ''}.3g}"
