"""Checks of segments, vector files and the link file against the tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waymeet.stores.segments.adjacency import LinkGraph
from waymeet.stores.segments.array_file import ArrayFile, CorruptFileError
from waymeet.stores.segments.impacts import PARAMETERS, compute_impacts
from waymeet.stores.segments.posting_lists import LEVELS
from waymeet.stores.segments.postings import build_arrays, invert, read_content
from waymeet.stores.segments.reader import FORMAT
from waymeet.stores.segments.vectors import build_block, read_block
from waymeet.stores.shared.bm25f import FieldScale
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.segments import adjacency, registry, vector_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    import apsw
    from numpy.typing import NDArray

    from waymeet.stores.segments.postings import SegmentContent

_CHECKSUM_MISMATCH = "its content does not match its checksum"
_OTHER_CONTENT = "its content differs from the registry"
_CONTRADICTION = "its numbers contradict each other"


class Problem(NamedTuple):
    """A problem of one file."""

    id: int
    """The id of the file in its registry."""
    file: str
    what: str


def check_segments(connection: apsw.Connection, folder: Path) -> Iterator[Problem]:
    """Check all segments."""
    for id_, file in registry.list_segments(connection).items():
        what = _describe_errors(partial(_check_segment, connection, id_, folder / file))
        if what:
            yield Problem(id_, file, what)


def _describe_errors(check: Callable[[], str]) -> str:
    """Run a check of a file, and return the problem it finds, or the error that it raises."""
    try:
        return check()
    except FileNotFoundError:
        return "the file is missing"
    except (OSError, CorruptFileError) as error:
        return str(error)
    except UnreadableError as error:
        return f"it cannot be compared with the tables: {error}"
    except (LookupError, ValueError, TypeError, OverflowError) as error:  # numbers that contradict each other
        return f"its numbers contradict each other: {error}"


def _check_segment(connection: apsw.Connection, segment: int, path: Path) -> str:
    file = ArrayFile(path)
    if not file.is_intact():
        return _CHECKSUM_MISMATCH
    if file.attributes.get("format") != FORMAT:
        return "it has the format of an earlier version"
    sql = "SELECT position, document FROM document_segments WHERE segment = ?"
    live: dict[int, int] = dict(connection.execute(sql, (segment,)))
    deleted = registry.deleted_positions(connection).get(segment, set())
    documents = file.array("documents")
    positions = range(len(documents))
    if live.keys() & deleted or live.keys() | deleted != set(positions):
        return _OTHER_CONTENT
    if any(documents[position] != document for position, document in live.items()):
        return "documents are not at their positions"
    return _compare_postings(connection, file, [live[position] for position in positions if position in live], deleted)


def _compare_postings(
    connection: apsw.Connection, file: ArrayFile, documents: list[int], deleted: Collection[int]
) -> str:
    """Compare the postings of the live documents with those that would be written now."""
    stored = read_content(file)
    expected = invert(registry.read_terms(connection, documents))
    pairs = zip(_live_columns(stored, deleted), _live_columns(expected, ()), strict=True)
    if not all(np.array_equal(*pair) for pair in pairs):
        return "its postings differ from the tables"
    arrays, attributes = build_arrays(stored)
    if {field: tuple(total) for field, total in file.attributes["lengths"].items()} != attributes["lengths"]:
        return "its total lengths are wrong"
    if any(not np.array_equal(array, file.array(name)) for name, (_, array) in arrays.items()):
        return _CONTRADICTION
    return _check_impacts(file, stored)


def _check_impacts(file: ArrayFile, content: SegmentContent) -> str:
    """Compute the impacts again from the postings."""
    parameters = file.attributes[PARAMETERS]
    scales = {field: FieldScale(*numbers) for field, numbers in parameters.items() if field != "k1"}
    impacts, _ = compute_impacts(content, scales, parameters["k1"][0])
    are_equal = all(np.array_equal(array, file.array(name)) for name, (_, array) in impacts.items())
    return "" if are_equal else "its impacts are wrong"


def _live_columns(content: SegmentContent, deleted: Collection[int]) -> Iterator[NDArray[Any]]:
    """Yield the columns of a segment as if its deleted documents had never been in it."""
    is_live_document = np.ones(len(content.documents), dtype=np.bool_)
    is_live_document[list(deleted)] = False
    is_live_chunk = is_live_document[content.owner]
    yield content.chunks[is_live_chunk]
    for level, is_live in (("document", is_live_document), ("chunk", is_live_chunk)):
        lists, new_position = content.lists[level], np.cumsum(is_live) - 1
        is_live_entry = is_live[lists.positions]
        yield lists.terms[lists.term_of_entry[is_live_entry]]
        yield new_position[lists.positions[is_live_entry]]
        yield lists.frequencies[is_live_entry]
        yield from (content.lengths[field][is_live] for field in LEVELS[level])


def check_vectors(connection: apsw.Connection, folder: Path) -> Iterator[Problem]:
    """Check all vector files."""
    for file in vector_registry.list_files(connection):
        what = _describe_errors(partial(_check_vector_file, folder / file.file))
        if what:
            yield Problem(file.id, file.file, what)


def _check_vector_file(path: Path) -> str:
    file = ArrayFile(path)
    if not file.is_intact():
        return _CHECKSUM_MISMATCH
    block = read_block(file)
    codes = block.take(np.arange(len(block.chunks)))
    if not codes.any(axis=1).all():
        return "a vector is zero"
    is_consistent = np.array_equal(build_block(block.chunks, block.ids, codes).lengths, block.lengths)
    return "" if is_consistent and np.all(np.diff(block.chunks.astype(np.int64)) >= 0) else _CONTRADICTION


def check_links(connection: apsw.Connection, folder: Path) -> Iterator[Problem]:
    """Check the link file."""
    entry = adjacency.find_file(connection)
    what = _describe_errors(partial(_check_link_file, connection, entry, folder / entry.file)) if entry else ""
    if entry and what:
        yield Problem(entry.id, entry.file, what)


def _check_link_file(connection: apsw.Connection, entry: adjacency.LinkFile, path: Path) -> str:
    file = ArrayFile(path)
    if not file.is_intact():
        return _CHECKSUM_MISMATCH
    graph = LinkGraph(file)
    changed = adjacency.changed_since(connection, entry.generation)
    if not np.all(np.diff(file.array("starts").astype(np.int64)) >= 0):
        return _CONTRADICTION
    documents, rows = adjacency.read_all(connection)
    path_by_id = {id_: document for document, id_ in documents}
    for document, id_ in documents:
        position = graph.find_position(document)
        if id_ in changed or (position is None and id_ not in rows):
            continue
        if position is not None and graph.documents[position] in changed:  # removed, and added again with another id
            continue
        expected = sorted((path_by_id[other], *columns) for other, *columns in rows.get(id_, ()))
        if (
            position is None
            or graph.documents[position] != id_
            or sorted(map(tuple, graph.neighbours(position))) != expected
        ):
            return "its links differ from the tables"
    return ""
