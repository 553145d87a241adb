"""Text and language of a chunk, as an embedding model gets them."""

from collections.abc import Iterable, Mapping

from waymeet.analysis.file_roles import remove_encoded_data
from waymeet.analysis.keys import TRIGGER_PREFIX
from waymeet.analysis.languages import detect_language
from waymeet.analysis.languages.script import SAMPLE_CHARS, detect_script_language
from waymeet.types import Chunk, Document

FORMAT_VERSION = 2
"""Version of the text format. It is part of every space's name, so that a change embeds all chunks again."""
_CODE_LANGUAGE_SHARE = 0.5
"""Share of letters of another script from which code counts as written in that language."""
_MAX_TRIGGER_CHARS = 200
"""Characters for tags and trigger phrases; models read a few hundred words in all."""


def embedding_texts(chunks: Iterable[Chunk], documents: Mapping[str, Document]) -> dict[str, str]:
    """Build the texts to embed of many chunks, by id: those of a document share its triggers."""
    triggers: dict[str, str] = {}
    texts = {}
    for chunk in chunks:
        document = documents.get(chunk.document)
        if chunk.document not in triggers:
            triggers[chunk.document] = _list_triggers(document)
        texts[chunk.id] = _join_parts(chunk, document, triggers[chunk.document])
    return texts


def embedding_text(chunk: Chunk, document: Document | None) -> str:
    r"""Build the text to embed: document title, headings, tags and trigger phrases, chunk text.

    >>> page = Document("a.md", "skills", "A", tags=("release",), names=("c:ship it",))
    >>> embedding_text(Chunk("a.md#L1-L2", "a.md", 0, 1, 2, "Body.", ("Top", "Part")), page)
    'A\nTop > Part\nrelease, ship it\nBody.'
    """
    return _join_parts(chunk, document, _list_triggers(document))


def _join_parts(chunk: Chunk, document: Document | None, triggers: str) -> str:
    text = remove_encoded_data(chunk.text)
    parts = (document.title if document else "", " > ".join(chunk.headings), triggers, text)
    return "\n".join(filter(None, parts))


def _list_triggers(document: Document | None) -> str:
    """List a document's tags and trigger phrases, up to the limit.

    They name the purpose of a document, which its text may not contain.
    """
    if document is None:
        return ""
    triggers = (name.removeprefix(TRIGGER_PREFIX) for name in document.names if name.startswith(TRIGGER_PREFIX))
    phrases, available = [], _MAX_TRIGGER_CHARS
    for phrase in (*document.tags, *triggers):
        available -= len(phrase) + 2
        if available < 0:
            break
        phrases.append(phrase)
    return ", ".join(phrases)


def chunk_language(chunk: Chunk, document: Document | None) -> str:
    """Detect the language of a chunk.

    Code counts as written in a language if its letters are mostly of that script: words of comments in Latin script
    do not change what the code says.
    """
    if document and document.kind == "code":
        return detect_script_language(chunk.text[:SAMPLE_CHARS], _CODE_LANGUAGE_SHARE)
    return detect_language(chunk.text)
