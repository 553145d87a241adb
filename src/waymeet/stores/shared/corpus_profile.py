"""Which documents are embedded first: those that will be missed most while vectors are still being made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.ports import CorpusProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from waymeet.stores.shared.bm25f import Statistics
    from waymeet.types import Document


_UNREAD = frozenset({"folders", "files"})
"""Kinds of documents of which nothing but the path is known."""


def textured(kinds: Mapping[str, int], chunks: int, statistics: Statistics) -> CorpusProfile:
    """Put together what is told of all texts: documents by kind, chunks, usual lengths."""
    read = sum(number for kind, number in kinds.items() if kind not in _UNREAD)
    return CorpusProfile(read, kinds.get("code", 0), chunks, statistics.averages.get("body", 0.0))


STEPS = (1, 4, 16, 64)
"""Numbers of linking documents from which on a document is a step more urgent. Among documents of a step, what was
changed last comes first, so that neither links nor freshness decide alone."""
STRUCTURE = "contains"
"""Links of this kind say where a file lies, not that anybody cares for it."""
LAST = "folders"
"""Documents of this kind come last: hardly anybody asks for them."""


def urgency(document: Document, linking: int) -> tuple[bool, int, int]:
    """Give a key that sorts the documents to embed first to the front.

    >>> from waymeet.types import Document
    >>> old, new = Document("a", "docs", "A", modified_ns=1), Document("b", "docs", "B", modified_ns=2)
    >>> urgency(new, 3) < urgency(old, 2) < urgency(new, 0)
    True
    """
    return document.kind == LAST, -sum(linking >= step for step in STEPS), -document.modified_ns
