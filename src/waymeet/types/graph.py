"""The link graph: links as written, and edges with resolved targets."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

INFERRED_KINDS = frozenset({"mentions", "imports", "calls", "contains", "translation"})
"""Kinds of links that are inferred rather than written; their targets may be outside the project."""


class Node(NamedTuple):
    """An end of an edge: a document, or an anchor in it."""

    document: str
    anchor: str = ""

    @property
    def is_folder(self) -> bool:
        """Whether the document is a folder: only the ids of folders end with a slash."""
        return self.document.endswith("/")


class Link(Struct, frozen=True):
    """A link as written. The store resolves its target, at once or when the target is indexed."""

    refs: tuple[str, ...]
    """Keys to look up among the names of documents, the best first."""
    kind: str = "references"
    anchor: str = ""
    """Anchor in the target, if any."""
    source_anchor: str = ""
    """Anchor of the section that contains the link."""
    text: str = ""
    sentence: str = ""
    line: int = 0
    terms: Mapping[str, int] = {}
    """Terms of the source's title, the link text and its sentence, indexed with the target."""


class Edge(Struct, frozen=True):
    """A link with its resolved target."""

    source: Node
    target: Node | None
    """None if the link is broken or external."""
    kind: str
    text: str = ""
    sentence: str = ""
    ref: str = ""
    """First lookup key; for a link without a target, the missing name."""
    line: int = 0


class Reached(Struct, frozen=True, gc=False):
    """A document reached by following links.

    `gc=False`, because there are hundreds per query, without reference cycles.
    """

    document: str
    hops: int
