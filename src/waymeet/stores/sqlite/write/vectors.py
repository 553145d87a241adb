"""Writing vectors to the table and removing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.json import encode

from waymeet.analysis.embedded.space_names import is_part_space, is_student_space, section_space, student_space
from waymeet.stores.shared.vectors import encode_unit_vectors, quantise_parts
from waymeet.stores.sqlite.read.queries import find_chunk_ids
from waymeet.stores.sqlite.read.vectors import read_dimensions
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import apsw

    from waymeet.ports import Vector

_DIGESTS = """
SELECT c.id, d.digest
FROM json_each(?) input CROSS JOIN chunks c ON c.id = input.value JOIN documents d ON d.id = c.document
"""
_WITH_VECTOR = "SELECT v.chunk FROM json_each(?2) input CROSS JOIN vectors v ON v.space = ?1 AND v.chunk = input.value"


def put_vectors(
    connection: apsw.Connection, name: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None
) -> int:
    """Store vectors of known chunks, and return their number.

    With `digests`, chunks whose document has another digest are left out. A chunk has a true vector or an approximate
    one, never both.
    """
    rows = _encode(name, vectors, read_dimensions(connection).get(name))
    chunk_ids = find_chunk_ids(connection, rows) if digests is None else _find_unchanged(connection, rows, digests)
    if is_student_space(name):
        chunk_ids = _without_vector(connection, chunk_ids, section_space(name))
    if not chunk_ids:
        return 0
    connection.execute("INSERT INTO spaces (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    # Deleted first: INSERT OR REPLACE would not fire the trigger that marks the old vector as deleted.
    for replaced in (name, student_space(name)):
        _delete_vectors(connection, replaced, chunk_ids.values())
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    insert_vectors(connection, space, ((chunk_id, rows[chunk]) for chunk, chunk_id in chunk_ids.items()))
    return len(chunk_ids)


def insert_vectors(connection: apsw.Connection, space: int, codes: Iterable[tuple[int, bytes]]) -> None:
    """Insert the codes of vectors by chunk, in the order of chunk ids."""
    last: int = connection.execute("SELECT value FROM counters WHERE key = 'last_vector'").get
    rows = [(id_, space, chunk, code) for id_, (chunk, code) in enumerate(sorted(codes), last + 1)]
    connection.executemany("INSERT INTO vector_codes VALUES (?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", ((chunk, space, id_) for id_, _, chunk, _ in rows))
    connection.execute("UPDATE counters SET value = ? WHERE key = 'last_vector'", (last + len(rows),))


def _without_vector(connection: apsw.Connection, chunk_ids: Mapping[str, int], name: str) -> dict[str, int]:
    """Leave out the chunks that have a vector in a space."""
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    if space is None:
        return dict(chunk_ids)
    embedded = {id_ for (id_,) in connection.execute(_WITH_VECTOR, (space, _to_json(chunk_ids.values())))}
    return {chunk: id_ for chunk, id_ in chunk_ids.items() if id_ not in embedded}


def _delete_vectors(connection: apsw.Connection, name: str, chunk_ids: Iterable[int]) -> None:
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    if space is not None:
        sql = "DELETE FROM vectors WHERE space = ? AND chunk IN (SELECT value FROM json_each(?))"
        connection.execute(sql, (space, _to_json(chunk_ids)))


def _encode(name: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, bytes]:
    """Validate vectors and encode them as the table stores them."""
    if is_part_space(name):
        return quantise_parts(name, vectors, dimension)
    return {chunk: code.tobytes() for chunk, code in encode_unit_vectors(name, vectors, dimension).items()}


def drop_vectors(connection: apsw.Connection, name: str, chunks: Collection[str] | None) -> int:
    """Remove vectors of chunks from a space, or all with their files, and return their number."""
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    if space is None:
        return 0
    number: int = connection.execute("SELECT COUNT(*) FROM vectors WHERE space = ?", (space,)).get
    if chunks is None:
        vector_registry.drop_space(connection, space)
        return number
    _delete_vectors(connection, name, find_chunk_ids(connection, chunks).values())
    remaining: int = connection.execute("SELECT COUNT(*) FROM vectors WHERE space = ?", (space,)).get
    return number - remaining


def _find_unchanged(connection: apsw.Connection, chunks: Iterable[str], digests: Mapping[str, str]) -> dict[str, int]:
    ids = find_chunk_ids(connection, list(chunks))
    digest_by_id = dict(connection.execute(_DIGESTS, (_to_json(ids.values()),)))
    return {chunk: id_ for chunk, id_ in ids.items() if digest_by_id[id_] == digests.get(chunk)}


def _to_json(values: Iterable[object]) -> str:
    """Encode values for `json_each`."""
    return encode(list(values)).decode()
