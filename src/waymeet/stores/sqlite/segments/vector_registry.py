"""The registry of vector files: the files of each space, and deleted vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis.embedded.space_names import is_quantised_space
from waymeet.stores.sqlite.segments.registry import raise_registry_version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import apsw

_LAST_IN_FILES = "(SELECT ifnull(max(last), 0) FROM vector_segments WHERE space = ?1)"
_FROM_BUFFER = f"FROM vectors INDEXED BY vectors_by_space WHERE space = ?1 AND id > {_LAST_IN_FILES}"


class VectorRow(NamedTuple):
    """A vector as it is stored in the table."""

    chunk: int
    id: int
    vector: bytes


class VectorFile(NamedTuple):
    """A registered vector file."""

    id: int
    space: int
    last: int
    """The highest id of any vector when the file was written."""
    file: str


def list_spaces(connection: apsw.Connection) -> list[int]:
    """List the ids of all spaces whose vectors are kept in files, too."""
    rows = connection.execute("SELECT id, name FROM spaces ORDER BY id")
    return [space for space, name in rows if not is_quantised_space(name)]


def list_files(connection: apsw.Connection) -> list[VectorFile]:
    """List the files of all spaces."""
    sql = "SELECT id, space, last, file FROM vector_segments ORDER BY id"
    return [VectorFile(*row) for row in connection.execute(sql)]


def highest_id(connection: apsw.Connection) -> int:
    """Return the highest id of a vector."""
    id_: int = connection.execute("SELECT ifnull(max(id), 0) FROM vectors").get
    return id_


def count_buffered(connection: apsw.Connection, space: int) -> int:
    """Count the vectors of a space that are in no file."""
    count: int = connection.execute(f"SELECT COUNT(*) {_FROM_BUFFER}", (space,)).get
    return count


def read_buffered(connection: apsw.Connection, space: int) -> Iterator[VectorRow]:
    """Read the vectors of a space that are in no file."""
    sql = f"SELECT chunk, id, vector {_FROM_BUFFER}"
    return (VectorRow(*row) for row in connection.execute(sql, (space,)))


def read_vectors(connection: apsw.Connection, ids: Iterable[int]) -> Iterator[VectorRow]:
    """Read vectors by id, leaving out removed ones."""
    sql = "SELECT chunk, id, vector FROM vectors WHERE id = ?"
    return (VectorRow(*row) for row in connection.executemany(sql, ((id_,) for id_ in ids)))


def live_ids(connection: apsw.Connection, space: int) -> set[int]:
    """Return the ids of all vectors of a space."""
    return {id_ for (id_,) in connection.execute("SELECT id FROM vectors WHERE space = ?", (space,))}


def deleted_ids(connection: apsw.Connection, space: int) -> list[int]:
    """Return the ids of deleted vectors in the files of a space, ascending."""
    sql = "SELECT vector FROM deleted_vectors WHERE space = ? ORDER BY vector"
    return [id_ for (id_,) in connection.execute(sql, (space,))]


def register(
    connection: apsw.Connection, space: int, last: int, files: Mapping[str, Collection[int]], *, generation: int
) -> None:
    """Register files with the ids of their vectors, read in a generation.

    Vectors removed since are marked as deleted. If the generation is still the same, there are none, and the
    transaction stays short.
    """
    sql = "INSERT INTO vector_segments (space, last, file) VALUES (?, ?, ?)"
    connection.executemany(sql, ((space, last, file) for file in files))
    if connection.execute("SELECT value FROM counters WHERE key = 'generation'").get != generation:
        removed = set().union(*files.values()) - live_ids(connection, space)
        insert = "INSERT OR IGNORE INTO deleted_vectors VALUES (?, ?)"
        connection.executemany(insert, ((space, id_) for id_ in removed))
    raise_registry_version(connection)


def drop_files(connection: apsw.Connection, files: Iterable[int], space: int, ids: Collection[int]) -> None:
    """Remove merged files from the registry, with the marks of the deleted vectors among `ids`."""
    connection.executemany("DELETE FROM vector_segments WHERE id = ?", ((file,) for file in files))
    marked = set(ids).intersection(deleted_ids(connection, space))
    bindings = ((space, id_) for id_ in marked)
    connection.executemany("DELETE FROM deleted_vectors WHERE space = ? AND vector = ?", bindings)
    raise_registry_version(connection)


def drop_lost_file(connection: apsw.Connection, file: int) -> None:
    """Remove a lost file, and with it all files of its space, whose vectors move to the buffer.

    The buffer is what lies above the highest `last` of a space, so a file cannot be removed alone.
    """
    drop_space_files(connection, connection.execute("SELECT space FROM vector_segments WHERE id = ?", (file,)).get)


def drop_space_files(connection: apsw.Connection, space: int) -> None:
    """Remove all files of a space from the registry and move its vectors to the buffer."""
    connection.execute("DELETE FROM vector_segments WHERE space = ?", (space,))
    connection.execute("DELETE FROM deleted_vectors WHERE space = ?", (space,))
    raise_registry_version(connection)
