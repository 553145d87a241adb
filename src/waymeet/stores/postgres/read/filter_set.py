"""The chunks that pass filters, for rankings that this process computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from waymeet.stores.lexical.top_k import ChunkLocation
from waymeet.stores.postgres.database.encoding import unescape_text
from waymeet.stores.postgres.read.filters import select_with_phrases

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.lexical.buffer import WriteBuffer
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.read.filters import WordFilter
    from waymeet.stores.segments.reader import Segment
    from waymeet.types import Filters

    Positions = NDArray[np.int64]

_LOCATE = """
SELECT c.id, d.path, c.ordinal, c.key FROM chunks c
    JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
WHERE c.collection_id = %s AND c.id = ANY(%s)
"""
_MAX_CACHED = 50_000
"""Cached locations of chunks; about 300 bytes each."""


class FilterResult:
    """What passes the filters, except for the phrases themselves, in one generation."""

    def __init__(self, documents: array[int] | None, words: WordFilter, buffer: WriteBuffer) -> None:
        self._documents = documents
        self.words = words
        self._buffer = buffer
        self._buffered_documents = frozenset(documents or ()) if buffer.chunks else frozenset[int]()
        self._positions: dict[int, tuple[Segment, Positions | None]] = {}

    def allows(self, chunk: int) -> bool:
        """Return whether a buffered chunk passes."""
        required, excluded = self.words
        return (
            chunk not in excluded
            and (required is None or chunk in required)
            and (self._documents is None or self._buffer.document_of(chunk) in self._buffered_documents)
        )

    def excluded_in(self, segment: Segment) -> Positions | None:
        """Return the positions of a segment's chunks that do not pass, or None if all pass."""
        if self._documents is None and self.words.required is None and not self.words.excluded:
            return None
        if id(segment) not in self._positions:  # the reference keeps the id from being used for another object
            self._positions[id(segment)] = (segment, self._find_positions(segment))
        return self._positions[id(segment)][1]

    def _find_positions(self, segment: Segment) -> Positions | None:
        import numpy as np  # noqa: PLC0415 - numpy costs more than a small search

        is_excluded: NDArray[Any] = np.zeros(len(segment.chunks), dtype=np.bool_)
        if self._documents is not None:
            passes = np.isin(segment.file.array("documents"), np.array(self._documents, dtype=np.int64))
            is_excluded = (~passes).repeat(segment.sizes)
        required, excluded = self.words
        if required is not None:
            is_excluded |= ~np.isin(segment.chunk_ids, np.fromiter(required, np.int64, len(required)))
        if excluded:
            is_excluded |= np.isin(segment.chunk_ids, np.fromiter(excluded, np.int64, len(excluded)))
        positions = np.flatnonzero(is_excluded)
        return positions if len(positions) else None


class FilterSet:
    """Filters with their result, and the locations of chunks."""

    def __init__(
        self, session: Session, filters: Filters, result: FilterResult, locations: dict[int, ChunkLocation]
    ) -> None:
        self._session = session
        self._result = result
        self._locations = locations
        self.phrases = filters.phrases

    def allows(self, chunk: int) -> bool:
        """Return whether a buffered chunk passes all filters except for the phrases."""
        return self._result.allows(chunk)

    def excluded_in(self, segment: Segment) -> Positions | None:
        """Return the positions of a segment's chunks that do not pass, or None if all pass."""
        return self._result.excluded_in(segment)

    def locate(self, chunks: Iterable[int]) -> dict[int, ChunkLocation]:
        """Return the locations of those among allowed chunks that contain all phrases."""
        if self.phrases:
            chunks = select_with_phrases(self._session, chunks, self.phrases)
        return locate(self._session, chunks, self._locations)


def locate(session: Session, chunks: Iterable[int], known: dict[int, ChunkLocation]) -> dict[int, ChunkLocation]:
    """Return the locations of chunks. The rankings of one query, and of several, overlap."""
    if len(known) > _MAX_CACHED:
        known.clear()
    locations, unknown = {}, []
    for chunk in chunks:
        location = known.get(chunk)  # another thread may clear it at any moment
        if location is None:
            unknown.append(chunk)
        else:
            locations[chunk] = location
    if unknown:
        rows = session.rows(_LOCATE, unknown)
        new = {id_: ChunkLocation(unescape_text(path), ordinal, unescape_text(key)) for id_, path, ordinal, key in rows}
        known.update(new)
        locations |= new
    return locations
