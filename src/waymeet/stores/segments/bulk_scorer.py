"""BM25F over segments by numpy.

The arithmetic is that of `stores.shared.bm25f`, operation by operation and in the same precision and order, so that a
chunk has the same score here and there, and ties are ties in every segment.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waymeet.stores.segments.frequency_codes import decode_frequencies
from waymeet.stores.segments.impacts import impact_range, impact_step, saturate, weigh_frequencies
from waymeet.stores.segments.posting_lists import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.posting_lists import LevelReader
    from waymeet.stores.segments.reader import Segment
    from waymeet.stores.shared.bm25f import FieldScale

    Floats = NDArray[np.float64]
    Positions = NDArray[np.int64]

_MAX_RATIO = 1.5
"""The ratio of the bounds of `impact_range` above which impacts exclude too few chunks to be of use."""
_MAX_CACHED = 500_000
"""Cached weights of words in one segment; 16 bytes each."""


class Matches(NamedTuple):
    """The live chunks that contain a word, by position, and the exact weight of the word in each."""

    positions: Positions
    weights: Floats


class Bounds(NamedTuple):
    """Upper bounds of the weights of a term, whose unit is `SegmentScorer.unit`."""

    positions: NDArray[np.unsignedinteger[Any]]
    """The chunks of the term's list."""
    impacts: NDArray[np.uint8]
    documents: NDArray[np.unsignedinteger[Any]]
    """The documents of the term's list. Their impacts count for each of their chunks."""
    document_impacts: NDArray[np.uint8]
    highest: int


class SegmentScorer:
    """Scores the chunks of one segment under fixed settings and average lengths."""

    def __init__(self, segment: Segment, scales: Mapping[str, FieldScale], k1: float) -> None:
        self.segment = segment
        self._scales = scales
        self._k1 = k1
        range_ = impact_range(segment.file.attributes, scales, k1)
        self.has_bounds = range_ is not None and range_.highest <= _MAX_RATIO * range_.lowest
        """Whether the impacts of the segment are useful bounds under the settings."""
        lowest, highest = range_ or (0.0, 0.0)
        step = impact_step(segment.file.attributes["impact parameters"]["k1"][0])
        self.unit, self.certain_share = step * highest, lowest / highest if highest else 0.0
        """The unit of bounds. A weight is above `certain_share` times its bound less one unit."""
        self.highest_weight = k1 + 1.0
        self._counts: dict[tuple[int, ...], int] = {}
        self._cache: dict[tuple[int, ...], Matches] = {}
        self._cached = 0

    @cached_property
    def deleted_chunks(self) -> Positions:
        """The positions of deleted chunks, ascending."""
        documents = np.array(sorted(self.segment.deleted), dtype=np.int64)
        return self._expand(documents)[0]

    def count_chunks(self, terms: tuple[int, ...]) -> int:
        """Count the live chunks that contain any of a word's terms in a scored field."""
        if terms not in self._counts:
            if len(terms) == 1 and len(self._scales) == sum(map(len, LEVELS.values())):
                self._counts[terms] = self.segment.count_matches(terms[0]) - self._count_deleted(terms[0])
            else:
                self._counts[terms] = len(self.find_matches(terms).positions)
        return self._counts[terms]

    def _count_deleted(self, term: int) -> int:
        """Count the deleted chunks that contain a term."""
        if not self.segment.deleted:
            return 0
        return int(np.count_nonzero(self.weigh((term,), self.deleted_chunks)))

    def bounds(self, term: int) -> Bounds:
        """Return upper bounds of a term's weights, for deleted chunks too."""
        chunks, documents = self.segment.chunk_lists, self.segment.document_lists
        span, document_span = chunks.span(term), documents.span(term)
        highest = chunks.maxima[span.term_index] if span.end else 0
        if document_span.end:
            highest = max(highest, documents.maxima[document_span.term_index])
        entries, document_entries = slice(span.begin, span.end), slice(document_span.begin, document_span.end)
        return Bounds(
            chunks.position_array[entries],
            chunks.impacts[entries],
            documents.position_array[document_entries],
            documents.impacts[document_entries],
            highest,
        )

    def add_bounds(self, scores: NDArray[np.float32], factor: float, bounds: Bounds) -> None:
        """Add factor × bound of a term to the score of each chunk."""
        unit = np.float32(factor * self.unit)
        np.add.at(scores, bounds.positions, bounds.impacts * unit)
        if len(bounds.documents):
            positions, index = self._expand(bounds.documents)
            np.add.at(scores, positions, (bounds.document_impacts * unit)[index])

    def _expand(self, documents: NDArray[Any]) -> tuple[Positions, Positions]:
        """Return the positions of the chunks of documents, and the index of the document of each."""
        first = self.segment.first_chunks
        begin = first[documents]
        sizes = first[documents.astype(np.int64) + 1] - begin
        index = np.repeat(np.arange(len(documents)), sizes)
        return np.arange(len(index)) + (begin - (np.cumsum(sizes) - sizes))[index], index

    def find_matches(self, terms: tuple[int, ...]) -> Matches:
        """Find the live chunks that contain any of a word's terms in a scored field, with exact weights."""
        matches = self._cache.get(terms)
        if matches is None:
            positions = self._find_positions(terms)
            weights = self.weigh(terms, positions)
            is_match = weights > 0.0
            if self.segment.deleted:
                is_match[np.isin(positions, self.deleted_chunks)] = False
            matches = Matches(positions[is_match], weights[is_match])
            if self._cached > _MAX_CACHED:
                self._cache.clear()
                self._cached = 0
            self._cache[terms] = matches
            self._cached += len(matches.positions)
        return matches

    def _find_positions(self, terms: Sequence[int]) -> Positions:
        """Find the chunks with an entry of any of the terms, or of whose document there is one."""
        occurs = np.zeros(len(self.segment.chunks), dtype=np.bool_)
        for term in terms:
            bounds = self.bounds(term)
            occurs[bounds.positions] = True
            if len(bounds.documents):
                occurs[self._expand(bounds.documents)[0]] = True
        return np.flatnonzero(occurs)

    def weigh(self, terms: Sequence[int], positions: Positions) -> Floats:
        """Compute the exact weight of a word, given by its terms, in the chunks at positions."""
        frequency = np.zeros(len(positions), dtype=np.float64)
        owners = self.segment.owners[positions]
        for lists, level, own in (
            (self.segment.document_lists, "document", owners),
            (self.segment.chunk_lists, "chunk", positions),
        ):
            frequencies = self._sum_frequencies(lists, level, terms, own)
            if frequencies is None:
                continue
            for column, field in enumerate(LEVELS[level]):  # in the order of summation
                occurs = np.flatnonzero(frequencies[:, column])
                if len(occurs) and field in self._scales:
                    lengths = self.segment.field_lengths(field)[own[occurs]]
                    frequency[occurs] += weigh_frequencies(frequencies[occurs, column], lengths, self._scales[field])
        return saturate(frequency, self._k1) if self._k1 else np.sign(frequency)

    def _sum_frequencies(
        self, lists: LevelReader, level: str, terms: Sequence[int], positions: NDArray[Any]
    ) -> NDArray[np.int64] | None:
        """Sum the frequencies of terms by field at positions, or return None if there are none."""
        summed: NDArray[np.int64] | None = None
        for term in terms:
            span = lists.span(term)
            if not span.end:
                continue
            own = lists.position_array[span.begin : span.end]
            entries = np.minimum(np.searchsorted(own, positions.astype(own.dtype)), len(own) - 1)
            occurs = np.flatnonzero(own[entries] == positions)
            if not len(occurs):
                continue
            if summed is None:
                summed = np.zeros((len(positions), len(LEVELS[level])), dtype=np.int64)
            summed[occurs] += decode_frequencies(lists.frequency_codes, entries[occurs] + span.begin)
        return summed
