"""Maintenance of vector files: moving vectors from the table to files, merging files.

Files are written outside any transaction, from the table or from other files. The transaction that registers a file
removes its vectors from the table, so it is synced: after a power failure, vectors are where the registry says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

import numpy as np

from waymeet.stores.segments import array_file
from waymeet.stores.segments.vectors import build_arrays, build_block, read_block
from waymeet.stores.sqlite.read.vectors import read_rows
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    import apsw

    from waymeet.stores.segments.vectors import VectorBlock
    from waymeet.stores.sqlite.database.sessions import Session, Sessions
    from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits

_MAX_DELETED_SHARE = 0.3
_MAX_FILE_BYTES = 100_000_000
"""Bytes of the vectors in one file: memory use stays bounded for any dimension."""


class _OpenFile(NamedTuple):
    id: int
    block: VectorBlock


class _Written(NamedTuple):
    """New files that are not registered yet."""

    dimension: int
    ids: dict[str, list[int]]
    """The ids of their vectors, by file."""


def flush(sessions: Sessions, folder: Path, limits: MaintenanceLimits, space: int) -> None:
    """Move the vectors of a space from the table to new files."""
    with sessions.reading() as session:
        rows = list(vector_registry.read_buffered(session.connection, space))
        written = _write_files(folder, limits, [read_rows(rows)] if rows else [])
    with sessions.writing(durable=True) as connection:
        vector_registry.register(connection, space, *written, generation=session.generation)


def merge(sessions: Sessions, folder: Path, limits: MaintenanceLimits, space: int) -> None:
    """Merge small files of a space, and rewrite those with many deleted vectors."""
    with sessions.reading() as session:
        chosen = _choose_files(list(_open_files(session, space)), limits)
        if not chosen:
            return
        ids = [id_ for file in chosen for id_ in file.block.ids.tolist()]
        written = _write_files(folder, limits, [file.block for file in chosen if file.block.live_count])
    with sessions.writing(durable=True) as connection:
        if _are_registered(connection, {file.id for file in chosen}):
            vector_registry.drop_files(connection, [file.id for file in chosen], space, ids)
            vector_registry.register(connection, space, *written, generation=session.generation)


def _are_registered(connection: apsw.Connection, files: Collection[int]) -> bool:
    """Return whether files are still registered.

    If one was lost meanwhile, its vectors were removed. Then the new files stay unregistered and are removed by the
    next `optimize`.
    """
    return {file.id for file in vector_registry.list_files(connection)}.issuperset(files)


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
        if count > limits.max_vectors / 2:
            break
        if small and count > 2 * size:
            if len(small) > 1:
                break
            small, size = [], 0  # a single file waits for others of its size
        small.append(file)
        size += count
    return needed + (small if len(small) > 1 or needed else [])


def _needs_rewrite(block: VectorBlock, limits: MaintenanceLimits) -> bool:
    """Return whether many vectors of a file are deleted, or it is large with whole codes."""
    return block.live_count < (1.0 - _MAX_DELETED_SHARE) * len(block.chunks) or (
        isinstance(block.codes, np.ndarray) and block.live_count >= limits.max_exact_vectors
    )


def _write_files(folder: Path, limits: MaintenanceLimits, blocks: Iterable[VectorBlock]) -> _Written:
    """Write the live vectors of blocks to as many files as needed."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    written = _Written(0, {})
    for block in _divide(blocks, limits):
        file = f"{uuid4().hex}.vectors"
        arrays, attributes = build_arrays(block, split=len(block.chunks) >= limits.max_exact_vectors)
        array_file.write_arrays(folder / file, arrays, attributes)
        written = _Written(block.dimension, {**written.ids, file: block.ids.tolist()})
    return written


def _divide(blocks: Iterable[VectorBlock], limits: MaintenanceLimits) -> Iterator[VectorBlock]:
    """Divide the live vectors of blocks into blocks for files, by chunk ids."""
    blocks = list(blocks)
    if not blocks:
        return
    owner = np.concatenate([np.full(block.live_count, index) for index, block in enumerate(blocks)])
    rows = np.concatenate([block.live_rows for block in blocks])
    order = np.argsort(np.concatenate([block.chunks[block.live_rows] for block in blocks]), kind="stable")
    size = max(1, min(limits.max_vectors, _MAX_FILE_BYTES // blocks[0].dimension))
    for start in range(0, len(order), size):
        part = order[start : start + size]
        taken = [(block, rows[part[owner[part] == index]]) for index, block in enumerate(blocks)]
        yield build_block(
            np.concatenate([block.chunks[own] for block, own in taken]),
            np.concatenate([block.ids[own] for block, own in taken]),
            np.concatenate([block.take(own) for block, own in taken]),
        )
