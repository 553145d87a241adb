"""Which documents are embedded first: those that will be missed most while vectors are still being made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waymeet.types import Document

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
