"""Explanation trees: numbers with their derivation.

>>> tree = total("score", value(2.0, "a"), product("b", value(3.0, "x"), value(0.5, "y")))
>>> tree.value
3.5
>>> evaluate(tree) == tree.value
True
"""

from collections.abc import Callable, Sequence
from math import fsum, prod

from msgspec import UNSET, UnsetType

from waymeet.types import Explanation, Operation, SignalGroup

Group = SignalGroup | UnsetType
_SOURCE_GROUPS: dict[str, SignalGroup] = {"lexical": "lexical", "vector": "vector", "graph": "links"}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _quotient(values: Sequence[float]) -> float:
    numerator, denominator = values
    return numerator / denominator if denominator else 0.0


_OPERATIONS: dict[Operation, Callable[[Sequence[float]], float]] = {
    "sum": fsum,  # rounds once, so the order of the parts does not matter
    "product": prod,
    "max": lambda values: max(values, default=0.0),
    "mean": _mean,
    "quotient": _quotient,
}


def _combine(operation: Operation, description: str, parts: tuple[Explanation, ...]) -> Explanation:
    return Explanation(_OPERATIONS[operation]([part.value for part in parts]), description, operation, parts)


def value(number: float, description: str, group: Group = UNSET) -> Explanation:
    """Create a leaf: a number without parts."""
    return Explanation(number, description, "value", (), group)


def total(description: str, *parts: Explanation, group: Group = UNSET) -> Explanation:
    """Create the sum of the parts."""
    return Explanation(fsum([part.value for part in parts]), description, "sum", parts, group)


def product(description: str, *parts: Explanation, group: Group = UNSET) -> Explanation:
    """Create the product of the parts."""
    return Explanation(prod([part.value for part in parts]), description, "product", parts, group)


def group_of_source(source: str) -> Group:
    """Give the group of a ranked list by its name, which may end with a number.

    >>> group_of_source("lexical 2"), group_of_source("graph"), group_of_source("feedback")
    ('lexical', 'links', UNSET)
    """
    return _SOURCE_GROUPS.get(source.partition(" ")[0], UNSET)


def find_group(node: Explanation) -> Group:
    """Find the group of a node, or of the first part that has one.

    >>> find_group(product("weighted", value(0.5, "weight"), value(2.0, "cosine", "vector")))
    'vector'
    """
    if node.group is not UNSET:
        return node.group
    return next((group for group in map(find_group, node.parts) if group is not UNSET), UNSET)


def largest(description: str, *parts: Explanation) -> Explanation:
    """Create the maximum of the parts."""
    return _combine("max", description, parts)


def mean(description: str, *parts: Explanation) -> Explanation:
    """Create the arithmetic mean of the parts."""
    return _combine("mean", description, parts)


def quotient(description: str, numerator: Explanation, denominator: Explanation) -> Explanation:
    """Create the quotient of two parts, 0 for a division by zero."""
    return _combine("quotient", description, (numerator, denominator))


def weighted(weight: float, name: str, part: Explanation) -> Explanation:
    """Multiply a part by a named weight."""
    return product(f"{name} × {weight:.4g}", value(weight, "weight"), part)


def evaluate(tree: Explanation) -> float:
    """Compute the value of a tree from its leaves alone, ignoring inner values.

    >>> evaluate(Explanation(99.0, "wrong on purpose", "sum", (value(1.0, "a"), value(2.0, "b"))))
    3.0
    """
    if tree.operation == "value":
        return tree.value
    return _OPERATIONS[tree.operation]([evaluate(part) for part in tree.parts])
