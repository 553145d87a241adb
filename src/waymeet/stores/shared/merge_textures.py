"""What kind of texts a store holds, worked out alike in all of them."""

from collections.abc import Mapping

from waymeet.ports import Texture
from waymeet.stores.shared.bm25f import Statistics

_UNREAD = frozenset({"folders", "files"})
"""Kinds of documents of which nothing but the path is known."""


def textured(kinds: Mapping[str, int], chunks: int, statistics: Statistics) -> Texture:
    """Put together what is told of all texts: documents by kind, chunks, usual lengths."""
    read = sum(number for kind, number in kinds.items() if kind not in _UNREAD)
    return Texture(read, kinds.get("code", 0), chunks, statistics.averages.get("body", 0.0))
