"""Upgrade of vectors from format 8 to 9, from 32-bit numbers to codes of one byte.

Nothing is embedded again. The codes are in the table at first; files of the old format are no longer registered.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.sqlite.database.schema import VECTORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    Row = tuple[int, int, int, bytes]
    """Id, space, chunk, and vector or code."""

_RENAME = """
DROP TRIGGER vector_deleted; DROP INDEX vectors_by_chunk; DROP INDEX vectors_by_space;
DROP TABLE vector_segments; DROP TABLE deleted_vectors;
ALTER TABLE vectors RENAME TO old_vectors;
"""
_LAST_VECTOR = "INSERT INTO counters SELECT 'last_vector', ifnull(max(id), 0) FROM old_vectors"
_FLOAT_BYTES = 4
_BATCH = 4096


def upgrade_vectors(connection: apsw.Connection) -> None:
    """Convert the tables of vectors of format 8, inside a transaction."""
    connection.execute(_RENAME)
    connection.execute(VECTORS)
    connection.execute(_LAST_VECTOR)
    names: dict[int, str] = dict(connection.execute("SELECT id, name FROM spaces"))
    for space, name in names.items():
        cursor = connection.execute("SELECT id, space, chunk, vector FROM old_vectors WHERE space = ?", (space,))
        while rows := list(islice(cursor, _BATCH)):
            converted = rows if is_part_space(name) else list(_encode(rows))
            connection.executemany("INSERT INTO vector_codes VALUES (?, ?, ?, ?)", converted)
            entries = ((chunk, space, id_) for id_, space, chunk, _ in converted)
            connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", entries)
    connection.execute("DROP TABLE old_vectors")
    connection.execute("UPDATE counters SET value = value + 1 WHERE key = 'registry_version'")


def _encode(rows: list[Row]) -> Iterator[Row]:
    """Encode vectors, leaving out those of another length than most and unusable ones."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.formulas.vector_codes import encode_vectors  # noqa: PLC0415 - likewise

    sizes = [len(row[3]) for row in rows]
    usual = max(set(sizes), key=sizes.count)
    if not usual or usual % _FLOAT_BYTES:
        return
    usable = [row for row in rows if len(row[3]) == usual]
    matrix = np.frombuffer(b"".join(row[3] for row in usable), dtype="<f4").reshape(len(usable), -1)
    largest = np.abs(matrix).max(axis=1)
    is_usable = np.isfinite(largest) & (largest > 0.0)
    codes = encode_vectors(matrix[is_usable])
    chosen = (row for row, is_good in zip(usable, is_usable.tolist(), strict=True) if is_good)
    for (id_, space, chunk, _), code in zip(chosen, codes, strict=True):
        yield id_, space, chunk, code.tobytes()
