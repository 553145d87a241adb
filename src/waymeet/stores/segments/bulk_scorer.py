"""BM25F over segments by numpy.

The arithmetic is that of `stores.shared.bm25f`, operation by operation and in the same precision and order, so that a
chunk has the same score here and there, and ties are ties in every segment.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waymeet.stores.segments.frequency_reader import FrequencyReader
from waymeet.stores.segments.impacts import PARAMETERS, impact_range, impact_step, saturate
from waymeet.stores.segments.posting_lists import LEVELS
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.posting_lists import Span
    from waymeet.stores.segments.reader import Segment
    from waymeet.stores.shared.bm25f import FieldScale

    Floats = NDArray[np.float64]
    Positions = NDArray[np.int64]

_MAX_RATIO = 1.5
"""The ratio of the bounds of `impact_range` above which impacts exclude too few chunks to be of use."""
MAX_CACHED = 6_000_000
"""Cached weights of words; 12 bytes each."""

_MAX_COUNTS = 20_000
"""Cached numbers of chunks that contain a word; about 200 bytes each."""
_FEW_DOCUMENTS = 8
"""Documents up to which a loop over them is faster than numpy."""
_MIN_SKIPPED = 16
"""All chunks per chunk of some documents from which it is faster to address these than to add zeros to the others."""


class Matches(NamedTuple):
    """The positions of the live chunks that contain a word, and its exact weight in each."""

    positions: NDArray[np.uint32]
    weights: Floats


class TermBounds(NamedTuple):
    """The lists with the upper bounds of a term's weights, and the highest of them."""

    chunks: Span
    documents: Span
    highest: int

    @property
    def length(self) -> int:
        """Count the entries of the lists."""
        return self.chunks.end - self.chunks.begin + self.documents.end - self.documents.begin


class SegmentScorer:
    """Scores the chunks of one segment under fixed settings and average lengths."""

    def __init__(
        self, segment: Segment, scales: Mapping[str, FieldScale], k1: float, max_cached: int = MAX_CACHED
    ) -> None:
        self.segment = segment
        self._max_cached = max_cached
        self._scales = scales
        self._k1 = k1
        range_ = impact_range(segment.file.attributes, scales, k1)
        self.has_bounds = range_ is not None and range_.highest <= _MAX_RATIO * range_.lowest
        """Whether the impacts of the segment are useful bounds under the settings."""
        lowest, highest = range_ if range_ is not None and self.has_bounds else (1.0, 1.0)
        self.unit = highest * impact_step(segment.file.attributes[PARAMETERS]["k1"][0])
        """The unit of bounds."""
        self.certain_share = lowest / highest
        """A weight is above this share of its bound less one unit."""
        self.highest_weight = k1 + 1.0
        self._documents, self._chunks = (FrequencyReader(segment, level, scales) for level in LEVELS)
        self._counts: dict[tuple[int, ...], int] = {}
        self._cache: dict[tuple[int, ...], Matches] = {}
        self._cached = 0

    @cached_property
    def deleted_chunks(self) -> Positions:
        """The positions of deleted chunks, ascending."""
        return np.flatnonzero(np.isin(self.segment.owners, list(self.segment.deleted)))

    def count_chunks(self, terms: tuple[int, ...]) -> int:
        """Count the live chunks that contain any of a word's terms in a scored field."""
        if terms not in self._counts:
            if len(self._counts) > _MAX_COUNTS:
                self._counts = {}
            if len(terms) == 1 and len(self._scales) == len(FIELDS):
                self._counts[terms] = self.segment.count_matches(terms[0]) - self._count_deleted(terms[0])
            else:
                self._counts[terms] = len(self.find_matches(terms).positions)
        return self._counts[terms]

    def _count_deleted(self, term: int) -> int:
        """Count the deleted chunks that contain a term."""
        if not self.segment.deleted:
            return 0
        return int(np.count_nonzero(self.score([((term,), 1.0)], self.deleted_chunks)))

    def bounds(self, term: int) -> TermBounds:
        """Find the upper bounds of a term's weights, for deleted chunks too."""
        chunks, documents = self.segment.chunk_lists, self.segment.document_lists
        span, document_span = chunks.span(term), documents.span(term)
        highest = chunks.maxima[span.term_index] if span.end else 0
        if document_span.end:
            highest = max(highest, documents.maxima[document_span.term_index])
        return TermBounds(span, document_span, highest)

    def add_bounds(self, scores: NDArray[np.float32], factor: float, bounds: TermBounds) -> None:
        """Add factor × bound of a term to the score of each chunk."""
        chunks = self.segment.chunk_lists
        unit = np.float32(factor * self.unit)
        _, begin, end, _ = bounds.chunks
        np.add.at(scores, chunks.read_position_array(bounds.chunks), chunks.impacts[begin:end] * unit)
        if bounds.documents.end:
            self._add_document_bounds(scores, unit, bounds.documents)

    def _add_document_bounds(self, scores: NDArray[np.float32], unit: np.float32, span: Span) -> None:
        """Add the bounds of a list of documents, which count for each of their chunks."""
        segment, documents = self.segment, self.segment.document_lists
        values = documents.impacts[span.begin : span.end] * unit
        if len(values) <= _FEW_DOCUMENTS:
            first = segment.first
            for document, value in zip(documents.read_positions(span), values.tolist(), strict=True):
                scores[first[document] : first[document + 1]] += value
            return
        positions = documents.read_position_array(span)
        sizes = segment.sizes.take(positions)
        ends = sizes.cumsum()
        if ends[-1] * _MIN_SKIPPED < len(segment.chunks):
            chunks = (segment.firsts.take(positions) + sizes - ends).repeat(sizes)
            chunks += np.arange(len(chunks))
            scores[chunks] += values.repeat(sizes)
        else:
            by_document = np.zeros(len(segment.sizes), dtype=np.float32)
            by_document[positions] = values
            scores[: len(segment.chunks)] += by_document.repeat(segment.sizes)

    def find_matches(self, terms: tuple[int, ...]) -> Matches:
        """Find the live chunks that contain a word in a scored field, with its exact weights."""
        matches = self._cache.get(terms)
        if matches is None:
            positions, frequency = self._find_documents(terms)
            weights = self._saturate(self._chunks.sum_all(terms, positions, frequency))
            is_match = weights > 0.0
            if self.segment.deleted:
                is_match[np.isin(positions, self.deleted_chunks)] = False
            matches = Matches(positions[is_match].astype(np.uint32), weights[is_match])
            if self._cached > self._max_cached:
                self._cache.clear()
                self._cached = 0
            self._cache[terms] = matches
            self._cached += len(matches.positions)
        return matches

    def _find_documents(self, terms: Sequence[int]) -> tuple[NDArray[Any], Floats]:
        """Find the chunks in whose fields or whose document's fields a word may occur.

        Returned with their positions are the weighted frequencies in the fields of their documents.
        """
        spans, document_spans = (
            [span for span in map(lists.span, terms) if span.end]
            for lists in (self.segment.chunk_lists, self.segment.document_lists)
        )
        if len(spans) == 1 and not document_spans:
            own = self.segment.chunk_lists.read_position_array(spans[0])
            return own, np.zeros(len(own))
        occurs = np.zeros(len(self.segment.chunks), dtype=np.bool_)
        for span in spans:
            occurs[self.segment.chunk_lists.read_position_array(span)] = True
        if not document_spans:
            found = occurs.nonzero()[0]
            return found, np.zeros(len(found))
        has_term = np.zeros(len(self.segment.sizes), dtype=np.bool_)
        for span in document_spans:
            has_term[self.segment.document_lists.read_position_array(span)] = True
        occurs |= has_term.repeat(self.segment.sizes)
        distinct = has_term.nonzero()[0]
        frequency = np.zeros(len(has_term))
        frequency[distinct] = self._documents.sum_all(terms, distinct, np.zeros(len(distinct)))
        found = occurs.nonzero()[0]
        return found, frequency[self.segment.owners.take(found)]

    def score(self, words: Sequence[tuple[tuple[int, ...], float]], positions: Positions) -> Floats:
        """Compute the exact scores of chunks by words, given by terms and factor."""
        frequency = np.zeros((len(words), len(positions)), dtype=np.float64)
        terms = [word_terms for word_terms, _ in words]
        self._documents.add_frequencies(frequency, terms, self.segment.owners.take(positions))
        self._chunks.add_frequencies(frequency, terms, positions)
        parts = self._saturate(frequency)
        parts *= np.array([[factor] for _, factor in words])
        scores: Floats = parts[0]
        for part in parts[1:]:  # in the order of summation
            scores += part
        return scores

    def _saturate(self, frequency: Floats) -> Floats:
        return saturate(frequency, self._k1) if self._k1 else np.sign(frequency)
