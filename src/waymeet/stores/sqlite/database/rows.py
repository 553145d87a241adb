"""Conversion between types and rows of the tables."""

from typing import Any

from msgspec import json

from waymeet.types import Chunk, Document, Edge, Link, Node, Symbol

DOCUMENT = """
SELECT d.path, kind, title, doc_type, language, tags, properties, names, digest, size, modified_ns, lines, namespace,
    role, changed_ns, changed_by
FROM json_each(?) input CROSS JOIN documents d ON d.path = input.value
"""

CHUNK = """
SELECT c.key, d.path, c.ordinal, c.first, c.last, c.text, c.headings, c.anchors, c.symbols, c.is_embedded, c.id,
    d.title
FROM chunks c JOIN documents d ON d.id = c.document
"""
"""Select chunks with their ids and the titles of their documents. A condition must follow."""

_strings = json.Decoder(tuple[str, ...])
_pairs = json.Decoder(dict[str, str])
_symbols = json.Decoder(tuple[Symbol, ...])


def decode_properties(text: str) -> dict[str, str]:
    """Decode the properties column of a document."""
    return _pairs.decode(text)


def document_row(id_: int, document: Document, terms: bytes) -> tuple[Any, ...]:
    """Convert a document to a row of `documents`, in the order of its columns."""
    return (
        id_,
        document.id,
        document.kind,
        document.title,
        document.doc_type,
        document.language,
        _to_json(document.tags),
        _to_json(dict(document.properties)),
        _to_json(document.names),
        document.digest,
        document.size,
        document.modified_ns,
        document.lines,
        document.namespace,
        document.role,
        document.changed_ns,
        document.changed_by,
        terms,
    )


def read_document(row: tuple[Any, ...]) -> Document:
    """Convert a row selected by `DOCUMENT` to a document."""
    path, kind, title, doc_type, language, tags, properties, names, *others = row
    return Document(
        path,
        kind,
        title,
        doc_type,
        language,
        _strings.decode(tags),
        _pairs.decode(properties),
        _strings.decode(names),
        *others,
    )


def chunk_row(id_: int, document: int, chunk: Chunk, terms: bytes) -> tuple[Any, ...]:
    """Convert a chunk to a row of `chunks`, in the order of its columns."""
    return (
        id_,
        chunk.id,
        document,
        chunk.ordinal,
        chunk.start,
        chunk.end,
        _to_json(chunk.anchors),
        _to_json(chunk.headings),
        chunk.text,
        _to_json(chunk.symbols) if chunk.symbols else "",
        int(chunk.is_embedded),
        terms,
    )


def read_chunk(row: tuple[Any, ...]) -> Chunk:
    """Convert a row selected by `CHUNK` to a chunk."""
    key, path, ordinal, first, last, text, headings, anchors, symbols, is_embedded, *_ = row
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
        bool(is_embedded),
    )


def edge_row(id_: int, source: int, ordinal: int, link: Link, terms: bytes) -> tuple[Any, ...]:
    """Convert a link to a row of `edges`, in the order of its columns without the target."""
    return (
        id_,
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


def read_edge(row: tuple[Any, ...]) -> Edge:
    """Convert a row with the paths of source and target to an edge."""
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


def _to_json(value: object) -> str:
    return json.encode(value).decode()
