"""The file of neighbours held against the truth."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from waymeet.stores.segments.adjacency import Graph
from waymeet.stores.segments.array_file import Container
from waymeet.stores.sqlite.check.derived_files import judged
from waymeet.stores.sqlite.segments import adjacency

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw


def wrong(connection: apsw.Connection, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Name the file if it is not as it should be: number, file, and what is wrong."""
    shelved = adjacency.named(connection)
    what = judged(partial(_looked_at, connection, shelved, folder / shelved.file)) if shelved else ""
    if shelved and what:
        yield shelved.number, shelved.file, what


def _looked_at(connection: apsw.Connection, shelved: adjacency.Shelved, path: Path) -> str:
    container = Container(path)
    if not container.whole():
        return "bytes in it changed since they were written"
    graph = Graph(container)
    stirred = adjacency.stirred(connection, shelved.generation)
    if not np.all(np.diff(container.numbers("starts").astype(np.int64)) >= 0):
        return "its numbers contradict each other"
    paths, rows = adjacency.read(connection)
    known = {number: path for path, number in paths}
    for path_, number in paths:
        place = graph.place(path_)
        if number in stirred or (place is None and number not in rows):
            continue
        if place is not None and graph.documents[place] in stirred:  # the path went and came back under another number
            continue
        expected = sorted((known[other], *rest) for other, *rest in rows.get(number, ()))
        if place is None or graph.documents[place] != number or sorted(map(tuple, graph.around(place))) != expected:
            return "it does not hold the links that it should"
    return ""
