"""Posting lists in blocks: one row has the lists of some terms.

Terms are in the order of their hashes. A segment has one row of arrays for all its chunks (see
`stores.segments.postings`), and one row for each block. The array `blocks` has the hash of the first term of each
block, so that a reader fetches just the blocks of its terms. A block has these arrays, each behind the other, after
their numbers of items:

    terms               the hashes of its terms, ascending
    LEVEL starts        where the list of each term begins, and the number of entries
    LEVEL positions, codes, impacts, maxima, escaped, escaped frequencies, and `document only`, as in a segment file
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waymeet.stores.postgres.segments.term_rows import ENTRY_BYTES, HASH_BYTES
from waymeet.stores.segments.array_file import encode_arrays
from waymeet.stores.segments.impacts import compute_impacts
from waymeet.stores.segments.posting_codec import DocumentTerms
from waymeet.stores.segments.posting_lists import LEVELS
from waymeet.stores.segments.postings import build_arrays, invert

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import Arrays
    from waymeet.stores.segments.postings import PostingLists, SegmentContent
    from waymeet.stores.shared.bm25f import FieldScale

    Ints = NDArray[Any]

_BLOCK_BYTES = 8192
"""Bytes of a block, unless a single list is longer."""
_TERM_BYTES, _ENTRY_BYTES = 22, 5
"""Bytes of a term and of an entry in a block, about."""
_COUNTS = struct.Struct("<5I")
"""Number of terms, then for each level the numbers of entries and of escaped entries."""
_WHOLE = (
    "documents",
    "first",
    "chunks",
    "owner",
    *(f"length {field}" for fields in LEVELS.values() for field in fields),
)
"""Arrays that a reader needs for any term."""
_SMALL_POSITIONS = 1 << 16


class EncodedSegment(NamedTuple):
    """A segment as its rows contain it."""

    arrays: bytes
    blocks: list[bytes]


class LevelBlock(NamedTuple):
    """The lists of one level in a block."""

    starts: Ints
    positions: Ints
    codes: NDArray[np.uint8]
    impacts: NDArray[np.uint8]
    maxima: NDArray[np.uint8]
    escaped: Ints
    escaped_frequencies: Ints


class Block(NamedTuple):
    """A decoded block."""

    terms: NDArray[np.int64]
    document_only: Ints
    levels: Mapping[str, LevelBlock]


def build_segment(documents: Sequence[DocumentTerms], scales: Mapping[str, FieldScale], k1: float) -> EncodedSegment:
    """Compute the rows of a segment from documents in the order of their paths."""
    hashes, numbered = _number_terms(documents)
    content = invert(numbered)
    impacts, parameters = compute_impacts(content, scales, k1)
    arrays, attributes = build_arrays(content)
    whole: Arrays = {name: arrays[name] for name in _WHOLE}
    whole |= {f"{level} codebook": arrays[f"{level} codebook"] for level in LEVELS}
    bounds = _choose_bounds(content, len(hashes))
    whole["blocks"] = ("Q", hashes[bounds[:-1]].view(np.uint64))
    blocks = list(_encode_blocks(content, hashes, bounds, arrays | impacts))
    return EncodedSegment(encode_arrays(whole, attributes | parameters), blocks)


def _number_terms(documents: Sequence[DocumentTerms]) -> tuple[NDArray[np.int64], list[DocumentTerms]]:
    """Number the terms in the order of their hashes, and encode the documents by these numbers."""
    parts = [part for document in documents for part in (document.terms, *(terms for _, terms in document.chunks))]
    sizes = [len(part) // ENTRY_BYTES for part in parts]
    halves = [(part[: size * HASH_BYTES], part[size * HASH_BYTES :]) for part, size in zip(parts, sizes, strict=True)]
    hashes = np.frombuffer(b"".join(hashes for hashes, _ in halves) or b"", ">i8").astype(np.int64)
    distinct, numbers = np.unique(hashes, return_inverse=True)
    pairs = np.empty((len(numbers), 2), "<u4")
    pairs[:, 0], pairs[:, 1] = numbers, np.frombuffer(b"".join(codes for _, codes in halves), ">u4")
    packed, bytes_ = pairs.tobytes(), pairs.strides[0]
    ends = np.cumsum(sizes, dtype=np.int64).tolist()
    slices = iter([packed[(end - size) * bytes_ : end * bytes_] for size, end in zip(sizes, ends, strict=True)])
    return distinct, [
        DocumentTerms(document.id, next(slices), [(chunk, next(slices)) for chunk, _ in document.chunks])
        for document in documents
    ]


def _choose_bounds(content: SegmentContent, terms: int) -> NDArray[np.int64]:
    """Choose at which terms blocks begin, and where the last one ends."""
    sizes = np.full(terms, _TERM_BYTES, np.int64)
    for lists in content.lists.values():
        sizes[lists.terms] += np.diff(lists.starts) * _ENTRY_BYTES
    block = (np.cumsum(sizes) - sizes) // _BLOCK_BYTES
    return np.append(np.flatnonzero(np.diff(block, prepend=-1)), terms)


def _encode_blocks(
    content: SegmentContent, hashes: NDArray[np.int64], bounds: NDArray[np.int64], arrays: Arrays
) -> Iterator[bytes]:
    levels = [_LevelEncoder(level, content.lists[level], arrays, len(hashes), len(content.chunks)) for level in LEVELS]
    only = np.zeros(len(hashes), "<u4")
    only[content.lists["document"].terms] = arrays["document only"][1]
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        encoded = [level.encode(begin, end) for level in levels]
        counts = [number for entries, escaped, _ in encoded for number in (entries, escaped)]
        own = (hashes[begin:end].astype("<i8").tobytes(), only[begin:end].tobytes())
        yield b"".join(
            (_COUNTS.pack(end - begin, *counts), *own, *(piece for *_, pieces in encoded for piece in pieces))
        )


class _LevelEncoder:
    """Encodes the lists of one level for ranges of terms."""

    def __init__(self, level: str, lists: PostingLists, arrays: Arrays, terms: int, chunks: int) -> None:
        sizes, maxima = np.zeros(terms, np.int64), np.zeros(terms, np.uint8)
        sizes[lists.terms] = np.diff(lists.starts)
        maxima[lists.terms] = arrays[f"{level} maxima"][1]
        self._starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        self._maxima = maxima
        self._positions = lists.positions.astype(position_type(chunks))
        self._codes, self._impacts = (arrays[f"{level} {name}"][1] for name in ("codes", "impacts"))
        self._escaped = arrays[f"{level} escaped"][1].astype(np.int64)
        self._escaped_frequencies = arrays[f"{level} escaped frequencies"][1].reshape(-1, len(LEVELS[level]))

    def encode(self, begin: int, end: int) -> tuple[int, int, tuple[bytes, ...]]:
        """Encode the lists of a range of terms, and count entries and escaped entries."""
        starts = self._starts[begin : end + 1]
        first, last = int(starts[0]), int(starts[-1])
        low, high = self._escaped.searchsorted([first, last]).tolist()
        pieces = (
            (starts - first).astype("<u4").tobytes(),
            self._positions[first:last].tobytes(),
            self._codes[first:last].tobytes(),
            self._impacts[first:last].tobytes(),
            self._maxima[begin:end].tobytes(),
            (self._escaped[low:high] - first).astype("<u4").tobytes(),
            self._escaped_frequencies[low:high].astype("<u4").tobytes(),
        )
        return last - first, high - low, pieces


def position_type(chunks: int) -> str:
    """Return the type of positions in a segment with that many chunks."""
    return "<u2" if chunks <= _SMALL_POSITIONS else "<u4"


def decode_block(content: bytes, chunks: int) -> Block:
    """Decode a block of a segment with that many chunks."""
    terms, *counts = _COUNTS.unpack_from(content)
    reader = _ItemReader(content, _COUNTS.size)
    hashes, only = reader.take("<i8", terms), reader.take("<u4", terms)
    levels = {}
    for (level, fields), entries, escaped in zip(LEVELS.items(), counts[::2], counts[1::2], strict=True):
        levels[level] = LevelBlock(
            starts=reader.take("<u4", terms + 1),
            positions=reader.take(position_type(chunks), entries),
            codes=reader.take("u1", entries),
            impacts=reader.take("u1", entries),
            maxima=reader.take("u1", terms),
            escaped=reader.take("<u4", escaped),
            escaped_frequencies=reader.take("<u4", escaped * len(fields)).reshape(escaped, len(fields)),
        )
    return Block(hashes, only, levels)


class _ItemReader:
    """Reads arrays that follow each other."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content = content
        self._offset = offset

    def take(self, type_: str, number: int) -> Ints:
        array: Ints = np.frombuffer(self._content, type_, number, self._offset) if number else np.empty(0, type_)
        self._offset += array.nbytes
        return array
