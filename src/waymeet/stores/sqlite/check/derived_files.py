"""Segments held against the truth: whether each is whole and says what would be made of its documents now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from waymeet.stores.segments.adjacency import Graph
from waymeet.stores.segments.array_file import BrokenContainerError, Container
from waymeet.stores.segments.impacts import baked
from waymeet.stores.segments.postings import arrays
from waymeet.stores.segments.quantization import signs
from waymeet.stores.segments.vectors import Part, opened
from waymeet.stores.shared.bm25f import Scale
from waymeet.stores.sqlite.segments import adjacency, registry, vector_registry
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    import apsw
    from numpy.typing import NDArray

    Columns = dict[str, NDArray[Any]]


def wrong(connection: apsw.Connection, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Name the segments that are not as they should be: number, file, and what is wrong."""
    for segment, file in registry.segments(connection).items():
        what = judged(partial(_looked_at, connection, segment, folder / file))
        if what:
            yield segment, file, what


def judged(look: Callable[[], str]) -> str:
    """Say what a look at a derived file finds wrong, be it that the file cannot be looked at."""
    try:
        return look()
    except FileNotFoundError:
        return "the file is gone"
    except (OSError, BrokenContainerError) as error:
        return str(error)
    except (LookupError, ValueError, TypeError, OverflowError) as error:  # numbers that fit together nowhere
        return f"its numbers contradict each other: {error}"


def _looked_at(connection: apsw.Connection, segment: int, path: Path) -> str:
    return _wrong(connection, segment, Container(path))


def _wrong(connection: apsw.Connection, segment: int, container: Container) -> str:
    if not container.whole():
        return "bytes in it changed since they were written"
    held = {place: document for document, place in _shelved(connection, segment)}
    dead = registry.dead(connection).get(segment, set())
    documents = container.numbers("documents")
    places = range(len(documents))
    if held.keys() & dead or held.keys() | dead != set(places):
        return "the books say otherwise of what stands on it"
    if any(documents[place] != document for place, document in held.items()):
        return "documents do not stand in their places"
    return _compared(connection, container, [held[place] for place in places if place in held], dead)


def _shelved(connection: apsw.Connection, segment: int) -> list[tuple[int, int]]:
    sql = "SELECT document, position FROM document_segments WHERE segment = ?"
    return [(document, place) for document, place in connection.execute(sql, (segment,))]


def _compared(connection: apsw.Connection, container: Container, documents: list[int], dead: Collection[int]) -> str:
    """Compare what a segment says of its living documents with what would be written now."""
    made, _ = arrays(list(registry.leaves(connection, documents)))
    here, there = _living(container, dead), _occurrences({name: column for name, (_, column) in made.items()})
    if any(not np.array_equal(here[name], there[name]) for name in here):
        return "it does not say what the documents say"
    told = container.facts["lengths"]
    for field in FIELDS:
        lengths = container.numbers(f"length {field}")
        if tuple(told[field]) != (int(lengths.sum(dtype=np.uint64)), int(np.count_nonzero(lengths))):
            return "its sums are wrong"
    return _baked(container)


def _baked(container: Container) -> str:
    """Work out the weights anew from what stands beside them."""
    recipe = container.facts.get("baked")
    if recipe is None:
        return ""
    names = ("places", "codes", "starts", "owner", *(f"length {field}" for field in FIELDS))
    written: Any = {name: ("", container.numbers(name)) for name in names}
    scales = {field: Scale(*recipe[field]) for field in FIELDS}
    weights, _ = baked(written, scales, recipe["k1"][0])
    same = all(np.array_equal(array, container.numbers(name)) for name, (_, array) in weights.items())
    return "" if same else "its weights are wrong"


def _occurrences(columns: Columns) -> Columns:
    """Write out the term of each occurrence, so that some of them can be left out."""
    told = {name: columns[name] for name in ("chunks", "places", "codes")}
    told |= {name: column for name, column in columns.items() if name.startswith("length ")}
    starts: NDArray[np.int64] = columns["starts"].astype(np.int64)
    return told | {"term": np.repeat(columns["terms"], starts[1:] - starts[:-1])}


def _living(container: Container, dead: Collection[int]) -> Columns:
    """Read a segment as if its dead documents had never been on it."""
    names = ("chunks", "places", "codes", "terms", "starts", *(f"length {each}" for each in DOCUMENT_FIELDS))
    columns = {name: container.numbers(name) for name in (*names, *(f"length {each}" for each in CHUNK_FIELDS))}
    told = _occurrences(columns)
    if not dead:
        return told
    alive = np.ones(len(container.numbers("documents")), dtype=np.bool_)
    alive[list(dead)] = False
    kept = alive[container.numbers("owner")]
    now = np.cumsum(kept) - 1
    occurs = kept[told["places"]]
    living = {
        "chunks": told["chunks"][kept],
        "term": told["term"][occurs],
        "places": now[told["places"][occurs]],
        "codes": told["codes"][occurs],
    }
    living |= {f"length {field}": told[f"length {field}"][alive] for field in DOCUMENT_FIELDS}
    return living | {f"length {field}": told[f"length {field}"][kept] for field in CHUNK_FIELDS}


_ROUNDED = 0.001
"""Which part of the signs may be others because another machine rounds otherwise."""


def wrong_vectors(connection: apsw.Connection, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Name the files that are not as they should be: number, file, and what is wrong."""
    held: dict[int, list[int]] = {}
    files = vector_registry.segments(connection)
    for each in files:
        what = judged(partial(_check_vectors, connection, each.space, folder / each.file, held))
        if what:
            yield each.segment, each.file, what
    for space, numbers in held.items():
        last = max(each.last for each in files if each.space == space)
        if sorted(numbers) != sorted(each for each in vector_registry.living(connection, space) if each <= last):
            for each in files:
                if each.space == space:
                    yield each.segment, each.file, "the books say otherwise of what stands in it"


def _check_vectors(connection: apsw.Connection, space: int, path: Path, held: dict[int, list[int]]) -> str:
    """Say what is wrong with a file, and add what it holds to what its space does."""
    container = Container(path)
    part = opened(container)
    what = _wrong_vectors(connection, space, container, part)
    held.setdefault(space, []).extend(_living_vectors(connection, space, part).numbers.tolist())
    return what


def _wrong_vectors(connection: apsw.Connection, space: int, container: Container, part: Part) -> str:
    if not container.whole():
        return "bytes in it changed since they were written"
    if part.turn is not None and part.signs is not None:
        for right, kept in zip(signs(part.matrix, part.turn), part.signs, strict=True):
            if np.bitwise_count(right ^ kept).sum() > _ROUNDED * part.matrix.size:
                return "its signs are not those of its vectors"
    living = _living_vectors(connection, space, part)
    rows = {row.number: row for row in vector_registry.read(connection, living.numbers.tolist())}
    for chunk, number, vector in zip(living.chunks.tolist(), living.numbers.tolist(), living.matrix, strict=True):
        row = rows.get(number)
        if row is None or (row.chunk, row.vector) != (chunk, vector.astype("<f4").tobytes()):
            return "it does not hold the vectors that it should"
    return ""


def _living_vectors(connection: apsw.Connection, space: int, part: Part) -> Part:
    """Leave out the vectors that are dead."""
    alive = ~np.isin(part.numbers, np.array(vector_registry.dead(connection, space), dtype=np.uint64))
    return Part(part.chunks[alive], part.numbers[alive], part.matrix[alive])


def wrong_graph(connection: apsw.Connection, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Name the file if it is not as it should be: number, file, and what is wrong."""
    shelved = adjacency.named(connection)
    what = judged(partial(_check_graph, connection, shelved, folder / shelved.file)) if shelved else ""
    if shelved and what:
        yield shelved.number, shelved.file, what


def _check_graph(connection: apsw.Connection, shelved: adjacency.Shelved, path: Path) -> str:
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
