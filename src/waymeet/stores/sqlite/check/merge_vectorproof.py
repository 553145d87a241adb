"""Files of vectors held against the truth: whether each is whole, and all together hold what they should."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from waymeet.stores.segments.array_file import Container
from waymeet.stores.segments.quantization import signs
from waymeet.stores.segments.vectors import Part, opened
from waymeet.stores.sqlite.check.derived_files import judged
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw

_ROUNDED = 0.001
"""Which part of the signs may be others because another machine rounds otherwise."""


def wrong(connection: apsw.Connection, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Name the files that are not as they should be: number, file, and what is wrong."""
    held: dict[int, list[int]] = {}
    files = vector_registry.segments(connection)
    for each in files:
        what = judged(partial(_looked_at, connection, each.lane, folder / each.file, held))
        if what:
            yield each.segment, each.file, what
    for lane, numbers in held.items():
        last = max(each.last for each in files if each.lane == lane)
        if sorted(numbers) != sorted(each for each in vector_registry.living(connection, lane) if each <= last):
            for each in files:
                if each.lane == lane:
                    yield each.segment, each.file, "the books say otherwise of what stands in it"


def _looked_at(connection: apsw.Connection, lane: int, path: Path, held: dict[int, list[int]]) -> str:
    """Say what is wrong with a file, and add what it holds to what its lane does."""
    container = Container(path)
    part = opened(container)
    what = _wrong(connection, lane, container, part)
    held.setdefault(lane, []).extend(_living(connection, lane, part).numbers.tolist())
    return what


def _wrong(connection: apsw.Connection, lane: int, container: Container, part: Part) -> str:
    if not container.whole():
        return "bytes in it changed since they were written"
    if part.turn is not None and part.signs is not None:
        for right, kept in zip(signs(part.matrix, part.turn), part.signs, strict=True):
            if np.bitwise_count(right ^ kept).sum() > _ROUNDED * part.matrix.size:
                return "its signs are not those of its vectors"
    living = _living(connection, lane, part)
    rows = {row.number: row for row in vector_registry.read(connection, living.numbers.tolist())}
    for chunk, number, vector in zip(living.chunks.tolist(), living.numbers.tolist(), living.matrix, strict=True):
        row = rows.get(number)
        if row is None or (row.chunk, row.vector) != (chunk, vector.astype("<f4").tobytes()):
            return "it does not hold the vectors that it should"
    return ""


def _living(connection: apsw.Connection, lane: int, part: Part) -> Part:
    """Leave out the vectors that are dead."""
    alive = ~np.isin(part.numbers, np.array(vector_registry.dead(connection, lane), dtype=np.uint64))
    return Part(part.chunks[alive], part.numbers[alive], part.matrix[alive])
