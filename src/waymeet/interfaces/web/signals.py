"""Group the signals of a score for the bar beside a hit."""

from typing import NamedTuple

from waymeet.interfaces.render.explanation import Signal, list_signals
from waymeet.types import Explanation

GROUPS = ("lexical", "vector", "links", "bonuses")


class BarPart(NamedTuple):
    """A part of the bar: a group of signals with its share of the score."""

    group: str
    share: float
    start: float
    """Sum of the shares before it."""


class Bar(NamedTuple):
    """The composition of a score."""

    parts: tuple[BarPart, ...]
    signals: tuple[tuple[str, Signal], ...]
    """Each signal with its group, the largest first."""

    @property
    def label(self) -> str:
        """Describe the bar in words."""
        return ", ".join(f"{part.group} {part.share:.0%}" for part in self.parts) or "no score"


def build_bar(tree: Explanation) -> Bar:
    """Group the addends of a score. Negative ones are listed but take no part of the bar."""
    signals = tuple((signal.group or "bonuses", signal) for signal in list_signals(tree))
    totals = {group: sum(max(signal.value, 0.0) for own, signal in signals if own == group) for group in GROUPS}
    whole = sum(totals.values())
    parts, start = [], 0.0
    for group, total in totals.items():
        if whole and total > 0.0:
            parts.append(BarPart(group, total / whole, start))
            start += total / whole
    return Bar(tuple(parts), signals)
