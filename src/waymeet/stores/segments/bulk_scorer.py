"""BM25F over whole segments by numpy: the arithmetic of `stores.bm25f`, operation by operation, on arrays.

Sums are taken in the same order and in the same precision, so that a chunk has the very same score here and there,
and ties are ties wherever their chunks lie.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.impacts import norms, recipe, saturated
from waymeet.stores.segments.posting_codec import FIELD_CODES, MOST, SHIFT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.reader import Segment
    from waymeet.stores.shared.bm25f import Scale

    Floats = NDArray[np.float64]
    Places = NDArray[np.uint32]

_BLOCK = 256
_LEAST = float(np.nextafter(0.0, 1.0))
"""The smallest score that is one."""
_MOST_REMEMBERED = 8_000_000
"""Places remembered for words asked before; about 12 bytes each."""


class Held(NamedTuple):
    """The living chunks that hold a word, by place, and how much it weighs in each."""

    places: Places
    weights: Floats


class Scorer:
    """Scores the chunks of one segment under fixed numbers and averages."""

    def __init__(self, segment: Segment, scales: Mapping[str, Scale], k1: float) -> None:
        self.segment = segment
        self._k1 = k1
        self._baked = segment.container.facts.get("baked") == recipe(scales, k1)
        self._scales = {FIELD_CODES[field]: (field, scale) for field, scale in scales.items()}
        self._norms: dict[int, Floats] = {}
        self._frequency = np.zeros(len(segment.chunks), dtype=np.float64)
        self._remembered: dict[tuple[int, ...], Held] = {}
        self._size = 0
        self._lock = Lock()
        """Threads share what was looked up, and the array in which frequencies are summed."""

    def held(self, terms: Sequence[int]) -> Held:
        """Find the living chunks that hold any of a word's terms in a field that counts."""
        key = tuple(terms)
        found = self._remembered.get(key)
        if found is None:
            with self._lock:
                found = self._look_up(key)
            if self._size > _MOST_REMEMBERED:
                self._remembered.clear()
                self._size = 0
            self._remembered[key] = found
            self._size += len(found.places)
        return found

    def _look_up(self, terms: tuple[int, ...]) -> Held:
        if self._baked and len(terms) == 1:
            return self._living(*self.segment.bearers(terms[0]))
        places, fields, times = self._occurrences(terms)
        if not len(places):
            return Held(places, np.zeros(0))
        occurring = np.bincount(fields, minlength=len(FIELD_CODES) + 1)
        present = [code for code in self._scales if occurring[code]]
        if len(present) == 1:
            frequency = self._part(present[0], places, times)
        else:
            for code in present:  # in the order in which fields are summed
                here = fields == code
                self._frequency[places[here]] += self._part(code, places[here], times[here])
            places = places[np.flatnonzero(np.diff(places, prepend=places[:1] + np.uint32(1)))]
            frequency = self._frequency[places]
            self._frequency[places] = 0.0
        return self._living(places, saturated(frequency, self._k1))

    def _part(self, code: int, places: Places, times: Floats) -> Floats:
        found: Floats = self._scales[code][1].weight * (times / self._norm(code)[places])
        return found

    def _norm(self, code: int) -> Floats:
        """Compare each chunk's field with the usual length."""
        if code not in self._norms:
            field, scale = self._scales[code]
            self._norms[code] = norms(self.segment.length_of_chunks(field), scale)
        return self._norms[code]

    def _occurrences(self, terms: tuple[int, ...]) -> tuple[Places, NDArray[np.uint32], Floats]:
        """List the occurrences in fields that count, by place and field; those of several terms add up."""
        spans = [span for span in map(self.segment.span, terms) if span[0] < span[1]]
        places = np.concatenate([self.segment.places[begin:end] for begin, end in spans] or [np.zeros(0, np.uint32)])
        codes = np.concatenate([self.segment.codes[begin:end] for begin, end in spans] or [np.zeros(0, np.uint32)])
        fields, times = codes >> np.uint32(SHIFT), (codes & np.uint32(MOST)).astype(np.float64)
        if len(self._scales) < len(FIELD_CODES):
            counted = np.isin(fields, list(self._scales))
            places, fields, times = places[counted], fields[counted], times[counted]
        if len(spans) > 1 and len(places):
            order = np.lexsort((fields, places))
            places, fields, times = places[order], fields[order], times[order]
            starts = np.flatnonzero(np.concatenate([[True], (np.diff(places) != 0) | (np.diff(fields) != 0)]))
            places, fields, times = places[starts], fields[starts], np.add.reduceat(times, starts)
        return places, fields, times

    def _living(self, places: Places, weights: Floats) -> Held:
        dead = self.segment.dead_chunks
        if dead is None:
            return Held(places, weights)
        alive = ~dead[places]
        return Held(places[alive], weights[alive])


def summed(size: int, parts: Sequence[tuple[float, Held]]) -> Floats:
    """Add up what the words of a query give to each chunk of a segment; `size` is the number of its chunks.

    Behind the chunks the scores are filled up with zeros to whole blocks.
    """
    scores = np.zeros(-(-size // _BLOCK) * _BLOCK, dtype=np.float64)
    for factor, held in parts:
        np.add.at(scores, held.places, factor * held.weights)
    return scores


def best(scores: Floats, limit: int) -> NDArray[np.int64]:
    """Find the places of the highest scores above zero, highest first, ties in their order.

    The maxima of blocks give a bound below which nothing can be among the best: the limit-th highest maximum. Only
    blocks that reach it are looked into.
    """
    blocks = scores.reshape(-1, _BLOCK)
    if 0 < limit < len(blocks):
        maxima = blocks.max(axis=1)
        bound = max(float(np.partition(maxima, -limit)[-limit]), _LEAST)
        chosen = np.flatnonzero(maxima >= bound)
        row, column = np.nonzero(blocks[chosen] >= bound)
        found = chosen[row] * _BLOCK + column
    else:
        found = np.flatnonzero(scores)
    return found[np.lexsort((found, -scores[found]))[:limit]]
