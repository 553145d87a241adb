"""The registry of segments: the segment of each document, and deleted positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.segments.posting_codec import DocumentTerms
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.database.term_codec import unpack_document_terms, unpack_link_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import apsw

    from waymeet.stores.segments.array_file import ArrayFile
    from waymeet.stores.sqlite.database.sessions import Session

_NEXT_GENERATION = "(SELECT value + 1 FROM counters WHERE key = 'generation')"
_MARK_DELETED = """
INSERT OR IGNORE INTO deleted_documents
SELECT segment, position FROM document_segments WHERE document = ? AND segment IS NOT NULL
"""
_UNASSIGN = f"INSERT OR REPLACE INTO document_segments VALUES (?, {_NEXT_GENERATION}, NULL, NULL)"  # noqa: S608 - a constant
_ASSIGN = """
UPDATE document_segments SET segment = ?, position = ? WHERE document = ? AND version = ? AND segment IS NULL
"""
_CHUNKS = "SELECT id, ordinal FROM chunks WHERE document = ? ORDER BY id"
_LINK_TERMS = """
SELECT terms FROM edges WHERE target = ?1 AND target <> source UNION ALL
SELECT terms FROM edges WHERE source = ?1 AND target = ?1
"""
_LOCATIONS = """
SELECT c.id, s.segment, s.position FROM chunks c JOIN document_segments s ON s.document = c.document WHERE c.id = ?
"""
_COUNT_BUFFERED = """
SELECT COUNT(*) FROM document_segments s JOIN chunks c ON c.document = s.document WHERE s.segment IS NULL
"""


def unassign(connection: apsw.Connection, documents: Iterable[int]) -> None:
    """Move documents to the buffer, because their terms in segments are outdated."""
    bindings = [(document,) for document in documents]
    connection.executemany(_MARK_DELETED, bindings)
    connection.executemany(_UNASSIGN, bindings)


def remove(connection: apsw.Connection, documents: Iterable[int]) -> None:
    """Remove dropped documents from the registry."""
    bindings = [(document,) for document in documents]
    connection.executemany(_MARK_DELETED, bindings)
    connection.executemany("DELETE FROM document_segments WHERE document = ?", bindings)


def list_buffered(connection: apsw.Connection) -> list[tuple[int, int]]:
    """List the documents without a segment, with their versions, in the order of paths."""
    return _list_documents(connection, "IS NULL", ())


def count_buffered_chunks(connection: apsw.Connection) -> int:
    """Count the chunks of documents without a segment."""
    count: int = connection.execute(_COUNT_BUFFERED).get
    return count


def list_documents_in(connection: apsw.Connection, segments: Sequence[int]) -> list[tuple[int, int]]:
    """List the live documents of segments, with their versions, in the order of paths."""
    return _list_documents(connection, f"IN ({', '.join('?' * len(segments))})", segments)


def _list_documents(connection: apsw.Connection, condition: str, values: Sequence[int]) -> list[tuple[int, int]]:
    sql = f"""
    SELECT s.document, s.version FROM document_segments s JOIN documents d ON d.id = s.document
    WHERE s.segment {condition} ORDER BY d.path
    """  # noqa: S608 - values are bound
    return [(document, version) for document, version in connection.execute(sql, tuple(values))]


def read_terms(connection: apsw.Connection, documents: Iterable[int]) -> Iterator[DocumentTerms]:
    """Read the terms of documents, of the links to them and of their chunks."""
    for document in documents:
        data = connection.execute("SELECT data FROM document_terms WHERE document = ?", (document,)).get
        chunks = list(connection.execute(_CHUNKS, (document,)))
        own, *of_chunks = unpack_document_terms(data) if data is not None else [b""]
        if len(chunks) != len(of_chunks):
            raise UnreadableError(f"the terms of document {document} are incomplete")
        link_terms = [unpack_link_terms(packed) for (packed,) in connection.execute(_LINK_TERMS, (document,)) if packed]
        rows = sorted((ordinal, chunk, terms) for (chunk, ordinal), terms in zip(chunks, of_chunks, strict=True))
        yield DocumentTerms(document, b"".join((own, *link_terms)), [(chunk, terms) for _, chunk, terms in rows])


def locate_documents(session: Session, documents: Iterable[int]) -> tuple[list[ArrayFile], list[tuple[int, int]]]:
    """List the segments of documents, and the place of each document.

    A place is the index of the segment and the position in it.
    """
    sql = "SELECT segment, position FROM document_segments WHERE document = ?"
    places = list(session.connection.executemany(sql, ((document,) for document in documents)))
    numbers = {segment: number for number, segment in enumerate(sorted({segment for segment, _ in places}))}
    return [session.segments[segment] for segment in numbers], [(numbers[segment], at) for segment, at in places]


def register(connection: apsw.Connection, file: str, documents: Sequence[tuple[int, int]]) -> int:
    """Register a new segment with its documents, given in its order with their versions.

    A document that changed since its version was read is marked as deleted in the segment.
    """
    connection.execute("INSERT INTO segments (file) VALUES (?)", (file,))
    segment = connection.last_insert_rowid()
    deleted = []
    for position, (document, version) in enumerate(documents):
        connection.execute(_ASSIGN, (segment, position, document, version))
        if not connection.changes():
            deleted.append((segment, position))
    connection.executemany("INSERT INTO deleted_documents VALUES (?, ?)", deleted)
    raise_registry_version(connection)
    return segment


def drop_segments(connection: apsw.Connection, segments: Iterable[int]) -> None:
    """Remove segments from the registry and move their documents to the buffer."""
    for segment in segments:
        connection.execute("UPDATE document_segments SET segment = NULL, position = NULL WHERE segment = ?", (segment,))
        connection.execute("DELETE FROM deleted_documents WHERE segment = ?", (segment,))
        connection.execute("DELETE FROM segments WHERE id = ?", (segment,))
    raise_registry_version(connection)


def list_segments(connection: apsw.Connection) -> dict[int, str]:
    """Return the files of all segments by id, the oldest first."""
    return dict(connection.execute("SELECT id, file FROM segments ORDER BY id"))


def registered_files(connection: apsw.Connection) -> set[str]:
    """Return the names of all registered segments, vector files and link files."""
    sql = "SELECT file FROM segments UNION ALL SELECT file FROM vector_segments UNION ALL SELECT file FROM link_files"
    return {file for (file,) in connection.execute(sql)}


def deleted_positions(connection: apsw.Connection) -> Mapping[int, set[int]]:
    """Return the positions of deleted documents, by segment."""
    positions: dict[int, set[int]] = {}
    for segment, position in connection.execute("SELECT segment, position FROM deleted_documents"):
        positions.setdefault(segment, set()).add(position)
    return positions


def locate_chunks(connection: apsw.Connection, chunks: Iterable[int]) -> dict[int, tuple[int | None, int | None]]:
    """Return segment and position of the documents of chunks, by chunk."""
    rows = connection.executemany(_LOCATIONS, ((chunk,) for chunk in chunks))
    return {chunk: (segment, position) for chunk, segment, position in rows}


def raise_registry_version(connection: apsw.Connection) -> None:
    """Increment the registry version, so that readers map the files again."""
    connection.execute("UPDATE counters SET value = value + 1 WHERE key = 'registry_version'")
