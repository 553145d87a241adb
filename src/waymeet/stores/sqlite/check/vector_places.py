"""Checks that every vector is in one place: in a file or in the table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.segments.array_file import ArrayFile
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    import apsw

    Chunks = dict[int, int]
    """Chunks by the ids of their vectors."""


class MisplacedVectors(NamedTuple):
    """A contradiction between the tables and the files of a space."""

    where: str
    what: str
    repair: Callable[[apsw.Connection], object]
    has_lost_vectors: bool


def find_misplaced(connection: apsw.Connection, folder: Path, corrupt: Collection[int]) -> Iterator[MisplacedVectors]:
    """Find vectors that are nowhere, twice, or in a file although they were deleted.

    Spaces with corrupt files are left out: the vectors of these are removed first.
    """
    files = vector_registry.list_files(connection)
    skipped = {file.space for file in files if file.id in corrupt}
    for space, name in list(connection.execute("SELECT id, name FROM spaces ORDER BY id")):
        if space not in skipped:
            own = [folder / file.file for file in files if file.space == space]
            yield from _check_space(connection, space, f"space {name}", _read_files(connection, space, own))


def _read_files(connection: apsw.Connection, space: int, paths: Collection[Path]) -> Chunks:
    """Read the vectors in files that are not marked as deleted."""
    chunks: Chunks = {}
    for path in paths:
        file = ArrayFile(path)
        chunks.update(zip(file.integers("ids"), file.integers("chunks"), strict=True))
    for id_ in vector_registry.deleted_ids(connection, space):
        chunks.pop(id_, None)
    return chunks


def _check_space(connection: apsw.Connection, space: int, where: str, in_files: Chunks) -> Iterator[MisplacedVectors]:
    live = vector_registry.live_vectors(connection, space)
    in_table: Chunks = dict(connection.execute("SELECT id, chunk FROM vector_codes WHERE space = ?", (space,)))
    lost = [id_ for id_, chunk in live.items() if chunk not in (in_files.get(id_), in_table.get(id_))]
    if lost:
        delete = partial(vector_registry.delete_vectors, space=space, ids=lost)
        yield MisplacedVectors(where, f"{len(lost)} vectors are missing", delete, has_lost_vectors=True)
    deleted = [id_ for id_, chunk in in_files.items() if live.get(id_) != chunk]
    if deleted:
        mark = partial(vector_registry.mark_deleted, space=space, ids=deleted)
        what = f"{len(deleted)} deleted vectors in files are not marked"
        yield MisplacedVectors(where, what, mark, has_lost_vectors=False)
    twice = [id_ for id_, chunk in in_files.items() if live.get(id_) == chunk and id_ in in_table]
    if twice:
        remove = partial(_remove_codes, ids=twice)
        yield MisplacedVectors(where, f"{len(twice)} vectors are stored twice", remove, has_lost_vectors=False)


def _remove_codes(connection: apsw.Connection, ids: Collection[int]) -> None:
    connection.executemany("DELETE FROM vector_codes WHERE id = ?", ((id_,) for id_ in ids))
