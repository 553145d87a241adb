"""Removal of vector files that are missing or corrupt.

Nothing else contains their vectors, so the sections count as not embedded and are embedded again, from the cache of
vectors if it still has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.segments.array_file import ArrayFile, CorruptFileError
from waymeet.stores.sqlite.database.sessions import raise_generation
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    import apsw

    from waymeet.stores.sqlite.segments.vector_registry import VectorFile


def drop_lost_files(connection: apsw.Connection, folder: Path) -> int:
    """Remove the files that are missing or corrupt, and return how many vectors they had.

    It is called inside a transaction: a merge may have replaced a file since it was found to be missing.
    """
    lost = [file.id for file in vector_registry.list_files(connection) if _is_lost(folder, file)]
    return drop_files(connection, folder, lost)


def drop_files(connection: apsw.Connection, folder: Path, lost: Collection[int]) -> int:
    """Remove files that cannot be used, and return how many vectors they had."""
    number = 0
    files = vector_registry.list_files(connection)
    for space in {file.space for file in files if file.id in lost}:
        own = [file for file in files if file.space == space]
        usable = [file for file in own if file.id not in lost and not _is_lost(folder, file)]
        remaining = {id_ for file in usable for id_ in ArrayFile(folder / file.file).integers("ids")}
        unusable = {file.id for file in own}.difference(file.id for file in usable)
        number += vector_registry.drop_lost_files(connection, space, unusable, remaining)
        raise_generation(connection)
    return number


def _is_lost(folder: Path, file: VectorFile) -> bool:
    """Check whether a file is missing or corrupt.

    Any other error, such as too many open files, does not mean that the file is lost.
    """
    try:
        return not ArrayFile(folder / file.file).is_intact()
    except (FileNotFoundError, CorruptFileError):
        return True
