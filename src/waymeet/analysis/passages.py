"""What a model of meaning is shown of a chunk, and in which language that is."""

from waymeet.analysis.tongues import spoken
from waymeet.types import Chunk, Document

SHOWN = 1
"""The manner in which chunks are shown to models: part of the name of every lane, so that a change embeds all anew."""
_MOSTLY = 0.5


def passage(chunk: Chunk, document: Document | None) -> str:
    r"""Say what a model is shown of a chunk: the document's title, the headings above it, its text.

    >>> passage(Chunk("a.md#L1-L2", "a.md", 0, 1, 2, "Body.", ("Top", "Part")), Document("a.md", "docs", "A"))
    'A\nTop > Part\nBody.'
    """
    parts = (document.title if document else "", " > ".join(chunk.headings), chunk.text)
    return "\n".join(part for part in parts if part)


def language_of(chunk: Chunk, document: Document | None) -> str:
    """Tell the language of a chunk; a few foreign comments do not make code foreign."""
    return spoken(chunk.text, _MOSTLY) if document and document.kind == "code" else spoken(chunk.text)
