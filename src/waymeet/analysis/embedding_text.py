"""What a model of meaning is shown of a chunk, and in which language that is."""

from waymeet.analysis.keys import TRIGGER_PREFIX
from waymeet.analysis.languages import detect_language
from waymeet.types import Chunk, Document

FORMAT_VERSION = 2
"""The manner in which chunks are shown to models: part of the name of every space, so that a change embeds all anew."""
_MOSTLY = 0.5
_ROOM = 200
"""Characters for what calls for a document: models read a few hundred words in all."""


def embedding_text(chunk: Chunk, document: Document | None) -> str:
    r"""Say what a model is shown of a chunk: the document's title, the headings above it, what calls for it, its text.

    >>> page = Document("a.md", "skills", "A", tags=("release",), names=("c:ship it",))
    >>> embedding_text(Chunk("a.md#L1-L2", "a.md", 0, 1, 2, "Body.", ("Top", "Part")), page)
    'A\nTop > Part\nrelease, ship it\nBody.'
    """
    parts = (document.title if document else "", " > ".join(chunk.headings), _calls(document), chunk.text)
    return "\n".join(part for part in parts if part)


def _calls(document: Document | None) -> str:
    """List a document's tags and the phrases that call for it, as far as they leave room for its text.

    The text may not say what it is for.
    """
    if document is None:
        return ""
    triggers = (name.removeprefix(TRIGGER_PREFIX) for name in document.names if name.startswith(TRIGGER_PREFIX))
    calls, room = [], _ROOM
    for each in (*document.tags, *triggers):
        room -= len(each) + 2
        if room < 0:
            break
        calls.append(each)
    return ", ".join(calls)


def chunk_language(chunk: Chunk, document: Document | None) -> str:
    """Tell the language of a chunk; a few foreign comments do not make code foreign."""
    return detect_language(chunk.text, _MOSTLY) if document and document.kind == "code" else detect_language(chunk.text)
