"""Maintenance of vector files: flushing buffered vectors, merging files.

As with segments, files are written outside any transaction, from the vectors in the tables. Only their registration
takes a transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

import numpy as np

from waymeet.stores.segments import array_file
from waymeet.stores.segments.vectors import build_arrays, read_block
from waymeet.stores.sqlite.read.vectors import build_block
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import apsw

    from waymeet.stores.segments.vectors import VectorBlock
    from waymeet.stores.sqlite.database.sessions import Session, Sessions
    from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits

_MAX_DELETED_SHARE = 0.3
_MAX_FILE_BYTES = 200_000_000
"""Bytes of the vectors in one file: memory use stays bounded for any dimension."""


class _OpenFile(NamedTuple):
    id: int
    block: VectorBlock


def flush(sessions: Sessions, folder: Path, limits: MaintenanceLimits, space: int) -> None:
    """Write the buffered vectors of a space to new files."""
    with sessions.reading() as session:
        last = vector_registry.highest_id(session.connection)
        files = dict(_write_files(folder, limits, vector_registry.read_buffered(session.connection, space)))
    with sessions.writing() as connection:
        if _has_same_files(connection, session, space):
            vector_registry.register(connection, space, last, files, generation=session.generation)


def merge(sessions: Sessions, folder: Path, limits: MaintenanceLimits, space: int) -> None:
    """Merge small files of a space, and rewrite those with many deleted vectors."""
    with sessions.reading() as session:
        chosen = _choose_files(list(_open_files(session, space)), limits)
        if not chosen:
            return
        chosen_ids = {file.id for file in chosen}
        last = max(file.last for file in session.vectors if file.id in chosen_ids)
        ids = [id_ for file in chosen for id_ in file.block.ids.tolist()]
        files = dict(_write_files(folder, limits, vector_registry.read_vectors(session.connection, ids)))
    with sessions.writing() as connection:
        if _has_same_files(connection, session, space):
            vector_registry.drop_files(connection, [file.id for file in chosen], space, ids)
            vector_registry.register(connection, space, last, files, generation=session.generation)


def _has_same_files(connection: apsw.Connection, session: Session, space: int) -> bool:
    """Return whether a space still has the files it had when it was read.

    If one was lost meanwhile, all vectors of the space are in the buffer again, and a new file with its `last` would
    hide those that it does not contain. Then the new files stay unregistered and are removed by the next `optimize`.
    """
    now = {file.id for file in vector_registry.list_files(connection) if file.space == space}
    return now == {file.id for file in session.vectors if file.space == space}


def _open_files(session: Session, space: int) -> Iterator[_OpenFile]:
    deleted = np.array(vector_registry.deleted_ids(session.connection, space), dtype=np.uint64)
    for entry, file in session.vectors.items():
        if entry.space == space:
            yield _OpenFile(entry.id, read_block(file).without_deleted(deleted))


def _choose_files(files: list[_OpenFile], limits: MaintenanceLimits) -> list[_OpenFile]:
    """Choose the files to rewrite: those in need of it, and small ones of similar size.

    Merging only files of similar size keeps the number of times that a vector is copied logarithmic.
    """
    needed = [file for file in files if _needs_rewrite(file.block, limits)]
    others = [file for file in files if not _needs_rewrite(file.block, limits)]
    small: list[_OpenFile] = []
    size = 0
    for file in sorted(others, key=lambda file: file.block.live_count):
        count = file.block.live_count
        if count > limits.max_vectors / 2 or (small and count > 2 * size):
            break
        small.append(file)
        size += count
    return needed + (small if len(small) > 1 or needed else [])


def _needs_rewrite(block: VectorBlock, limits: MaintenanceLimits) -> bool:
    """Return whether many vectors of a file are deleted, or it is large and not quantised."""
    return block.live_count < (1.0 - _MAX_DELETED_SHARE) * len(block.chunks) or (
        block.planes is None and block.live_count >= limits.max_exact_vectors
    )


def _write_files(
    folder: Path, limits: MaintenanceLimits, rows: Iterable[vector_registry.VectorRow]
) -> Iterator[tuple[str, list[int]]]:
    """Write as many files as needed, and yield their names and vector ids.

    They are not registered yet.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    batch: list[vector_registry.VectorRow] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.vector)
        if len(batch) == limits.max_vectors or size > _MAX_FILE_BYTES:
            yield _write_file(folder, limits, batch)
            batch, size = [], 0
    if batch:
        yield _write_file(folder, limits, batch)


def _write_file(
    folder: Path, limits: MaintenanceLimits, rows: list[vector_registry.VectorRow]
) -> tuple[str, list[int]]:
    block = build_block(rows)
    arrays, attributes = build_arrays(block, quantise=len(rows) >= limits.max_exact_vectors)
    file = f"{uuid4().hex}.vectors"
    array_file.write_arrays(folder / file, arrays, attributes)
    return file, block.ids.tolist()
