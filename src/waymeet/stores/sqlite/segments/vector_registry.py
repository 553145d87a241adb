"""Which files hold which vectors: the books kept in the truth about vectors in segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.sqlite.segments.registry import shelved

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import apsw

_LAST = "(SELECT ifnull(max(last), 0) FROM vector_segments WHERE space = ?1)"
_FROM_LOOSE = f"FROM vectors INDEXED BY vectors_by_space WHERE space = ?1 AND id > {_LAST}"


class Row(NamedTuple):
    """A vector as it lies in the truth."""

    chunk: int
    number: int
    vector: bytes


class Shelved(NamedTuple):
    """A file of vectors."""

    segment: int
    space: int
    last: int
    """The highest number of a vector when it was written."""
    file: str


def spaces(connection: apsw.Connection) -> list[int]:
    """List the spaces."""
    return [space for (space,) in connection.execute("SELECT id FROM spaces ORDER BY id")]


def segments(connection: apsw.Connection) -> list[Shelved]:
    """List the files of all spaces."""
    return [
        Shelved(*row) for row in connection.execute("SELECT id, space, last, file FROM vector_segments ORDER BY id")
    ]


def last(connection: apsw.Connection) -> int:
    """Give the highest number that a vector has now."""
    found: int = connection.execute("SELECT ifnull(max(id), 0) FROM vectors").get
    return found


def count_loose(connection: apsw.Connection, space: int) -> int:
    """Count the vectors of a space that are in no file."""
    found: int = connection.execute(f"SELECT COUNT(*) {_FROM_LOOSE}", (space,)).get
    return found


def loose(connection: apsw.Connection, space: int) -> Iterator[Row]:
    """Read the vectors of a space that are in no file."""
    sql = f"SELECT chunk, id, vector {_FROM_LOOSE}"
    return (Row(*row) for row in connection.execute(sql, (space,)))


def read(connection: apsw.Connection, numbers: Iterable[int]) -> Iterator[Row]:
    """Read vectors by number; those that are gone are left out."""
    sql = "SELECT chunk, id, vector FROM vectors WHERE id = ?"
    return (Row(*row) for row in connection.executemany(sql, ((number,) for number in numbers)))


def living(connection: apsw.Connection, space: int) -> set[int]:
    """Give the numbers of all vectors of a space."""
    return {number for (number,) in connection.execute("SELECT id FROM vectors WHERE space = ?", (space,))}


def dead(connection: apsw.Connection, space: int) -> list[int]:
    """Give the numbers of dead vectors in files of a space, in order."""
    sql = "SELECT vector FROM deleted_vectors WHERE space = ? ORDER BY vector"
    return [number for (number,) in connection.execute(sql, (space,))]


def register(
    connection: apsw.Connection, space: int, upto: int, files: Mapping[str, Collection[int]], *, generation: int
) -> None:
    """Name files that hold vectors of a space, given by number, as they were in a generation.

    Those that are gone since are dead in them; if nothing changed since, nobody has to look, and the change is short.
    """
    sql = "INSERT INTO vector_segments (space, last, file) VALUES (?, ?, ?)"
    connection.executemany(sql, ((space, upto, file) for file in files))
    if connection.execute("SELECT value FROM counters WHERE key = 'generation'").get != generation:
        gone = set().union(*files.values()) - living(connection, space)
        connection.executemany(
            "INSERT OR IGNORE INTO deleted_vectors VALUES (?, ?)", ((space, number) for number in gone)
        )
    shelved(connection)


def forget(connection: apsw.Connection, segments: Iterable[int], space: int, numbers: Collection[int]) -> None:
    """Forget files of a space, and which of the vectors in them were dead."""
    connection.executemany("DELETE FROM vector_segments WHERE id = ?", ((segment,) for segment in segments))
    forgotten = set(numbers).intersection(dead(connection, space))
    wanted = ((space, number) for number in forgotten)
    connection.executemany("DELETE FROM deleted_vectors WHERE space = ? AND vector = ?", wanted)
    shelved(connection)


def retire(connection: apsw.Connection, segment: int) -> None:
    """Forget a file that is lost, and with it all of its space, whose vectors become loose again."""
    abandon(connection, connection.execute("SELECT space FROM vector_segments WHERE id = ?", (segment,)).get)


def abandon(connection: apsw.Connection, space: int) -> None:
    """Forget all files of a space, whose vectors become loose again."""
    connection.execute("DELETE FROM vector_segments WHERE space = ?", (space,))
    connection.execute("DELETE FROM deleted_vectors WHERE space = ?", (space,))
    shelved(connection)
