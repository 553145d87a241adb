"""Nouns to rows and back."""

from typing import Any

from msgspec import json

from waymeet.types import Chunk, Document, Edge, Link, Node, Symbol

DOCUMENT = """
SELECT d.path, kind, title, doc_type, language, tags, properties, names, digest, size, modified_ns, lines, namespace
FROM json_each(?) wanted CROSS JOIN documents d ON d.path = wanted.value
"""

CHUNK = """
SELECT c.key, d.path, c.ordinal, c.first, c.last, c.text, c.headings, c.anchors, c.symbols, c.id, d.title
FROM chunks c JOIN documents d ON d.id = c.document
"""
"""Selects chunks with their numbers and the titles of their documents; to be followed by a condition."""

_strings = json.Decoder(tuple[str, ...])
_pairs = json.Decoder(dict[str, str])
_symbols = json.Decoder(tuple[Symbol, ...])


def properties_of(written: str) -> dict[str, str]:
    """Read the properties of a document as its row keeps them."""
    return _pairs.decode(written)


def document_row(number: int, document: Document, terms: bytes) -> tuple[Any, ...]:
    """Give a document's row of `documents`, in the order of its columns."""
    return (
        number,
        document.id,
        document.kind,
        document.title,
        document.doc_type,
        document.language,
        _text(document.tags),
        _text(dict(document.properties)),
        _text(document.names),
        document.digest,
        document.size,
        document.modified_ns,
        document.lines,
        document.namespace,
        terms,
    )


def document_of(row: tuple[Any, ...]) -> Document:
    """Make a document of a row that `DOCUMENT` selected."""
    path, kind, title, doc_type, language, tags, properties, names, *rest = row
    return Document(
        path,
        kind,
        title,
        doc_type,
        language,
        _strings.decode(tags),
        _pairs.decode(properties),
        _strings.decode(names),
        *rest,
    )


def chunk_row(number: int, document: int, chunk: Chunk, terms: bytes) -> tuple[Any, ...]:
    """Give a chunk's row of `chunks`, in the order of its columns."""
    return (
        number,
        chunk.id,
        document,
        chunk.ordinal,
        chunk.start,
        chunk.end,
        _text(chunk.anchors),
        _text(chunk.headings),
        chunk.text,
        _text(chunk.symbols) if chunk.symbols else "",
        terms,
    )


def chunk_of(row: tuple[Any, ...]) -> Chunk:
    """Make a chunk of a row that `CHUNK` selected."""
    key, path, ordinal, first, last, text, headings, anchors, symbols, *_ = row
    return Chunk(
        key,
        path,
        ordinal,
        first,
        last,
        text,
        _strings.decode(headings),
        _strings.decode(anchors),
        _symbols.decode(symbols) if symbols else (),
    )


def edge_row(number: int, source: int, ordinal: int, link: Link, terms: bytes) -> tuple[Any, ...]:
    """Give a link's row of `edges`, in the order of its columns but for the target."""
    return (
        number,
        source,
        ordinal,
        link.kind,
        link.source_anchor,
        link.anchor,
        link.text,
        link.sentence,
        link.refs[0] if link.refs else "",
        link.line,
        terms,
    )


def edge_of(row: tuple[Any, ...]) -> Edge:
    """Make an edge of a row that names source and target by their paths."""
    source, source_anchor, target, anchor, kind, text, sentence, ref, line = row
    return Edge(
        source=Node(source, source_anchor),
        target=None if target is None else Node(target, anchor),
        kind=kind,
        text=text,
        sentence=sentence,
        ref=ref,
        line=line,
    )


def _text(value: object) -> str:
    return json.encode(value).decode()
