"""Explanations of scores as lines of text: a summary by signal, or the whole tree."""

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET, Struct

from waymeet.formulas.explanation import Group, find_group
from waymeet.types import Explanation

if TYPE_CHECKING:
    from waymeet.interfaces.render.text import Line

_BAR_CELLS = 10
_MAX_SIGNALS, _MAX_WORDS = 8, 5
_MAX_LABEL = 60
"""Characters of a signal's description that are shown."""


class Signal(Struct, frozen=True):
    """One addend of a score."""

    label: str
    value: float
    """Its contribution to the score."""
    share: float
    """Its contribution, as a share of the score."""
    group: str = ""
    """What it comes from: lexical, vector, links or bonuses; empty if the tree does not tell."""
    words: tuple[tuple[str, float], ...] = ()
    """The matched words with their fields, and the share of each in the lexical score."""


def list_signals(tree: Explanation) -> tuple[Signal, ...]:
    """Decompose a score into addends, the largest first.

    A sum gives its parts. A product with a sum in it is distributed over the parts of the sum, a quotient over the
    parts of its numerator. Only the values and operations of the tree decide; descriptions are labels.

    >>> from waymeet.formulas.explanation import product, total, value
    >>> inner = total("both", value(1.0, "lexical"), value(3.0, "vector"))
    >>> tree = total("score", product("with factor", value(0.5, "factor"), inner), value(2.0, "bonus"))
    >>> [(signal.label, signal.value, signal.share) for signal in list_signals(tree)]
    [('bonus', 2.0, 0.5), ('vector', 1.5, 0.375), ('lexical', 0.5, 0.125)]
    """
    signals = [
        Signal(
            addend.node.description,
            addend.value,
            _share(addend.value, tree),
            addend.group,
            tuple(_matched_words(addend.node)),
        )
        for addend in _addends(tree, 1.0, is_root=True)
    ]
    return tuple(sorted(signals, key=lambda signal: -signal.value))


class _Addend(NamedTuple):
    """A node whose value is one addend of a score."""

    node: Explanation
    value: float
    group: str


def _share(part: float, tree: Explanation) -> float:
    return part / tree.value if tree.value else 0.0


def _addends(node: Explanation, factor: float, above: Group = UNSET, *, is_root: bool = False) -> Iterator[_Addend]:
    """Yield the addends of a node with their groups.

    A group is the own one, else that of a part, else that of a node above.
    """
    above = above if node.group is UNSET else node.group
    if _is_additive(node) or (is_root and node.operation == "sum"):
        for part in node.parts:
            yield from _addends(part, factor, above)
    elif node.operation == "product" and (inner := _first_computed(node)) is not None and _is_additive(inner):
        others = prod(part.value for part in node.parts if part is not inner)
        yield from _addends(inner, factor * others, above)
    elif node.operation == "quotient" and _is_additive(node.parts[0]) and node.parts[1].value:
        yield from _addends(node.parts[0], factor / node.parts[1].value, above)
    elif node.operation == "max" and node.parts:
        yield from _addends(max(node.parts, key=lambda part: part.value), factor, above)
    else:
        yield _Addend(node, factor * node.value, find_group(node) or above or "")


def _first_computed(node: Explanation) -> Explanation | None:
    """Return the first part of a product that is no plain value.

    It is the score, and the parts behind it are factors, whose sums are no signals.
    """
    return next((part for part in node.parts if part.operation != "value"), None)


def _is_additive(node: Explanation) -> bool:
    """Return whether the parts of a sum are signals.

    A negative plain value is an offset, as in `cosine − min`: its sum is one quantity.
    """
    is_offset = any(part.operation == "value" and part.value < 0.0 for part in node.parts)
    return node.operation == "sum" and bool(node.parts) and not is_offset


def _matched_words(node: Explanation) -> Iterator[tuple[str, float]]:
    """List the words of the lexical score: a sum with a product of plain values per word."""
    if _is_additive(node) and all(_is_plain_product(part) for part in node.parts):
        words = sorted(node.parts, key=lambda part: -part.value)
        yield from ((word.description, word.value / node.value if node.value else 0.0) for word in words)
        return
    for part in node.parts:
        words_below = tuple(_matched_words(part))
        if words_below:
            yield from words_below
            return


def _is_plain_product(node: Explanation) -> bool:
    return node.operation == "product" and all(part.operation == "value" for part in node.parts)


def summary_lines(tree: Explanation, relevance: float | None = None, indent: str = "   ") -> "Iterator[Line]":
    """Show each signal with its share of the score, and the words that matched."""
    signals = list_signals(tree)
    shown = signals[:_MAX_SIGNALS]
    width = max(len(_label(signal.label)) for signal in shown)
    for signal in shown:
        yield _bar_line(f"{indent}{_label(signal.label).ljust(width)} ", signal)
        for word, share in signal.words[:_MAX_WORDS]:
            yield [(f"{indent}  {word}  {share:.0%}", "dim")]
        if len(signal.words) > _MAX_WORDS:
            yield [(f"{indent}  and {len(signal.words) - _MAX_WORDS} more words", "dim")]
    if len(signals) > len(shown):
        remaining = sum(signal.value for signal in signals[len(shown) :])
        yield [(f"{indent}and {len(signals) - len(shown)} more signals: {remaining:.4f}", "dim")]
    if any(addend.node is tree for addend in _addends(tree, 1.0, is_root=True)):  # it cannot be decomposed
        yield from ([(f"{indent}  {part.value:.4g}  {part.description}", "dim")] for part in tree.parts)
    if relevance is not None:
        yield [(f"{indent}estimated relevance {relevance:.2f}", "dim")]


def _bar_line(label: str, signal: Signal) -> "Line":
    filled = min(max(round(signal.share * _BAR_CELLS), 0), _BAR_CELLS)
    empty = _BAR_CELLS - filled
    return [(label, ""), ("█" * filled, "green"), ("░" * empty, "dim"), (f" {signal.value:.4f}", "")]


def _label(description: str) -> str:
    return description if len(description) <= _MAX_LABEL else f"{description[: _MAX_LABEL - 1]}…"


def tree_lines(tree: Explanation, indent: str = "   ", branch: str = "", below: str = "") -> "Iterator[Line]":
    """Show a tree, on each line a value, its operation on the lines below and its description."""
    operation = "" if tree.operation == "value" else f" = {tree.operation} of"
    yield [(indent + branch, "dim"), (f"{tree.value:.6g}{operation}", "green"), (f"  {tree.description}", "")]
    for number, part in enumerate(tree.parts, start=1):
        is_last = number == len(tree.parts)
        yield from tree_lines(part, indent + below, "└─ " if is_last else "├─ ", "   " if is_last else "│  ")
