"""Text of a whole file, as an embedding model gets it.

A change of it needs a new version in `space_names.py`.
"""

import re
from collections.abc import Iterable, Sequence

from waymeet.analysis.embedded.section_text import chunk_language
from waymeet.analysis.languages import detect_language
from waymeet.types import Chunk, Document

_MAX_CHARS = 600
"""Characters of a text: the purpose of a file is in its first names."""
_SEPARATORS = re.compile(r"[/\\._:-]+")


def file_embedding_text(document: Document, chunks: Sequence[Chunk], imports: Iterable[str] = ()) -> str:
    r"""Build the text to embed: path and title, then exported names and imports, or headings.

    >>> page = Document("docs/setup-guide.md", "docs", "Setup")
    >>> file_embedding_text(page, [Chunk("", "", 0, 1, 1, "", ("Setup", "Keys")), Chunk("", "", 1, 2, 2, "")])
    'docs setup guide md\nSetup\nKeys'
    >>> file_embedding_text(Document("img/logo.png", "files", "logo.png"), [])
    'img logo png'
    """
    title = document.title if document.title not in document.id else ""
    if document.kind == "code":
        parts = [_exported_names(chunks), _join(map(split_path, imports), "imports ")]
    else:
        parts = [_join(heading for chunk in chunks for heading in chunk.headings if heading != document.title)]
    text = "\n".join(part for part in (split_path(document.id), title, *parts) if part)
    return text[:_MAX_CHARS]


def file_language(document: Document, chunks: Sequence[Chunk], text: str) -> str:
    """Detect the language of a file: that of its first section, else of the text to embed."""
    return chunk_language(chunks[0], document) if chunks and chunks[0].text else detect_language(text)


def split_path(path: str) -> str:
    """Split a path or module name into words.

    >>> split_path("src/lib/docs_search.ts"), split_path("waymeet.search.state")
    ('src lib docs search ts', 'waymeet search state')
    """
    return " ".join(_SEPARATORS.sub(" ", path).replace("_", " ").split())


def _exported_names(chunks: Sequence[Chunk]) -> str:
    """List the exported symbols, those at the top level first."""
    symbols = (symbol for chunk in chunks for symbol in chunk.symbols if symbol.exported)
    names = [symbol.name.partition("~")[0] for symbol in symbols if symbol.kind != "code_block"]
    return _join(sorted(names, key=lambda name: "." in name))


def _join(names: Iterable[str], label: str = "") -> str:
    joined = ", ".join(dict.fromkeys(name for name in names if name))
    return f"{label}{joined}" if joined else ""
