"""The registry of vectors: their files, those in no file yet, and deleted ones.

A vector file is the only place of its vectors. It is synced before it is registered, and the transaction that registers
it, which is synced, too, removes the codes from the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.json import encode

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.sqlite.segments.registry import raise_registry_version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import apsw

_OF_SPACE = "FROM vector_codes INDEXED BY vector_codes_by_space WHERE space = ?"


class VectorRow(NamedTuple):
    """A vector as it is stored in the table."""

    chunk: int
    id: int
    code: bytes


class VectorFile(NamedTuple):
    """A registered vector file."""

    id: int
    space: int
    file: str


def list_spaces(connection: apsw.Connection) -> list[int]:
    """List the ids of all spaces whose vectors are moved to files."""
    rows = connection.execute("SELECT id, name FROM spaces ORDER BY id")
    return [space for space, name in rows if not is_part_space(name)]


def list_files(connection: apsw.Connection) -> list[VectorFile]:
    """List the files of all spaces."""
    sql = "SELECT id, space, file FROM vector_segments ORDER BY id"
    return [VectorFile(*row) for row in connection.execute(sql)]


def count_buffered(connection: apsw.Connection, space: int) -> int:
    """Count the vectors of a space that are in no file."""
    count: int = connection.execute(f"SELECT COUNT(*) {_OF_SPACE}", (space,)).get
    return count


def read_buffered(connection: apsw.Connection, space: int) -> Iterator[VectorRow]:
    """Read the vectors of a space that are in no file."""
    return (VectorRow(*row) for row in connection.execute(f"SELECT chunk, id, code {_OF_SPACE}", (space,)))


def buffered_ids(connection: apsw.Connection, space: int) -> set[int]:
    """Return the ids of the vectors of a space that are in no file."""
    return {id_ for (id_,) in connection.execute(f"SELECT id {_OF_SPACE}", (space,))}


def live_vectors(connection: apsw.Connection, space: int) -> dict[int, int]:
    """Return the chunks of all vectors of a space by id."""
    return dict(connection.execute("SELECT id, chunk FROM vectors WHERE space = ?", (space,)))


def deleted_ids(connection: apsw.Connection, space: int) -> list[int]:
    """Return the ids of deleted vectors in the files of a space, ascending."""
    sql = "SELECT vector FROM deleted_vectors WHERE space = ? ORDER BY vector"
    return [id_ for (id_,) in connection.execute(sql, (space,))]


def mark_deleted(connection: apsw.Connection, space: int, ids: Iterable[int]) -> None:
    """Mark vectors in files as deleted."""
    connection.executemany("INSERT OR IGNORE INTO deleted_vectors VALUES (?, ?)", ((space, id_) for id_ in ids))


def register(
    connection: apsw.Connection,
    space: int,
    dimension: int,
    files: Mapping[str, Collection[int]],
    *,
    generation: int,
) -> None:
    """Register files with the ids of their vectors, and remove these from the table.

    They were read in a generation. Vectors removed since are marked as deleted. If the generation is still the same,
    there are none, and the transaction stays short.
    """
    last = connection.execute("SELECT value FROM counters WHERE key = 'last_vector'").get
    sql = "INSERT INTO vector_segments (space, dimension, last, file) VALUES (?, ?, ?, ?)"
    connection.executemany(sql, ((space, dimension, last, file) for file in files))
    ids = set().union(*files.values())
    if connection.execute("SELECT value FROM counters WHERE key = 'generation'").get != generation:
        mark_deleted(connection, space, ids - live_vectors(connection, space).keys())
    connection.execute("DELETE FROM vector_codes WHERE id IN (SELECT value FROM json_each(?))", (_to_json(ids),))
    raise_registry_version(connection)


def drop_files(connection: apsw.Connection, files: Iterable[int], space: int, ids: Collection[int]) -> None:
    """Remove merged files from the registry, with the marks of the deleted vectors among `ids`."""
    connection.executemany("DELETE FROM vector_segments WHERE id = ?", ((file,) for file in files))
    _remove_marks(connection, space, set(ids).intersection(deleted_ids(connection, space)))
    raise_registry_version(connection)


def drop_lost_files(connection: apsw.Connection, space: int, lost: Iterable[int], remaining: Collection[int]) -> int:
    """Remove lost files of a space with their vectors, and return how many of them there were.

    `remaining` are the ids of vectors in the other files. The sections of the lost ones count as not embedded.
    """
    connection.executemany("DELETE FROM vector_segments WHERE id = ?", ((file,) for file in lost))
    known = buffered_ids(connection, space).union(remaining)
    gone = [id_ for id_ in live_vectors(connection, space) if id_ not in known]
    delete_vectors(connection, space, gone)
    _remove_marks(connection, space, set(deleted_ids(connection, space)).difference(remaining))
    raise_registry_version(connection)
    return len(gone)


def delete_vectors(connection: apsw.Connection, space: int, ids: Collection[int]) -> None:
    """Delete vectors by id."""
    chunks = live_vectors(connection, space)
    rows = [(chunks[id_], space) for id_ in ids if id_ in chunks]
    connection.executemany("DELETE FROM vectors WHERE chunk = ? AND space = ?", rows)


def drop_space(connection: apsw.Connection, space: int) -> None:
    """Remove all vectors of a space with its files."""
    connection.execute("DELETE FROM vectors WHERE space = ?", (space,))
    connection.execute("DELETE FROM vector_segments WHERE space = ?", (space,))
    connection.execute("DELETE FROM deleted_vectors WHERE space = ?", (space,))
    raise_registry_version(connection)


def _remove_marks(connection: apsw.Connection, space: int, ids: Iterable[int]) -> None:
    bindings = ((space, id_) for id_ in ids)
    connection.executemany("DELETE FROM deleted_vectors WHERE space = ? AND vector = ?", bindings)


def _to_json(values: Iterable[int]) -> str:
    """Encode values for `json_each`."""
    return encode(list(values)).decode()
