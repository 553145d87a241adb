"""Filters in SQL where possible, and phrases by reading the text of what is left."""

from __future__ import annotations

from array import array
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import apsw
from msgspec.json import encode

from waymeet.stores.lexical.top_k import ChunkLocation
from waymeet.stores.shared.filters import contains_phrases, fold_tags, has_properties, normalise_paths, required_words
from waymeet.stores.sqlite.database.rows import CHUNK, KEY, decode_properties, read_chunk
from waymeet.stores.sqlite.database.term_ids import find_all_term_ids, find_term_ids
from waymeet.stores.sqlite.segments.registry import locate_chunks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.segments.reader import Segment
    from waymeet.stores.sqlite.read.contents import ContentReader
    from waymeet.types import Filters


_CHUNKS_OF_DOCUMENT = """
SELECT c.id FROM documents d JOIN chunks c ON c.document = d.id WHERE d.path = ? ORDER BY c.ordinal, c.id
"""
_FIRST_CHUNKS = """
SELECT d.path, (SELECT c.id FROM chunks c WHERE c.document = d.id ORDER BY c.ordinal, c.id LIMIT 1)
FROM json_each(?) input CROSS JOIN documents d ON d.path = input.value
"""
_CHUNKS_OF_KIND = "SELECT c.id FROM documents d JOIN chunks c ON c.document = d.id WHERE d.kind = ?"
_LOCATIONS = f"""
SELECT c.id, d.path, c.ordinal, {KEY} FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id IN carray(?)
"""  # noqa: S608 - our own constant
_TEXTS = f"{CHUNK} WHERE c.id IN carray(?)"
_MAX_CACHED = 50_000
"""Cached locations of chunks; about 300 bytes each."""
_EXCLUSION_FIELDS = ("title", "headings", "body")
"""Fields in which an excluded word is looked for."""


class FilterResult:
    """The chunks that pass the filters except for the phrases."""

    def __init__(self, allowed: frozenset[int] | None, excluded: frozenset[int]) -> None:
        self.allowed = allowed
        """Chunks of documents that pass; None for all."""
        self.excluded = excluded
        """Chunks with an excluded word or of an excluded kind."""
        self._positions: dict[int, tuple[object, NDArray[np.int64] | None]] = {}

    def excluded_positions(self, chunks: memoryview[int] | NDArray[np.uint32]) -> NDArray[np.int64] | None:
        """Return the positions of an array of chunks that do not pass, or None if all pass.

        The result is cached by the identity of the array, which is immutable.
        """
        if self.allowed is None and not self.excluded:
            return None
        if id(chunks) not in self._positions:
            import numpy as np  # noqa: PLC0415 - start-up is a feature

            # The reference to the array keeps its id from being used for another object.
            self._positions[id(chunks)] = (chunks, self._find_positions(np.asarray(chunks)))
        return self._positions[id(chunks)][1]

    def _find_positions(self, chunks: NDArray[Any]) -> NDArray[np.int64] | None:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        allowed, excluded = self._sorted_arrays
        mask = np.zeros(len(chunks), dtype=np.bool_) if allowed is None else ~np.isin(chunks, allowed)
        if len(excluded):
            mask |= np.isin(chunks, excluded)
        positions = np.flatnonzero(mask)
        return positions if len(positions) else None

    @cached_property
    def _sorted_arrays(self) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
        """Return both sets as sorted arrays."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        sets = [frozenset[int]() if chunks is None else chunks for chunks in (self.allowed, self.excluded)]
        allowed, excluded = (np.sort(np.fromiter(chunks, np.int64, len(chunks))) for chunks in sets)
        return None if self.allowed is None else allowed, excluded


def apply_filters(connection: apsw.Connection, filters: Filters, lexicon: Lexicon | None) -> FilterResult:
    """Find the chunks that pass. The lexicon is needed for excluded words and phrases only."""
    groups = (find_all_term_ids(connection, group) for group in filters.without if group)
    with_excluded_words = (
        lexicon.chunks_with_all(group, _EXCLUSION_FIELDS) for group in groups if group and lexicon is not None
    )
    of_excluded_kinds = _chunks_of_kinds(connection, filters.without_kinds)
    allowed = _allowed_chunks(connection, filters)
    words = [find_term_ids(connection, group) for group in required_words(filters.phrases)]
    if words and lexicon is not None:
        locate = partial(locate_chunks, connection)
        with_words = lexicon.chunks_with_words(words, _EXCLUSION_FIELDS, locate) if all(words) else set[int]()
        allowed = frozenset(with_words if allowed is None else allowed & with_words)
    return FilterResult(allowed, frozenset().union(of_excluded_kinds, *with_excluded_words))


def _chunks_of_kinds(connection: apsw.Connection, kinds: Collection[str]) -> frozenset[int]:
    """Find the chunks of all documents of some kinds."""
    return frozenset(chunk for (chunk,) in connection.executemany(_CHUNKS_OF_KIND, ((kind,) for kind in kinds)))


class FilterSet:
    """Filters with their result in one generation."""

    def __init__(
        self,
        connection: apsw.Connection,
        filters: Filters,
        result: FilterResult,
        locations: dict[int, ChunkLocation],
        contents: ContentReader,
    ) -> None:
        self._connection = connection
        self._result = result
        self._locations = locations
        """Cached locations of chunks in this generation."""
        self._contents = contents
        self.phrases = filters.phrases

    def allows(self, chunk: int) -> bool:
        """Return whether a chunk passes all filters except for the phrases, which need its text."""
        allowed = self._result.allowed
        return (allowed is None or chunk in allowed) and chunk not in self._result.excluded

    def excluded_positions(self, chunks: memoryview[int] | NDArray[np.uint32]) -> NDArray[np.int64] | None:
        """Return the positions of an array of chunks that do not pass, without looking at phrases."""
        return self._result.excluded_positions(chunks)

    def excluded_in(self, segment: Segment) -> NDArray[np.int64] | None:
        """Return the positions of a segment's chunks that do not pass, without looking at phrases."""
        return self._result.excluded_positions(segment.chunks)

    def first_passing(self, documents: Iterable[str]) -> dict[str, str]:
        """Find the first chunk of each document that passes all filters."""
        if self.phrases:
            bindings = ((document,) for document in documents)
            rows = self._connection.executemany(_CHUNKS_OF_DOCUMENT, bindings)
            chunks = [chunk for (chunk,) in rows if self.allows(chunk)]
        else:  # one query for all, and another one where the very first chunk does not pass
            paths = encode(list(documents)).decode()
            first_chunks: list[tuple[Any, ...]] = self._connection.execute(_FIRST_CHUNKS, (paths,)).fetchall()
            passing = (
                chunk if chunk is None or self.allows(chunk) else self._first_allowed(path)
                for path, chunk in first_chunks
            )
            chunks = [chunk for chunk in passing if chunk is not None]
        first: dict[str, str] = {}
        for location in sorted(self.locate(chunks).values()):
            first.setdefault(location.document, location.chunk)
        return first

    def _first_allowed(self, document: str) -> int | None:
        rows = self._connection.execute(_CHUNKS_OF_DOCUMENT, (document,))
        return next((chunk for (chunk,) in rows if self.allows(chunk)), None)

    def locate(self, chunks: Iterable[int]) -> dict[int, ChunkLocation]:
        """Return the locations of those among allowed chunks that contain all phrases."""
        if not self.phrases:
            return self._locate_cached(chunks)
        locations: dict[int, ChunkLocation] = {}
        ids = array("q", chunks)
        for row in self._connection.execute(_TEXTS, (apsw.carray(ids),)) if ids else ():
            chunk = read_chunk(row, self._contents.chunk(self._connection, row[0]))
            if contains_phrases(self.phrases, chunk, row[-1]):
                locations[row[0]] = ChunkLocation(chunk.document, chunk.ordinal, chunk.id)
        return locations

    def _locate_cached(self, chunks: Iterable[int]) -> dict[int, ChunkLocation]:
        """Return the locations of chunks. The rankings of one query, and of several, overlap."""
        if len(self._locations) > _MAX_CACHED:
            self._locations.clear()
        locations, unknown = {}, array("q")
        for chunk in chunks:
            location = self._locations.get(chunk)  # another thread may clear the cache at any moment
            if location is None:
                unknown.append(chunk)
            else:
                locations[chunk] = location
        if unknown:  # one query for all takes half the time of one for each
            rows = self._connection.execute(_LOCATIONS, (apsw.carray(unknown),))
            new = {chunk: ChunkLocation(*location) for chunk, *location in rows}
            self._locations.update(new)
            locations |= new
        return locations


def _allowed_chunks(connection: apsw.Connection, filters: Filters) -> frozenset[int] | None:
    """Find the chunks of documents that pass the filters on whole documents, or None for all."""
    conditions = list(_conditions(filters))
    if filters.properties:
        documents = _documents_with_properties(connection, filters.properties)
        conditions.append(("d.id IN (SELECT value FROM json_each(?))", [encode(documents).decode()]))
    if not conditions:
        return None
    where = " AND ".join(condition for condition, _ in conditions)
    sql = f"SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE {where}"  # noqa: S608 - values are bound
    rows = connection.execute(sql, [value for _, values in conditions for value in values])
    return frozenset(chunk for (chunk,) in rows)


def _documents_with_properties(connection: apsw.Connection, required: Collection[tuple[str, str]]) -> list[int]:
    """Find documents by properties, in Python: SQL cannot split lists of values."""
    rows = connection.execute("SELECT id, properties FROM documents WHERE properties <> '{}'")
    return [document for document, text in rows if has_properties(tuple(required), decode_properties(text))]


def _conditions(filters: Filters) -> Iterator[tuple[str, list[Any]]]:
    """Yield the conditions on a document, each with its values."""
    paths = normalise_paths(filters.paths)
    if paths:
        # "0" is the character after "/": all paths below a folder sort between the two.
        ranges = " OR ".join(["d.path = ? OR (d.path >= ? AND d.path < ?)"] * len(paths))
        yield f"({ranges})", [value for path in paths for value in (path, f"{path}/", f"{path}0")]
    if filters.kinds:
        yield f"d.kind IN {_marks(filters.kinds)}", list(filters.kinds)
    if filters.doc_types:
        yield f"d.doc_type IN {_marks(filters.doc_types)}", list(filters.doc_types)
    if filters.changed_from:
        yield "d.changed_ns >= ?", [filters.changed_from]
    if filters.changed_before:
        yield "d.changed_ns < ?", [filters.changed_before]
    if filters.languages:
        yield f"d.language IN {_marks(filters.languages)}", list(filters.languages)
    if filters.namespaces:
        yield f"d.namespace IN {_marks(filters.namespaces)}", list(filters.namespaces)
    if filters.tags:
        tagged = f"SELECT document FROM tags WHERE tag IN {_marks(filters.tags)}"  # noqa: S608 - values are bound
        yield f"d.id IN ({tagged})", list(fold_tags(filters.tags))


def _marks(values: Collection[str]) -> str:
    return f"({', '.join('?' * len(values))})"
