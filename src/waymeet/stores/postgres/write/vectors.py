"""Storing and removing vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.analysis.embedded.space_names import is_student_space, section_space, student_space
from waymeet.stores.postgres.database.encoding import hash_key
from waymeet.stores.postgres.vector_values import encode_vectors, value_dimension

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from waymeet.ports import Vector
    from waymeet.stores.postgres.database.session import WriteSession
    from waymeet.stores.postgres.vector_values import StoredVector

_SPACES = "SELECT name, id, dimension FROM spaces WHERE collection_id = %s AND vectors > 0"
_CHUNKS = """
SELECT c.hash, c.id, c.document, d.digest FROM chunks c
    JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
WHERE c.collection_id = %s AND c.hash = ANY(%s)
"""
_WITH_VECTOR = "SELECT chunk FROM vectors WHERE collection_id = %s AND space = %s AND chunk = ANY(%s)"
_NEW_SPACE = """
INSERT INTO spaces AS s
SELECT %s, coalesce(max(id), 0) + 1, %s, %s, 0, 0 FROM spaces WHERE collection_id = %s
ON CONFLICT (collection_id, name) DO UPDATE SET dimension = excluded.dimension,
    id = CASE WHEN s.dimension = excluded.dimension THEN s.id ELSE excluded.id END
RETURNING s.id
"""
"""An empty space may get another dimension. It gets another id, too: an index on the old one has the old dimension."""
_COUNT = "UPDATE spaces SET vectors = vectors + %s, changed = %s WHERE collection_id = %s AND id = %s"
_DELETE = "DELETE FROM vectors WHERE collection_id = %s AND space = %s AND chunk = ANY(%s)"
_DELETE_SPACE = "DELETE FROM vectors WHERE collection_id = %s AND space = %s"
_DELETE_OF_DOCUMENTS = """
WITH gone AS (DELETE FROM vectors WHERE collection_id = %s AND document = ANY(%s) RETURNING space)
SELECT space, count(*) FROM gone GROUP BY space
"""


def put_vectors(
    session: WriteSession, name: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None
) -> int:
    """Store vectors of known chunks, and return their number.

    With `digests`, chunks whose document has another digest are left out. A chunk has a true vector or an approximate
    one, never both.
    """
    dimensions = {space: dimension for space, _, dimension in session.run(_SPACES)}
    return insert_vectors(session, name, encode_vectors(name, vectors, dimensions.get(name)), digests)


def insert_vectors(
    session: WriteSession, name: str, stored: Mapping[str, StoredVector], digests: Mapping[str, str] | None
) -> int:
    """Store encoded vectors of known chunks, and return their number."""
    spaces = {space: id_ for space, id_, _ in session.run(_SPACES)}
    chunks = _find_chunks(session, list(stored), digests)
    if is_student_space(name) and section_space(name) in spaces:
        numbers = [number for number, _ in chunks.values()]
        embedded = {id_ for (id_,) in session.run(_WITH_VECTOR, spaces[section_space(name)], numbers)}
        chunks = {chunk: place for chunk, place in chunks.items() if place[0] not in embedded}
    if not chunks:
        return 0
    numbers = [number for number, _ in chunks.values()]
    dimension = value_dimension(name, stored[next(iter(chunks))].value)
    (space,) = session.run(_NEW_SPACE, name, dimension, session.collection).fetchone() or (0,)
    for replaced in (space, spaces.get(student_space(name), 0)):
        _delete(session, replaced, numbers)
    rows = ((space, number, document, *stored[chunk]) for chunk, (number, document) in chunks.items())
    # The binary form of `halfvec` is written as it is: only the type of the column counts.
    session.copy("vectors", "space, chunk, document, value, embedding", ["int4"] * 3 + ["bytea"] * 2, rows)
    _count(session, space, len(chunks))
    return len(chunks)


def drop_vectors(session: WriteSession, name: str, chunks: Collection[str] | None) -> int:
    """Remove vectors of chunks from a space, or all, and return their number."""
    spaces = {space: id_ for space, id_, _ in session.run(_SPACES)}
    if name not in spaces:
        return 0
    if chunks is not None:
        numbers = [number for number, _ in _find_chunks(session, list(chunks), None).values()]
        return _delete(session, spaces[name], numbers)
    removed = session.run(_DELETE_SPACE, spaces[name]).rowcount
    _count(session, spaces[name], -removed)
    return removed


def drop_vectors_of(session: WriteSession, documents: list[int]) -> None:
    """Remove all vectors of documents."""
    for space, number in session.run(_DELETE_OF_DOCUMENTS, documents).fetchall():
        _count(session, space, -number)


def _find_chunks(
    session: WriteSession, chunks: list[str], digests: Mapping[str, str] | None
) -> dict[str, tuple[int, int]]:
    """Return number and document of the known chunks.

    With `digests`, chunks whose document has another digest are left out.
    """
    key_by_hash = {hash_key(chunk): chunk for chunk in chunks}
    rows = session.run(_CHUNKS, list(key_by_hash))
    return {
        key_by_hash[hash_]: (number, document)
        for hash_, number, document, digest in rows
        if digests is None or digests.get(key_by_hash[hash_]) == digest
    }


def _delete(session: WriteSession, space: int, chunks: list[int]) -> int:
    removed = session.run(_DELETE, space, chunks).rowcount if space else 0
    if removed:
        _count(session, space, -removed)
    return removed


def _count(session: WriteSession, space: int, difference: int) -> None:
    parameters = (difference, session.generation + 1, session.collection, space)
    session.connection.execute(_COUNT, parameters)
