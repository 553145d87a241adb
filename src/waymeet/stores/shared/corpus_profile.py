"""The corpus profile, and the order in which chunks are embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.ports import CorpusProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from waymeet.stores.shared.bm25f import Statistics
    from waymeet.types import Document


_WITHOUT_CONTENT = frozenset({"folders", "files"})
"""Kinds of documents known by their path alone."""


def build_profile(
    kinds: Mapping[str, int], roles: Mapping[str, int], chunks: int, statistics: Statistics
) -> CorpusProfile:
    """Build the profile from counts of documents and chunks, and from the field lengths."""
    with_content = sum(number for kind, number in kinds.items() if kind not in _WITHOUT_CONTENT)
    return CorpusProfile(with_content, kinds.get("code", 0), chunks, statistics.averages.get("body", 0.0), roles)


URGENCY_STEPS = (1, 4, 16, 64)
"""Numbers of linking documents that raise the urgency by one step. Within a step, the most recently changed documents
come first, so that neither links nor dates decide alone."""
STRUCTURE_KIND = "contains"
"""Links of this kind connect a folder with its files. They do not make a document more urgent."""
LAST_KIND = "folders"
"""Documents of this kind come last: they are rarely searched for."""


def urgency(document: Document, linking: int) -> tuple[bool, int, int]:
    """Return a sort key that puts the documents to embed first to the front.

    >>> from waymeet.types import Document
    >>> old, new = Document("a", "docs", "A", changed_ns=1), Document("b", "docs", "B", changed_ns=2)
    >>> urgency(new, 3) < urgency(old, 2) < urgency(new, 0)
    True
    """
    return document.kind == LAST_KIND, -sum(linking >= step for step in URGENCY_STEPS), -document.changed_ns
