"""From scores to a ranking, reading no more chunks than needed."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nlargest
from typing import TYPE_CHECKING

from waymeet.types import Ranking, ScoredChunk

if TYPE_CHECKING:
    from waymeet.stores.sqlite.read.filters import ChunkLocation, FilterSet

Scores = Mapping[int, float]

_BATCH = 256


def rank_chunks(locations: Mapping[int, ChunkLocation], scores: Scores, limit: int) -> Ranking:
    """Rank chunks by descending score, then by location, and keep the best."""
    order = sorted(locations, key=lambda chunk: (-scores[chunk], locations[chunk]))[: max(limit, 0)]
    return tuple(ScoredChunk(locations[chunk].chunk, locations[chunk].document, scores[chunk]) for chunk in order)


def select_top(filters: FilterSet, scores: Scores, limit: int) -> dict[int, ChunkLocation]:
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
