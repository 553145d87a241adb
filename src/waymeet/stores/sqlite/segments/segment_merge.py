"""Merging segments: their posting lists are joined, without reading the tables again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.posting_lists import LEVELS
from waymeet.stores.segments.postings import PostingLists, SegmentContent, read_lists

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import ArrayFile

    Ints = NDArray[Any]

_POSITION_BITS = np.uint64(32)
_POSITION_MASK = np.uint64((1 << 32) - 1)
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


def _merge_lists(parts: Sequence[_Part], level: str) -> PostingLists:
    """Merge the posting lists of one level. The lists of each part are sorted already."""
    all_keys, all_frequencies = [], []
    for part in parts:
        lists = read_lists(part.file, level)
        positions = part.positions[level][lists.positions]
        is_live = positions != _GONE
        keys = np.repeat(lists.terms.astype(np.uint64) << _POSITION_BITS, np.diff(lists.starts))
        keys |= positions.astype(np.uint64)
        is_complete = bool(is_live.all())
        all_keys.append(keys if is_complete else keys[is_live])
        all_frequencies.append(lists.frequencies if is_complete else lists.frequencies[is_live])
    keys, frequencies = np.concatenate(all_keys), np.concatenate(all_frequencies)
    del all_keys, all_frequencies
    order = np.argsort(keys, kind="stable")  # merges the sorted parts
    frequencies = frequencies[order]
    keys = keys[order]
    del order
    positions = (keys & _POSITION_MASK).astype(np.uint32)
    keys >>= _POSITION_BITS
    starts = np.flatnonzero(np.diff(keys, prepend=np.uint64(_POSITION_MASK + np.uint64(1))))
    terms = keys[starts].astype(np.uint32)
    return PostingLists(terms, np.append(starts, len(keys)).astype(np.int64), positions, frequencies)
