"""The segments of a collection: which documents they have, and which of those changed since."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.postgres.segments.term_rows import pack_link_terms, read_row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from waymeet.stores.lexical.lexicon import Place
    from waymeet.stores.postgres.database.session import Session, WriteSession
    from waymeet.stores.postgres.segments.posting_blocks import EncodedSegment
    from waymeet.stores.segments.posting_codec import DocumentTerms

_MARK_DELETED = """
INSERT INTO deleted_documents SELECT collection_id, segment, position FROM document_segments
WHERE collection_id = %s AND document = ANY(%s) AND segment IS NOT NULL ON CONFLICT DO NOTHING
"""
_UNASSIGN = """
UPDATE document_segments SET segment = NULL, position = NULL, version = %s
WHERE collection_id = %s AND document = ANY(%s)
"""
_REMOVE = "DELETE FROM document_segments WHERE collection_id = %s AND document = ANY(%s)"
_BUFFERED_CHUNKS = """
SELECT coalesce(sum(chunks), 0) FROM document_segments WHERE collection_id = %s AND segment IS NULL
"""
_BUFFERED = "SELECT document, version FROM document_segments WHERE collection_id = %s AND segment IS NULL"
_SEGMENTS = """
SELECT s.id, s.chunks, ARRAY(SELECT d.position FROM deleted_documents d
    WHERE d.collection_id = s.collection_id AND d.segment = s.id)
FROM segments s WHERE s.collection_id = %s ORDER BY s.id
"""
_ARRAYS = "SELECT id, arrays FROM segments WHERE collection_id = %s AND id = ANY(%s)"
_BLOCKS = "SELECT place, content FROM posting_blocks WHERE collection_id = %s AND place = ANY(%s)"
_TERMS = "SELECT document, chunks, sizes, content FROM document_terms WHERE collection_id = %s AND document = ANY(%s)"
_LINK_TERMS = "SELECT target, terms, frequencies FROM edges WHERE collection_id = %s AND target = ANY(%s)"
_DOCUMENTS = """
SELECT s.document, s.version, s.chunks FROM document_segments s
    JOIN documents d ON d.collection_id = s.collection_id AND d.id = s.document
WHERE s.collection_id = %s AND {condition} ORDER BY d.path
"""
_ASSIGN = """
UPDATE document_segments s SET segment = %s, position = n.position
FROM unnest(%s::int[], %s::bigint[]) WITH ORDINALITY AS m (document, version, number),
    LATERAL (SELECT (m.number - 1)::int) AS n (position)
WHERE s.collection_id = %s AND s.document = m.document AND s.version = m.version AND s.segment IS NULL
RETURNING n.position
"""
_COUNT_SEGMENTS = "SELECT count(*) FROM segments WHERE collection_id = %s AND id = ANY(%s)"
_DROP = (
    "UPDATE document_segments SET segment = NULL, position = NULL WHERE collection_id = %s AND segment = ANY(%s)",
    "DELETE FROM deleted_documents WHERE collection_id = %s AND segment = ANY(%s)",
    "DELETE FROM segments WHERE collection_id = %s AND id = ANY(%s)",
)
_DROP_BLOCKS = "DELETE FROM posting_blocks WHERE collection_id = %s AND place >= %s AND place < %s"
_REMOVE_TERMS = "DELETE FROM document_terms WHERE collection_id = %s AND document = ANY(%s)"
_PLACES = """
SELECT c.id, s.segment, s.position FROM chunks c
    JOIN document_segments s ON s.collection_id = c.collection_id AND s.document = c.document
WHERE c.collection_id = %s AND c.id = ANY(%s)
"""
_LIVE_DOCUMENTS = """
SELECT segment, count(*) FROM document_segments WHERE collection_id = %s AND segment IS NOT NULL GROUP BY segment
"""
_PLACE_BITS = 32
"""Bits of the number of a block in its place."""


class SegmentState(NamedTuple):
    """A segment with its changes in one generation."""

    id: int
    chunks: int
    deleted: frozenset[int]
    """Positions of documents that were replaced or removed since."""


class BufferedVersion(NamedTuple):
    """A document without a segment."""

    document: int
    version: int
    """The generation in which its terms last changed."""


class ListedDocument(NamedTuple):
    """A document to be written to a segment."""

    document: int
    version: int
    chunks: int


# --- reading -----------------------------------------------------------------------------------------------------


def list_segments(session: Session) -> list[SegmentState]:
    """List the segments, the oldest first."""
    return [SegmentState(id_, chunks, frozenset(deleted)) for id_, chunks, deleted in session.rows(_SEGMENTS)]


def list_buffered(session: Session) -> list[BufferedVersion]:
    """List the documents without a segment."""
    return [BufferedVersion(*row) for row in session.rows(_BUFFERED)]


def read_arrays(session: Session, segments: Collection[int]) -> dict[int, bytes]:
    """Read the arrays of segments."""
    return dict(session.rows(_ARRAYS, list(segments))) if segments else {}


def read_blocks(session: Session, blocks: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int, bytes]]:
    """Read blocks, given by segment and number."""
    places = [segment << _PLACE_BITS | number for segment, number in blocks]
    rows = session.rows(_BLOCKS, places) if places else ()
    return ((place >> _PLACE_BITS, place & (1 << _PLACE_BITS) - 1, content) for place, content in rows)


def read_terms(session: Session, documents: Collection[int]) -> dict[int, DocumentTerms]:
    """Read the terms of documents, of the links to them and of their chunks."""
    if not documents:
        return {}
    links: defaultdict[int, list[bytes]] = defaultdict(list)
    for target, terms, frequencies in session.rows(_LINK_TERMS, list(documents)):
        links[target].append(pack_link_terms(terms, frequencies))
    return {
        document: read_row(document, chunks, sizes, content, links.get(document, ()))
        for document, chunks, sizes, content in session.rows(_TERMS, list(documents))
    }


def locate_chunks(session: Session, chunks: Iterable[int]) -> dict[int, Place]:
    """Return segment and position of the documents of chunks, by chunk."""
    return {chunk: (segment, position) for chunk, segment, position in session.rows(_PLACES, list(chunks))}


def count_documents(session: Session) -> dict[int, int]:
    """Count the live documents of each segment."""
    return dict(session.rows(_LIVE_DOCUMENTS))


def list_to_flush(session: Session) -> list[ListedDocument]:
    """List the documents without a segment in the order of their paths."""
    return [ListedDocument(*row) for row in session.rows(_DOCUMENTS.format(condition="s.segment IS NULL"))]


def list_documents_in(session: Session, segments: Collection[int]) -> list[ListedDocument]:
    """List the live documents of segments in the order of their paths."""
    sql = _DOCUMENTS.format(condition="s.segment = ANY(%s)")
    return [ListedDocument(*row) for row in session.rows(sql, list(segments))] if segments else []


# --- writing -----------------------------------------------------------------------------------------------------


def insert_terms(session: WriteSession, rows: Sequence[tuple[int, list[int], list[int], bytes]]) -> None:
    """Insert the terms of documents, which are not in a segment yet.

    Rows have the document, its chunks, the numbers of terms of the document and of each chunk, and the terms.
    """
    types = ["int4", "int4[]", "int4[]", "bytea"]
    session.copy("document_terms", "document, chunks, sizes, content", types, rows)
    versions = ((document, session.generation + 1, len(chunks)) for document, chunks, *_ in rows)
    session.copy("document_segments", "document, version, chunks", ["int4", "int8", "int4"], versions)


def unassign(session: WriteSession, documents: Collection[int]) -> None:
    """Take documents from their segments, because the terms of links to them changed."""
    session.run(_MARK_DELETED, list(documents))
    session.connection.execute(_UNASSIGN, (session.generation + 1, session.collection, list(documents)))


def remove(session: WriteSession, documents: Collection[int]) -> None:
    """Remove the terms of documents."""
    for statement in (_MARK_DELETED, _REMOVE, _REMOVE_TERMS):
        session.run(statement, list(documents))


def count_buffered_chunks(session: Session | WriteSession) -> int:
    """Count the chunks of documents without a segment."""
    (number,) = session.connection.execute(_BUFFERED_CHUNKS, (session.collection,)).fetchone() or (0,)
    return int(number)


def register(session: WriteSession, segment: EncodedSegment, documents: Sequence[ListedDocument]) -> bool:
    """Store a segment with its documents, given in its order.

    A document that changed since it was read is marked as deleted in the segment. If all of them did, for example
    because another process stored them, the segment is not stored.
    """
    id_ = session.last_segment + 1
    columns = ([each.document for each in documents], [each.version for each in documents])
    rows = session.connection.execute(_ASSIGN, (id_, *columns, session.collection)).fetchall()
    if not rows:
        return False
    session.last_segment = id_
    deleted = set(range(len(documents))) - {position for (position,) in rows}
    session.copy("deleted_documents", "segment, position", ["int4"] * 2, ((id_, each) for each in sorted(deleted)))
    chunks = sum(each.chunks for each in documents)
    session.copy("segments", "id, chunks, arrays", ["int4", "int4", "bytea"], [(id_, chunks, segment.arrays)])
    blocks = ((id_ << _PLACE_BITS | number, block) for number, block in enumerate(segment.blocks))
    session.copy("posting_blocks", "place, content", ["int8", "bytea"], blocks)
    return True


def drop_segments(session: WriteSession, segments: Collection[int]) -> bool:
    """Remove segments but not their documents, unless another process removed any of them."""
    (present,) = session.run(_COUNT_SEGMENTS, list(segments)).fetchone() or (0,)
    if present < len(segments):
        return False
    for statement in _DROP:
        session.run(statement, list(segments))
    for segment in segments:
        session.run(_DROP_BLOCKS, segment << _PLACE_BITS, (segment + 1) << _PLACE_BITS)
    return True
