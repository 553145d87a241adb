"""Hashes of keys, and texts as the tables contain them."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct, json

from waymeet.types import Chunk, Document, Edge, Node, Symbol

if TYPE_CHECKING:
    from waymeet.types import Link

_ESCAPE = "\ufdd0"
"""A code point that is never a character. It marks an escape in text columns, which cannot contain NUL."""
_ESCAPES = ((_ESCAPE, f"{_ESCAPE}1"), ("\x00", f"{_ESCAPE}0"))


@lru_cache(maxsize=100_000)
def hash_key(key: str) -> int:
    """Compute the hash of a term, a name or a chunk's id.

    It has 64 bits: among a million keys two are equal with a probability below one in ten million.
    """
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "little", signed=True)


def escape_text(text: str) -> str:
    r"""Replace NUL by an escape, for a text column.

    >>> unescape_text(escape_text("a\x00b")), escape_text("a")
    ('a\x00b', 'a')
    """
    for plain, escaped in _ESCAPES:
        text = text.replace(plain, escaped)
    return text


def unescape_text(text: str) -> str:
    """Reverse `escape_text`."""
    for plain, escaped in reversed(_ESCAPES):
        text = text.replace(escaped, plain)
    return text


class _ChunkContent(Struct, frozen=True, array_like=True):
    """What is read of a chunk as a whole."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    anchors: tuple[str, ...]
    symbols: tuple[Symbol, ...]


class LinkContent(Struct, frozen=True, array_like=True):
    """What is read of a link as a whole."""

    refs: tuple[str, ...]
    anchor: str
    source_anchor: str
    text: str
    sentence: str
    line: int


_encode = json.Encoder().encode
_documents = json.Decoder(Document)
_chunks = json.Decoder(_ChunkContent)
_links = json.Decoder(LinkContent)


def encode_document(document: Document) -> str:
    """Encode a document as JSON."""
    return _encode(document).decode()


def decode_document(content: str, changed_ns: int, changed_by: str) -> Document:
    """Decode a document. Its date may have changed since it was stored."""
    document = _documents.decode(content)
    if (document.changed_ns, document.changed_by) == (changed_ns, changed_by):
        return document
    fields = {name: getattr(document, name) for name in document.__struct_fields__}
    return Document(**fields | {"changed_ns": changed_ns, "changed_by": changed_by})


def encode_chunk(chunk: Chunk) -> str:
    """Encode the content of a chunk as JSON."""
    content = _ChunkContent(chunk.start, chunk.end, chunk.text, chunk.headings, chunk.anchors, chunk.symbols)
    return _encode(content).decode()


def decode_chunk(key: str, document: str, ordinal: int, is_embedded: bool, content: str) -> Chunk:
    """Decode a chunk from the columns of its row."""
    parts = _chunks.decode(content)
    return Chunk(
        unescape_text(key),
        unescape_text(document),
        ordinal,
        parts.start,
        parts.end,
        parts.text,
        parts.headings,
        parts.anchors,
        parts.symbols,
        is_embedded,
    )


def encode_link(link: Link) -> str:
    """Encode the content of a link as JSON."""
    return _encode(
        LinkContent(link.refs, link.anchor, link.source_anchor, link.text, link.sentence, link.line)
    ).decode()


def decode_link(content: str) -> LinkContent:
    """Decode the content of a link."""
    return _links.decode(content)


def decode_edge(source: str, target: str | None, kind: str, content: str) -> Edge:
    """Decode an edge from the columns of its row."""
    link = _links.decode(content)
    return Edge(
        Node(unescape_text(source), link.source_anchor),
        None if target is None else Node(unescape_text(target), link.anchor),
        unescape_text(kind),
        link.text,
        link.sentence,
        link.refs[0] if link.refs else "",
        link.line,
    )
