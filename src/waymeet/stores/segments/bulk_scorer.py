"""BM25F over whole segments by numpy.

The arithmetic is that of `stores.shared.bm25f`, operation by operation and in the same precision and order, so that a
chunk has the same score here and there, and ties are ties in every segment.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.impacts import PARAMETERS, impact_parameters, length_norms, saturate
from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT, MAX_FREQUENCY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.reader import Segment
    from waymeet.stores.shared.bm25f import FieldScale

    Floats = NDArray[np.float64]
    Positions = NDArray[np.uint32]

_BLOCK = 256
"""Chunks in a block, for which `top_positions` takes one maximum."""
_MIN_SCORE = float(np.nextafter(0.0, 1.0))
"""The smallest score above 0."""
_MAX_CACHED = 8_000_000
"""Cached positions of words; about 12 bytes each."""


class Matches(NamedTuple):
    """The chunks that contain a word, by position, and the saturated weight of the word in each."""

    positions: Positions
    weights: Floats


class SegmentScorer:
    """Scores the chunks of one segment under fixed settings and average lengths."""

    def __init__(self, segment: Segment, scales: Mapping[str, FieldScale], k1: float) -> None:
        self.segment = segment
        self._k1 = k1
        self._has_impacts = segment.file.attributes.get(PARAMETERS) == impact_parameters(scales, k1)
        self._scales = {FIELD_CODES[field]: (field, scale) for field, scale in scales.items()}
        self._norms: dict[int, Floats] = {}
        self._frequency = np.zeros(len(segment.chunks), dtype=np.float64)
        self._cache: dict[tuple[int, ...], Matches] = {}
        self._cached = 0
        self._lock = Lock()
        """Protects the cached norms and the array in which frequencies are summed. Threads share a scorer."""

    def find_matches(self, terms: Sequence[int]) -> Matches:
        """Find the live chunks that contain any of a word's terms in a scored field."""
        key = tuple(terms)
        matches = self._cache.get(key)
        if matches is None:
            with self._lock:
                matches = self._look_up(key)
            if self._cached > _MAX_CACHED:
                self._cache.clear()
                self._cached = 0
            self._cache[key] = matches
            self._cached += len(matches.positions)
        return matches

    def _look_up(self, terms: tuple[int, ...]) -> Matches:
        if self._has_impacts and len(terms) == 1:
            return self._without_deleted(*self.segment.impacts(terms[0]))
        positions, fields, frequencies = self._postings(terms)
        if not len(positions):
            return Matches(positions, np.zeros(0))
        postings_by_field = np.bincount(fields, minlength=len(FIELD_CODES) + 1)
        present = [code for code in self._scales if postings_by_field[code]]
        if len(present) == 1:
            normalised = self._normalise(present[0], positions, frequencies)
        else:
            for code in present:  # in the order of summation
                in_field = fields == code
                self._frequency[positions[in_field]] += self._normalise(
                    code, positions[in_field], frequencies[in_field]
                )
            # Positions are sorted: each is kept once. The prepended value differs from the first one.
            positions = positions[np.flatnonzero(np.diff(positions, prepend=positions[:1] + np.uint32(1)))]
            normalised = self._frequency[positions]
            self._frequency[positions] = 0.0
        return self._without_deleted(positions, saturate(normalised, self._k1))

    def _normalise(self, code: int, positions: Positions, frequencies: Floats) -> Floats:
        normalised: Floats = self._scales[code][1].weight * (frequencies / self._field_norms(code)[positions])
        return normalised

    def _field_norms(self, code: int) -> Floats:
        if code not in self._norms:
            field, scale = self._scales[code]
            self._norms[code] = length_norms(self.segment.chunk_lengths(field), scale)
        return self._norms[code]

    def _postings(self, terms: tuple[int, ...]) -> tuple[Positions, NDArray[np.uint32], Floats]:
        """Collect the postings of terms in scored fields, by position and field, equal ones summed."""
        spans = [span for span in map(self.segment.span, terms) if span[0] < span[1]]
        none = [np.zeros(0, np.uint32)]
        positions = np.concatenate([self.segment.positions[begin:end] for begin, end in spans] or none)
        codes = np.concatenate([self.segment.codes[begin:end] for begin, end in spans] or none)
        fields = codes >> np.uint32(FIELD_SHIFT)
        frequencies = (codes & np.uint32(MAX_FREQUENCY)).astype(np.float64)
        if len(self._scales) < len(FIELD_CODES):
            scored = np.isin(fields, list(self._scales))
            positions, fields, frequencies = positions[scored], fields[scored], frequencies[scored]
        if len(spans) > 1 and len(positions):
            order = np.lexsort((fields, positions))
            positions, fields, frequencies = positions[order], fields[order], frequencies[order]
            starts = np.flatnonzero(np.concatenate([[True], (np.diff(positions) != 0) | (np.diff(fields) != 0)]))
            positions, fields = positions[starts], fields[starts]
            frequencies = np.add.reduceat(frequencies, starts)
        return positions, fields, frequencies

    def _without_deleted(self, positions: Positions, weights: Floats) -> Matches:
        deleted = self.segment.deleted_chunks
        if deleted is None:
            return Matches(positions, weights)
        live = ~deleted[positions]
        return Matches(positions[live], weights[live])


def sum_scores(size: int, words: Sequence[tuple[float, Matches]]) -> Floats:
    """Sum factor × weight of all words for each chunk of a segment of `size` chunks.

    The scores are padded with zeros to whole blocks.
    """
    scores = np.zeros(-(-size // _BLOCK) * _BLOCK, dtype=np.float64)
    for factor, matches in words:
        np.add.at(scores, matches.positions, factor * matches.weights)
    return scores


def top_positions(scores: Floats, limit: int) -> NDArray[np.int64]:
    """Find the positions of the highest scores above 0, by descending score, then by position.

    The limit-th highest maximum of a block is a lower bound of the limit-th highest score, so only blocks whose maximum
    reaches it are searched. This is faster than a partition of all scores, most of which are 0.
    """
    blocks = scores.reshape(-1, _BLOCK)
    if 0 < limit < len(blocks):
        maxima = blocks.max(axis=1)
        bound = max(float(np.partition(maxima, -limit)[-limit]), _MIN_SCORE)
        chosen = np.flatnonzero(maxima >= bound)
        row, column = np.nonzero(blocks[chosen] >= bound)
        positions = chosen[row] * _BLOCK + column
    else:
        positions = np.flatnonzero(scores)
    return positions[np.lexsort((positions, -scores[positions]))[:limit]]
