"""Conversion between types and rows of the tables."""

from re import compile as pattern
from typing import Any, NamedTuple

from msgspec import json

from waymeet.stores.sqlite.database.text_blocks import ChunkContent, LinkDetails, pack_names, unpack_names
from waymeet.types import Chunk, Document, Edge, Node

DOCUMENT = """
SELECT d.path, kind, title, doc_type, language, tags, properties, names, digest, size, modified_ns, lines, namespace,
    role, changed_ns, changed_by
FROM json_each(?) input CROSS JOIN documents d ON d.path = input.value
"""

KEY = "ifnull(c.key, d.path || '#L' || c.first || '-L' || c.last || c.suffix)"
"""The key of a chunk `c` of a document `d`."""

CHUNK = f"""
SELECT c.id, {KEY}, d.path, c.ordinal, c.first, c.last, c.is_embedded, d.title
FROM chunks c JOIN documents d ON d.id = c.document
"""  # noqa: S608 - our own constant
"""Select chunks with the titles of their documents. A condition must follow."""

_LINES = pattern(r"(?s)(.*)#L(0|[1-9][0-9]{0,17})-L(0|[1-9][0-9]{0,17})(.*)")

_strings = json.Decoder(tuple[str, ...])
_pairs = json.Decoder(dict[str, str])


class ChunkKey(NamedTuple):
    """The parts of a key of the form `path#L10-L24`, with anything behind it."""

    path: str
    first: int
    last: int
    suffix: str


def split_key(key: str) -> ChunkKey | None:
    """Split the key of a chunk, or return None if it has another form.

    >>> split_key("docs/a.md#L1-L12~2")
    ChunkKey(path='docs/a.md', first=1, last=12, suffix='~2')
    """
    match = _LINES.fullmatch(key)
    return ChunkKey(match[1], int(match[2]), int(match[3]), match[4]) if match else None


def decode_properties(text: str) -> dict[str, str]:
    """Decode the properties column of a document."""
    return _pairs.decode(text)


def document_row(id_: int, document: Document, chunks: int, links: int) -> tuple[Any, ...]:
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
        document.digest,
        document.size,
        document.modified_ns,
        document.lines,
        document.namespace,
        document.role,
        document.changed_ns,
        document.changed_by,
        chunks,
        links,
        pack_names(document.id, document.names),
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
        unpack_names(path, names),
        *others,
    )


def chunk_row(id_: int, document: int, chunk: Chunk) -> tuple[Any, ...]:
    """Convert a chunk to a row of `chunks`, in the order of its columns."""
    key = split_key(chunk.id)
    is_regular = key is not None and key[:3] == (chunk.document, chunk.start, chunk.end)
    return (
        id_,
        document,
        chunk.ordinal,
        chunk.start,
        chunk.end,
        key.suffix if key is not None and is_regular else "",
        None if is_regular else chunk.id,
        int(chunk.is_embedded),
    )


def read_chunk(row: tuple[Any, ...], content: ChunkContent) -> Chunk:
    """Convert a row selected by `CHUNK` and the content of a chunk to a chunk."""
    _, key, path, ordinal, first, last, is_embedded, *_ = row
    return Chunk(
        key,
        path,
        ordinal,
        first,
        last,
        content.text,
        content.headings,
        content.anchors,
        content.symbols,
        bool(is_embedded),
    )


def read_edge(source: str, kind: str, target: str | None, details: LinkDetails) -> Edge:
    """Convert the ends of a link and its details to an edge."""
    return Edge(
        Node(source, details.source_anchor),
        None if target is None else Node(target, details.anchor),
        kind,
        details.text,
        details.sentence,
        details.refs[0] if details.refs else "",
        details.line,
    )


def _to_json(value: object) -> str:
    return json.encode(value).decode()
