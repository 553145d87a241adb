"""Merging segments: their posting lists are joined, without reading the tables again."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.array_file import integer_code
from waymeet.stores.segments.frequency_codes import decode_frequencies
from waymeet.stores.segments.posting_lists import LEVELS
from waymeet.stores.segments.postings import PostingLists, SegmentContent, read_codes, read_positions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import ArrayFile

    Ints = NDArray[Any]

_POSITION_BITS = np.uint64(32)
_POSITION_MASK = np.uint64((1 << 32) - 1)
_BLOCK = 500_000
"""Entries that are merged together: memory use stays bounded."""
_GONE = -1
"""New position of what is not part of the merged segment."""


class _Part(NamedTuple):
    """A segment to merge, with the new positions of its documents and chunks."""

    file: ArrayFile
    positions: dict[str, NDArray[np.int64]]
    """The new position of each document and of each chunk, by level."""


def merge_segments(files: Sequence[ArrayFile], places: Sequence[tuple[int, int]]) -> SegmentContent:
    """Compute the content of a segment that has documents of others.

    Each document is given by the index of its file and its position in it, in the new order.
    """
    parts, first = _place_parts(files, np.array(places, np.int64).reshape(-1, 2))
    sizes = np.diff(first)
    documents = _gather(parts, "documents", "document", len(sizes))
    chunks = _gather(parts, "chunks", "chunk", int(first[-1]))
    owner = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    lengths = {
        field: _gather(parts, f"length {field}", level, len(documents) if level == "document" else len(chunks))
        for level, fields in LEVELS.items()
        for field in fields
    }
    lists = {level: _merge_lists(parts, level) for level in LEVELS}
    for file in files:
        file.release_pages()  # all of them would be in memory at the end of a merge
    return SegmentContent(documents, first.astype(np.uint32), chunks, owner, lists, lengths)


def _place_parts(files: Sequence[ArrayFile], places: NDArray[np.int64]) -> tuple[list[_Part], NDArray[np.int64]]:
    """Compute the new positions, and the new position of each document's first chunk."""
    sizes = np.zeros(len(places), np.int64)
    old_first = [file.array("first").astype(np.int64) for file in files]
    for number, first in enumerate(old_first):
        own = places[:, 0] == number
        sizes[own] = np.diff(first)[places[own, 1]]
    new_first = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    parts = []
    for number, (file, first) in enumerate(zip(files, old_first, strict=True)):
        own = np.flatnonzero(places[:, 0] == number)
        documents = np.full(len(first) - 1, _GONE, np.int64)
        documents[places[own, 1]] = own
        owner = np.repeat(np.arange(len(documents)), np.diff(first))
        inside = np.arange(len(owner)) - first[owner]
        chunks = np.where(documents[owner] == _GONE, _GONE, new_first[documents[owner]] + inside)
        parts.append(_Part(file, {"document": documents, "chunk": chunks}))
    return parts, new_first


def _gather(parts: Sequence[_Part], name: str, level: str, size: int) -> NDArray[np.uint32]:
    """Join an array of all parts that has one value for each document or chunk."""
    joined = np.zeros(size, np.uint32)
    for part in parts:
        positions = part.positions[level]
        is_live = positions != _GONE
        joined[positions[is_live]] = part.file.array(name)[is_live]
    return joined


class _SortedLists(NamedTuple):
    """The posting lists of a level in one part, with the new positions."""

    file: ArrayFile
    level: str
    terms: Ints
    starts: NDArray[np.int64]
    positions: Ints
    new_positions: NDArray[np.int64]

    def entries(self, first: int, last: int) -> tuple[NDArray[np.uint64], Ints]:
        """Return keys and frequencies of the terms from the first to before the last."""
        begin, end = np.searchsorted(self.terms, (first, last))
        span = np.arange(self.starts[begin], self.starts[end])
        positions = self.new_positions[self.positions[self.starts[begin] : self.starts[end]]]
        is_live = positions != _GONE
        keys = np.repeat(
            self.terms[begin:end].astype(np.uint64) << _POSITION_BITS, np.diff(self.starts[begin : end + 1])
        )
        keys |= positions.astype(np.uint64)
        return keys[is_live], decode_frequencies(read_codes(self.file, self.level), span[is_live])


def _merge_lists(parts: Sequence[_Part], level: str) -> PostingLists:
    """Merge the posting lists of one level, some terms at a time."""
    sorted_lists = [
        _SortedLists(part.file, level, *read_positions(part.file, level), part.positions[level]) for part in parts
    ]
    number, highest = sum(int(part.starts[-1]) for part in sorted_lists), max(map(_highest_frequency, sorted_lists))
    positions = np.empty(number, np.uint32)
    frequencies = np.empty((number, len(LEVELS[level])), integer_code(highest))
    terms, starts, end = [], [], 0
    for first, last in pairwise(_split_terms(sorted_lists)):
        merged = _merge_terms(sorted_lists, first, last)
        begin, end = end, end + len(merged.positions)
        positions[begin:end], frequencies[begin:end] = merged.positions, merged.frequencies
        terms.append(merged.terms)
        starts.append(merged.starts[:-1] + begin)
    all_starts = np.append(np.concatenate(starts), end).astype(np.int64)
    return PostingLists(np.concatenate(terms), all_starts, positions[:end], frequencies[:end])


def _highest_frequency(lists: _SortedLists) -> int:
    codes = read_codes(lists.file, lists.level)
    return max(int(codes.codebook.max(initial=0)), int(codes.escaped_frequencies.max(initial=0)))


def _split_terms(lists: Sequence[_SortedLists]) -> list[int]:
    """Choose bounds between terms, so that there are about `_BLOCK` entries between two of them."""
    terms = np.concatenate([part.terms for part in lists]).astype(np.int64)
    order = np.argsort(terms, kind="stable")
    entries = np.cumsum(np.concatenate([np.diff(part.starts) for part in lists])[order])
    if not len(terms):
        return [0, 0]
    blocks = np.searchsorted(entries, np.arange(_BLOCK, entries[-1], _BLOCK))
    return [0, *np.unique(terms[order][blocks]).tolist(), int(terms.max()) + 1]


def _merge_terms(lists: Sequence[_SortedLists], first: int, last: int) -> PostingLists:
    """Merge the posting lists of some terms. Those of each part are sorted already."""
    entries = [part.entries(first, last) for part in lists]
    keys, frequencies = (np.concatenate(column) for column in zip(*entries, strict=True))
    order = np.argsort(keys, kind="stable")  # merges the sorted parts
    keys, frequencies = keys[order], frequencies[order]
    positions = (keys & _POSITION_MASK).astype(np.uint32)
    keys >>= _POSITION_BITS
    starts = np.flatnonzero(np.diff(keys, prepend=np.uint64(_POSITION_MASK + np.uint64(1))))
    terms = keys[starts].astype(np.uint32)
    return PostingLists(terms, np.append(starts, len(keys)).astype(np.int64), positions, frequencies)
