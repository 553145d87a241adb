"""The weighted frequencies of words in some documents or chunks, exactly as BM25F sums them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from waymeet.stores.segments.frequency_codes import decode_frequencies
from waymeet.stores.segments.impacts import length_norms
from waymeet.stores.segments.posting_lists import ESCAPE, LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.posting_lists import LevelReader
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
        """Add the weighted frequencies of words, one in each row, at positions."""
        spans = [(row, self._lists.span(term)) for row, terms in enumerate(words) for term in terms]
        spans = [(row, span) for row, span in spans if span.end]
        if not spans or not self._fields:
            return
        own = self._lists.position_array
        needles = positions.astype(own.dtype, copy=False)
        entries = np.empty((len(spans), len(needles)), dtype=np.int64)
        for found, (_, (_, begin, end)) in zip(entries, spans, strict=True):
            np.add(own[begin:end].searchsorted(needles), begin, out=found)
            np.minimum(found, end - 1, out=found)
        is_match = own.take(entries) == positions
        if not is_match.any():
            return
        rows = [row for row, _ in spans]
        for (_, field, scale), frequencies in zip(self._fields, self._decode(entries, is_match), strict=True):
            word_frequencies, word_rows = frequencies, rows
            if len(set(rows)) < len(rows):
                word_frequencies, word_rows = _sum_rows(frequencies, rows)
            word_frequencies /= self._field_norms(field, scale).take(positions)
            word_frequencies *= scale.weight
            sums[word_rows] += word_frequencies

    def sum_all(self, terms: Sequence[int], positions: NDArray[Any], sums: Floats) -> Floats:
        """Add the weighted frequencies of a word at all positions of its lists, in ascending order."""
        totals = np.zeros((len(self._fields), len(positions)), dtype=np.float64)
        for _, begin, end in map(self._lists.span, terms):
            index = positions.searchsorted(self._lists.position_array[begin:end])
            frequencies = decode_frequencies(self._lists.frequency_codes, np.arange(begin, end))
            for total, (column, _, _) in zip(totals, self._fields, strict=True):
                total[index] += frequencies[:, column]
        for total, (_, field, scale) in zip(totals, self._fields, strict=True):
            sums += scale.weight * (total / self._field_norms(field, scale).take(positions))
        return sums

    def _decode(self, entries: NDArray[np.int64], is_match: NDArray[np.bool_]) -> list[Floats]:
        """Decode the frequencies of entries in each field, with 0 for those that do not match."""
        codes = self._lists.frequency_codes.codes.take(entries)
        decoded = [self._codebook[column].take(codes) * is_match for column, _, _ in self._fields]
        if codes.max() == ESCAPE:
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
