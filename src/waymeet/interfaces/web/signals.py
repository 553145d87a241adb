"""Group the signals of a score for the bar beside a hit."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from waymeet.interfaces.render.explanation import Signal, list_signals
from waymeet.types import Explanation

GROUPS = ("lexical", "vector", "links", "bonuses")
_PATTERNS = (
    ("lexical", re.compile(r"“[^”]*” in ")),
    ("links", re.compile(r"linked from |links to |reached |not reached|graph\b|.{0,12}× graph")),
    ("bonuses", re.compile(r"shares the name|title or file name|defines |feedback |bonus |message of |raised ")),
    ("lexical", re.compile(r".*(\blexical\b|bm25|full.?text)", re.IGNORECASE | re.DOTALL)),
    ("vector", re.compile(r".*(\bvector\b|cosine)", re.IGNORECASE | re.DOTALL)),
    ("links", re.compile(r".*(link weight|decay|\bgraph\b)", re.DOTALL)),
)
"""The group of a description; the first match counts, since a description may end with the name of a file."""


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
    nodes = dict(_iterate_descriptions(tree))
    signals = tuple((_group(signal.label, nodes.get(signal.label, "")), signal) for signal in list_signals(tree))
    totals = {group: sum(max(signal.value, 0.0) for own, signal in signals if own == group) for group in GROUPS}
    whole = sum(totals.values())
    parts, start = [], 0.0
    for group, total in totals.items():
        if whole and total > 0.0:
            parts.append(BarPart(group, total / whole, start))
            start += total / whole
    return Bar(tuple(parts), signals)


def _iterate_descriptions(node: Explanation) -> Iterator[tuple[str, str]]:
    """Yield each description with those of all nodes below it."""
    below = list[str]()
    for part in node.parts:
        for description, further in _iterate_descriptions(part):
            yield description, further
            below.append(description)
    yield node.description, "\n".join(below)


def _group(label: str, below: str) -> str:
    """Find the group of a signal by its label, else by its parts."""
    for text in (label, *below.split("\n")):
        for group, pattern in _PATTERNS:
            if pattern.match(text):
                return group
    return "bonuses"
