"""How things hang together: links as written, and edges as resolved."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

INFERRED_KINDS = frozenset({"mentions", "imports", "calls", "contains", "translation"})
"""Kinds of links that nobody wrote as links: what they look for may well lie outside the project."""


class Node(NamedTuple):
    """An end of an edge: a document, or a place in it."""

    document: str
    anchor: str = ""


class Link(Struct, frozen=True):
    """A link as its document writes it. The store finds out where it leads, now or when the target appears."""

    refs: tuple[str, ...]
    """Keys to look for among the names of documents, the best first."""
    kind: str = "references"
    anchor: str = ""
    """The place inside the target, if the link names one."""
    source_anchor: str = ""
    """The section of its own document that holds it."""
    text: str = ""
    sentence: str = ""
    line: int = 0
    terms: Mapping[str, int] = {}
    """What the link says of its target: terms of the source's title, the link's text and its sentence."""


class Edge(Struct, frozen=True):
    """A typed connection with the words that made it."""

    source: Node
    target: Node | None
    """None while the link dangles."""
    kind: str
    text: str = ""
    sentence: str = ""
    ref: str = ""
    """The first key the link was looked for under; for a dangling link, the name that is missing."""
    line: int = 0


class Reached(Struct, frozen=True, gc=False):
    """A document found by walking the graph (`gc=False`: there are hundreds, and none can lead back to itself)."""

    document: str
    hops: int
