"""The weighted frequencies of words in some documents or chunks, exactly as BM25F sums them."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from waymeet.stores.segments.frequency_codes import decode_frequencies
from waymeet.stores.segments.impacts import length_norms
from waymeet.stores.segments.posting_lists import ESCAPE, LEVELS, RANGE, RANGE_BITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.posting_lists import LevelReader, Span
    from waymeet.stores.segments.reader import Segment
    from waymeet.stores.shared.bm25f import FieldScale

    Floats = NDArray[np.float64]


class FrequencyReader:
    """Reads frequencies in the fields of one level of a segment."""

    def __init__(self, segment: Segment, level: str, scales: Mapping[str, FieldScale]) -> None:
        self._segment = segment
        self._lists: LevelReader = getattr(segment, f"{level}_lists")
        lengths = segment.file.attributes["lengths"]
        self._fields = [
            (column, field, scales[field])
            for column, field in enumerate(LEVELS[level])
            if field in scales and lengths[field][0]
        ]
        """Index, name and parameters of the fields that are scored and not empty, in the order of summation."""
        self._norms: dict[str, Floats] = {}

    @cached_property
    def _codebook(self) -> Floats:
        """The frequency in each field by code, one row for each field."""
        codebook = np.zeros((self._lists.frequency_codes.codebook.shape[1], ESCAPE + 1), dtype=np.float64)
        codebook[:, : len(self._lists.frequency_codes.codebook)] = self._lists.frequency_codes.codebook.T
        return codebook

    def _field_norms(self, field: str, scale: FieldScale) -> Floats:
        """Return the length norms of a field by position, with 1 where it is empty."""
        norms = self._norms.get(field)
        if norms is None:
            norms = length_norms(self._segment.field_lengths(field).astype(np.float64), scale)
            norms[norms == 0.0] = 1.0
            self._norms[field] = norms
        return norms

    def add_frequencies(self, sums: Floats, words: Sequence[Sequence[int]], positions: NDArray[Any]) -> None:
        """Add the weighted frequencies of words, one in each row, at ascending positions."""
        spans = [(row, self._lists.span(term)) for row, terms in enumerate(words) for term in terms]
        spans = [(row, span) for row, span in spans if span.end]
        if not spans or not self._fields:
            return
        entries, is_match = self._find_entries([span for _, span in spans], positions)
        if not is_match.any():
            return
        rows = [row for row, _ in spans]
        for (_, field, scale), frequencies in zip(self._fields, self._decode(entries, is_match), strict=True):
            word_frequencies, word_rows = frequencies, rows
            if len(set(rows)) < len(rows):
                word_frequencies, word_rows = _sum_rows(frequencies, rows)
            word_frequencies /= self._field_norms(field, scale).take(positions)
            word_frequencies *= scale.weight
            if len(word_rows) == len(sums):
                sums += word_frequencies
            else:
                sums[word_rows] += word_frequencies

    def _find_entries(
        self, spans: Sequence[Span], positions: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Find the entries at ascending positions, one row for each list, and which of them match.

        Each range of positions is looked up in the part of the lists that belongs to it.
        """
        own, ranges = self._lists.position_array, self._lists.ranges
        bounds = np.array([(begin, *splits, end) for _, begin, end, splits in spans])
        if ranges == 1:
            in_range = positions
            needles = positions.astype(own.dtype, copy=False)
            found = [own[begin:end].searchsorted(needles) for _, begin, end, _ in spans]
            begins, ends = bounds[:, :1], bounds[:, 1:]
        else:
            numbers, in_range = positions >> RANGE_BITS, positions & RANGE - 1
            needles = in_range.astype(own.dtype)
            cuts = (0, *numbers.searchsorted(range(1, ranges)).tolist(), len(needles))
            parts = [needles[first:last] for first, last in pairwise(cuts)]
            found = [
                own[begin:end].searchsorted(part)
                for _, first, last, splits in spans
                for begin, end, part in zip((first, *splits), (*splits, last), parts, strict=True)
            ]
            begins, ends = bounds.take(numbers, axis=1), bounds.take(numbers + 1, axis=1)
        entries = np.concatenate(found).reshape(len(spans), -1)
        entries += begins
        is_match = entries < ends
        is_match &= own.take(entries, mode="clip") == in_range
        return entries, is_match

    def sum_all(self, terms: Sequence[int], positions: NDArray[Any], sums: Floats) -> Floats:
        """Add the weighted frequencies of a word at all positions of its lists, in ascending order."""
        totals = np.zeros((len(self._fields), len(positions)), dtype=np.float64)
        for span in map(self._lists.span, terms):
            index = positions.searchsorted(self._lists.read_position_array(span))
            frequencies = decode_frequencies(self._lists.frequency_codes, np.arange(span.begin, span.end))
            for total, (column, _, _) in zip(totals, self._fields, strict=True):
                total[index] += frequencies[:, column]
        for total, (_, field, scale) in zip(totals, self._fields, strict=True):
            sums += scale.weight * (total / self._field_norms(field, scale).take(positions))
        return sums

    def _decode(self, entries: NDArray[np.int64], is_match: NDArray[np.bool_]) -> list[Floats]:
        """Decode the frequencies of entries in each field, with 0 for those that do not match."""
        codes = self._lists.frequency_codes.codes.take(entries, mode="clip")
        decoded = [self._codebook[column].take(codes) * is_match for column, _, _ in self._fields]
        if len(self._lists.frequency_codes.escaped) and codes.max() == ESCAPE:
            is_escaped = (codes == ESCAPE) & is_match
            escaped = decode_frequencies(self._lists.frequency_codes, entries[is_escaped])
            for (column, _, _), frequencies in zip(self._fields, decoded, strict=True):
                frequencies[is_escaped] = escaped[:, column]
        return decoded


def _sum_rows(frequencies: Floats, rows: list[int]) -> tuple[Floats, list[int]]:
    """Sum the frequencies of all terms of a word."""
    distinct = list(dict.fromkeys(rows))
    summed = np.zeros((len(distinct), frequencies.shape[1]), dtype=np.float64)
    for row, term_frequencies in zip(rows, frequencies, strict=True):
        summed[distinct.index(row)] += term_frequencies
    return summed, distinct
