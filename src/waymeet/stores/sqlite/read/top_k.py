"""From scores to a ranked list, looking at no more chunks than needed."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nlargest
from typing import TYPE_CHECKING

from waymeet.types import Ranking, ScoredChunk

if TYPE_CHECKING:
    from waymeet.stores.sqlite.read.filters import FilterSet, Place

Scores = Mapping[int, float]

_BATCH = 256


def ranked(places: Mapping[int, Place], scores: Scores, limit: int) -> Ranking:
    """Order chunks by falling score, ties by place, and keep the best."""
    order = sorted(places, key=lambda number: (-scores[number], places[number]))[: max(limit, 0)]
    return tuple(ScoredChunk(places[number].chunk, places[number].document, scores[number]) for number in order)


def leading(gate: FilterSet, scores: Scores, limit: int, slack: float = 0.0) -> dict[int, Place]:
    """Find the chunks that may be among the best `limit` of those that pass, by scores that are off by `slack` at most.

    The best are looked at first, in batches, until enough have passed and nothing left can reach the worst of them.
    """
    found: dict[int, Place] = {}
    if limit <= 0:
        return found
    order = sorted((number for number in scores if gate.admits(number)), key=scores.__getitem__, reverse=True)
    size = max(_BATCH, limit)
    floor = float("-inf")
    for start in range(0, len(order), size):
        batch = [number for number in order[start : start + size] if scores[number] >= floor]
        found.update(gate.places(batch))
        if len(found) >= limit:
            floor = nlargest(limit, (scores[number] for number in found))[-1] - slack
        if scores[order[min(start + size, len(order)) - 1]] < floor:
            break
    return found
