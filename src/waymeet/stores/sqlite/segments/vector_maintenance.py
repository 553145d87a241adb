"""Keeping the files of vectors: shelving loose ones, merging small or half dead files.

As with words, all of it happens beside the truth, from which vectors are read; only the last step, naming what lies
ready, takes a transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

import numpy as np

from waymeet.stores.segments import array_file
from waymeet.stores.segments.vectors import arrays, opened
from waymeet.stores.sqlite.read.vectors import part_of
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import apsw

    from waymeet.stores.segments.vectors import Part
    from waymeet.stores.sqlite.database.sessions import Session, Sessions
    from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits

_DEAD_PART = 0.3
_MOST_BYTES = 200_000_000
"""Of the vectors of one file: what is made in memory stays bounded, whatever their dimension."""


class _File(NamedTuple):
    segment: int
    part: Part


def shelve(sessions: Sessions, folder: Path, effort: MaintenanceLimits, space: int) -> None:
    """Write the loose vectors of a space into files of their own."""
    with sessions.reading() as session:
        upto = vector_registry.last(session.connection)
        ready = dict(_written(folder, effort, vector_registry.loose(session.connection, space)))
    with sessions.writing() as connection:
        if _still(connection, session, space):
            vector_registry.register(connection, space, upto, ready, generation=session.generation)


def merge(sessions: Sessions, folder: Path, effort: MaintenanceLimits, space: int) -> None:
    """Write small and half dead files of a space anew, as one where it does not get too large."""
    with sessions.reading() as session:
        due = _due(list(_files(session, space)), effort)
        if not due:
            return
        upto = max(each.last for each in session.vectors if each.segment in {file.segment for file in due})
        numbers = [number for file in due for number in file.part.numbers.tolist()]
        ready = dict(_written(folder, effort, vector_registry.read(session.connection, numbers)))
    with sessions.writing() as connection:
        if _still(connection, session, space):
            vector_registry.forget(connection, [file.segment for file in due], space, numbers)
            vector_registry.register(connection, space, upto, ready, generation=session.generation)


def _still(connection: apsw.Connection, session: Session, space: int) -> bool:
    """Tell whether a space has the files it had when it was read.

    If one was found to be lost meanwhile, all its vectors are loose again, and a new file would hide those that it
    does not hold. Then what was written is left for clearing away.
    """
    now = {each.segment for each in vector_registry.segments(connection) if each.space == space}
    return now == {each.segment for each in session.vectors if each.space == space}


def _files(session: Session, space: int) -> Iterator[_File]:
    dead = np.array(vector_registry.dead(session.connection, space), dtype=np.uint64)
    for shelved, mapped in session.vectors.items():
        if shelved.space == space:
            yield _File(shelved.segment, opened(mapped).without(dead))


def _due(files: list[_File], effort: MaintenanceLimits) -> list[_File]:
    """Choose the files to write anew: worn ones, and small ones of like size, so that each vector moves seldom."""
    worn = [file for file in files if _worn(file.part, effort)]
    rest = sorted((file for file in files if not _worn(file.part, effort)), key=lambda file: file.part.living)
    together: list[_File] = []
    size = 0
    for file in rest:
        if file.part.living > effort.largest / 2 or (together and file.part.living > 2 * size):
            break
        together.append(file)
        size += file.part.living
    return worn + (together if len(together) > 1 or worn else [])


def _worn(part: Part, effort: MaintenanceLimits) -> bool:
    """Tell whether a file is half dead, or has no signs, or those of an earlier form, though it needs them."""
    return part.living < (1.0 - _DEAD_PART) * len(part.chunks) or (part.signs is None and part.living >= effort.exact)


def _written(
    folder: Path, effort: MaintenanceLimits, rows: Iterable[vector_registry.Row]
) -> Iterator[tuple[str, list[int]]]:
    """Write files of vectors, as many as it takes; nobody names them yet."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    portion: list[vector_registry.Row] = []
    size = 0
    for row in rows:
        portion.append(row)
        size += len(row.vector)
        if len(portion) == effort.largest or size > _MOST_BYTES:
            yield _write(folder, effort, portion)
            portion, size = [], 0
    if portion:
        yield _write(folder, effort, portion)


def _write(folder: Path, effort: MaintenanceLimits, rows: list[vector_registry.Row]) -> tuple[str, list[int]]:
    part = part_of(rows)
    made, facts = arrays(part, with_signs=len(rows) >= effort.exact)
    file = f"{uuid4().hex}.vectors"
    array_file.write(folder / file, made, facts)
    return file, part.numbers.tolist()
