"""From scores to a ranking, reading no more chunks than needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple, Protocol

from waymeet.types import Ranking, ScoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.segments.reader import Segment

Scores = Mapping[int, float]

_BATCH = 256


class ChunkLocation(NamedTuple):
    """Document, ordinal and id of a chunk, which is also the order of ties."""

    document: str
    ordinal: int
    chunk: str


class ChunkFilters(Protocol):
    """Filters with their result in one generation."""

    phrases: tuple[str, ...]

    def allows(self, chunk: int) -> bool:
        """Return whether a chunk passes all filters except for the phrases."""
        ...

    def excluded_in(self, segment: Segment) -> NDArray[np.int64] | None:
        """Return the positions of a segment's chunks that do not pass, or None if all pass."""
        ...

    def locate(self, chunks: Iterable[int]) -> dict[int, ChunkLocation]:
        """Return the locations of those among allowed chunks that contain all phrases."""
        ...


def rank_chunks(locations: Mapping[int, ChunkLocation], scores: Scores, limit: int) -> Ranking:
    """Rank chunks by descending score, then by location, and keep the best."""
    order = sorted(locations, key=lambda chunk: (-scores[chunk], locations[chunk]))[: max(limit, 0)]
    return tuple(ScoredChunk(locations[chunk].chunk, locations[chunk].document, scores[chunk]) for chunk in order)


def select_top(filters: ChunkFilters, scores: Scores, limit: int) -> dict[int, ChunkLocation]:
    """Find the chunks that may be among the best `limit` of those that pass the filters.

    Chunks are read in batches, the best first, until enough have passed and none of the rest can reach the worst.
    """
    passing: dict[int, ChunkLocation] = {}
    if limit <= 0:
        return passing
    order = sorted((chunk for chunk in scores if filters.allows(chunk)), key=scores.__getitem__, reverse=True)
    size = max(_BATCH, limit)
    floor = float("-inf")
    for start in range(0, len(order), size):
        batch = [chunk for chunk in order[start : start + size] if scores[chunk] >= floor]
        passing.update(filters.locate(batch))
        if len(passing) >= limit:
            floor = nlargest(limit, (scores[chunk] for chunk in passing))[-1]
        if scores[order[min(start + size, len(order)) - 1]] < floor:
            break
    return passing
