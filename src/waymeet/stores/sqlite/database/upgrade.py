"""Upgrade of an index file of format 7, 8 or 9, in place and in one transaction.

Documents, vectors and segments of words stay as they are: all ids are kept. Only the form of the rows changes. If the
process is killed, the transaction is rolled back and the next one starts again.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import apsw
from msgspec import json

from waymeet.stores.segments.posting_codec import unpack_terms
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.database.rows import chunk_row
from waymeet.stores.sqlite.database.schema import CONTENT, TRIGGERS
from waymeet.stores.sqlite.database.term_codec import pack_document_terms, pack_link_terms
from waymeet.stores.sqlite.database.text_blocks import pack_names
from waymeet.stores.sqlite.database.upgrade_terms import upgrade_terms
from waymeet.stores.sqlite.database.upgrade_vectors import upgrade_vectors
from waymeet.types import Chunk, Link, Symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

_OLD_TABLES = ("documents", "names", "terms", "chunks", "edges", "edge_refs")
_OLD_OBJECTS = """
DROP TRIGGER edge_inserted; DROP TRIGGER edge_retargeted; DROP TRIGGER edge_deleted; DROP TRIGGER document_deleted;
DROP INDEX documents_by_kind; DROP INDEX documents_by_role; DROP INDEX chunks_by_document; DROP INDEX edges_by_target;
DROP INDEX chunks_not_embedded;
"""
_COPY_TERMS = """
INSERT INTO terms SELECT term, id FROM old_terms ORDER BY term;
INSERT INTO counters SELECT 'last_term', ifnull(max(id), 0) FROM old_terms;
INSERT INTO edge_kinds (name) SELECT DISTINCT kind FROM old_edges ORDER BY kind;
"""
_DOCUMENTS = """
SELECT id, path, kind, title, doc_type, language, tags, properties, digest, size, modified_ns, lines, namespace, role,
    changed_ns, changed_by, (SELECT COUNT(*) FROM old_edges e WHERE e.source = d.id), names, terms
FROM old_documents d ORDER BY id
"""
_CHUNKS = """
SELECT c.document, d.path, c.id, c.key, c.ordinal, c.first, c.last, c.text, c.headings, c.anchors, c.symbols,
    c.is_embedded, c.terms
FROM old_chunks c JOIN old_documents d ON d.id = c.document ORDER BY c.id
"""
_EDGES = """
SELECT source, id, ordinal, kind, anchor, source_anchor, text, sentence, line, terms, target
FROM old_edges INDEXED BY edges_by_source ORDER BY source, ordinal
"""
_REFS = "SELECT key FROM old_edge_refs WHERE edge = ? ORDER BY rank"
_CHUNK_INDEX = """
DROP INDEX chunks_by_document;
CREATE INDEX chunks_by_document ON chunks (document, first, ordinal);
"""
_MIN_FREE_SHARE = 0.25
_CONTENT_VERSION = 8
"""The first format with today's tables of content."""
_VECTORS_VERSION = 9
"""The first format with today's tables of vectors."""

_strings = json.Decoder(tuple[str, ...])
_symbols = json.Decoder(tuple[Symbol, ...])


def upgrade_tables(connection: apsw.Connection, version: int) -> None:
    """Convert the tables of a format, inside a transaction."""
    if version < _CONTENT_VERSION:
        upgrade_content(connection)
    else:
        connection.execute(_CHUNK_INDEX)
        upgrade_terms(connection)
    if version < _VECTORS_VERSION:
        upgrade_vectors(connection)


def upgrade_content(connection: apsw.Connection) -> None:
    """Convert the tables with the content of documents from format 7 to 8."""
    connection.execute(_OLD_OBJECTS)
    for table in _OLD_TABLES:
        connection.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    connection.execute(CONTENT)
    connection.execute(_COPY_TERMS)
    chunks = _convert_chunks(connection)
    _convert_documents(connection, chunks)
    _convert_edges(connection)
    for table in _OLD_TABLES:
        connection.execute(f"DROP TABLE old_{table}")
    connection.execute(TRIGGERS)


def release_free_pages(connection: apsw.Connection) -> None:
    """Return the free pages of an upgraded file to the file system.

    Without it they are used for later changes. So neither another process that reads nor a full disk is an error.
    """
    free, pages = (connection.execute(f"PRAGMA {name}").get for name in ("freelist_count", "page_count"))
    if free > _MIN_FREE_SHARE * pages:
        with suppress(apsw.BusyError, apsw.LockedError, apsw.FullError):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _convert_chunks(connection: apsw.Connection) -> dict[int, list[bytes]]:
    """Convert the chunks, and return their packed terms by document."""
    from waymeet.stores.sqlite.write.documents import insert_texts  # noqa: PLC0415 - it imports half the store

    terms: dict[int, list[bytes]] = {}
    for document, rows in groupby(connection.execute(_CHUNKS), itemgetter(0)):
        own = list(rows)
        first = own[0][2]
        if document in terms or [row[2] for row in own] != list(range(first, first + len(own))):
            raise UnreadableError("the sections of a document do not follow each other")
        chunks = [_read_chunk(row) for row in own]
        connection.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (chunk_row(first + position, document, chunk) for position, chunk in enumerate(chunks)),
        )
        insert_texts(connection, [(first, chunks)])
        terms[document] = [row[-1] for row in own]
    return terms


def _read_chunk(row: tuple[Any, ...]) -> Chunk:
    _, path, _, key, ordinal, first, last, text, headings, anchors, symbols, is_embedded, _ = row
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


def _convert_documents(connection: apsw.Connection, chunk_terms: Mapping[int, list[bytes]]) -> None:
    from waymeet.stores.sqlite.write.documents import insert_names  # noqa: PLC0415 - likewise

    for id_, path, *columns, links, names, terms in connection.execute(_DOCUMENTS):
        keys = _strings.decode(names)
        of_chunks = chunk_terms.get(id_, [])
        row = (id_, path, *columns, len(of_chunks), links, pack_names(path, keys))
        connection.execute(f"INSERT INTO documents VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608 - marks
        fields = [_read_fields(packed) for packed in (terms, *of_chunks)]
        ids = {term: term for own in fields for counts in own.values() for term in counts}
        packed = pack_document_terms(fields, ids)
        connection.execute("INSERT INTO document_terms VALUES (?, ?)", (id_, packed))
        insert_names(connection, [(id_, keys)])


def _read_fields(packed: bytes) -> dict[str, dict[int, int]]:
    fields: dict[str, dict[int, int]] = {}
    for term, field, frequency in unpack_terms(packed):
        fields.setdefault(field, {})[term] = frequency
    return fields


def _convert_edges(connection: apsw.Connection) -> None:
    from waymeet.stores.sqlite.write.edges import insert_link_texts  # noqa: PLC0415 - likewise

    kinds: dict[str, int] = dict(connection.execute("SELECT name, id FROM edge_kinds"))
    for source, rows in groupby(connection.execute(_EDGES), itemgetter(0)):
        links = []
        for ordinal, (_, edge, stored_ordinal, kind, *details, terms, target) in enumerate(rows):
            if ordinal != stored_ordinal:
                raise UnreadableError("the links of a document do not follow each other")
            refs = tuple(key for (key,) in connection.execute(_REFS, (edge,)))
            links.append(Link(refs, kind, *details))
            packed = pack_link_terms((term, frequency) for term, _, frequency in unpack_terms(terms))
            connection.execute(
                "INSERT INTO edges VALUES (?, ?, ?, ?, ?)", (source, ordinal, kinds[kind], packed, target)
            )
        insert_link_texts(connection, [(source, links)])
