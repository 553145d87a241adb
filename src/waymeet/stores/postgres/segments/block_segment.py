"""A segment whose posting lists are fetched from the server when they are needed.

What was fetched is kept: blocks are appended to arrays of the process, and lists are places in these arrays. A segment
never changes, so that nothing kept is ever outdated.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waymeet.stores.postgres.segments.posting_blocks import decode_block, position_type
from waymeet.stores.segments.array_file import ArrayContent
from waymeet.stores.segments.frequency_codes import FrequencyCodes
from waymeet.stores.segments.posting_lists import LEVELS, NO_SPAN, LevelReader, Span
from waymeet.stores.segments.reader import Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from numpy.typing import NDArray

    from waymeet.stores.postgres.segments.posting_blocks import LevelBlock

    Ints = NDArray[Any]

_FIRST_CAPACITY = 4096
_GROWTH = 2


class _Column:
    """An array to which items are appended. What was read before stays as it is."""

    def __init__(self, type_: str, width: int | None = None) -> None:
        shape = (_FIRST_CAPACITY,) if width is None else (_FIRST_CAPACITY, width)
        self._space: Ints = np.empty(shape, type_)
        self.items: Ints = self._space[:0]

    def append(self, items: Ints) -> None:
        """Append items."""
        old, new = len(self.items), len(self.items) + len(items)
        if new > len(self._space):
            space = np.empty((max(new, _GROWTH * len(self._space)), *self._space.shape[1:]), self._space.dtype)
            space[:old] = self.items
            self._space = space
        self._space[old:new] = items
        self.items = self._space[:new]


class _Place(NamedTuple):
    """Where the lists of a block are."""

    terms: NDArray[np.int64]
    first_term: int
    starts: NDArray[np.int64]


class BlockLevelReader(LevelReader):
    """Reads the posting lists of one level in the blocks that were fetched."""

    def __init__(self, level: str, arrays: ArrayContent, chunks: int, block_of: Callable[[int], int]) -> None:
        super().__init__(level)
        self._block_of = block_of
        self._places: dict[int, _Place] = {}
        self._codebook: Ints = arrays.array(f"{level} codebook").reshape(-1, len(self._fields))
        self._positions, self._code_column = _Column(position_type(chunks)), _Column("u1")
        self._impacts, self._maxima = _Column("u1"), _Column("u1")
        self._escaped, self._escaped_frequencies = _Column("u4"), _Column("u4", len(self._fields))

    def add(self, number: int, terms: NDArray[np.int64], block: LevelBlock) -> None:
        """Append the lists of a block."""
        first_term, first = len(self._maxima.items), len(self._positions.items)
        self._maxima.append(block.maxima)
        self._escaped_frequencies.append(block.escaped_frequencies)
        self._escaped.append(block.escaped + np.uint32(first))
        self._impacts.append(block.impacts)
        self._code_column.append(block.codes)
        self._positions.append(block.positions)
        self._places[number] = _Place(terms, first_term, block.starts.astype(np.int64) + first)

    @property
    def terms(self) -> Iterable[int]:
        """The hashes of the terms that were fetched."""
        return (term for place in tuple(self._places.values()) for term in place.terms.tolist())

    @property
    def positions(self) -> memoryview[int]:
        """The position of each entry."""
        return self._positions.items.data

    @property
    def position_array(self) -> NDArray[np.unsignedinteger[Any]]:
        """The position of each entry."""
        return self._positions.items

    @property
    def impacts(self) -> NDArray[np.uint8]:
        """The impact of each entry."""
        return self._impacts.items

    @property
    def maxima(self) -> memoryview[int]:
        """The highest impact of each term."""
        return self._maxima.items.data

    @property
    def frequency_codes(self) -> FrequencyCodes:
        """The encoded frequencies of the entries."""
        codes, escaped = self._code_column.items, self._escaped.items
        return FrequencyCodes(codes, self._codebook, escaped, self._escaped_frequencies.items)

    @property
    def _codes(self) -> memoryview[int]:
        return self._code_column.items.data

    def _find_span(self, term: int) -> Span:
        number = self._block_of(term)
        if number < 0:
            return NO_SPAN
        place = self._places[number]
        index = int(place.terms.searchsorted(term))
        if index == len(place.terms) or place.terms[index] != term:
            return NO_SPAN
        begin, end = place.starts[index : index + 2].tolist()
        return Span(place.first_term + index, begin, end) if begin < end else NO_SPAN

    def _read_codebook(self, code: int) -> Iterable[int]:
        row: list[int] = self._codebook[code].tolist()
        return row

    def _read_escaped(self, entry: int) -> Iterable[int]:
        row: list[int] = self._escaped_frequencies.items[self._escaped.items.searchsorted(entry)].tolist()
        return row


class FetchedBlocks:
    """The arrays of a segment, and its blocks as far as they were fetched."""

    def __init__(self, content: bytes, name: str) -> None:
        self.arrays = ArrayContent(content, name)
        self._firsts: NDArray[np.int64] = self.arrays.array("blocks").view(np.int64)
        self.chunks = len(self.arrays.integers("chunks"))
        self.lists = {level: BlockLevelReader(level, self.arrays, self.chunks, self.block_of) for level in LEVELS}
        self._document_only = _Column("u4")
        self._fetched: set[int] = set()
        self._lock = Lock()

    @property
    def number(self) -> int:
        """Count all blocks of the segment."""
        return len(self._firsts)

    @property
    def kept_bytes(self) -> int:
        """Estimate the memory of what was fetched."""
        return self.arrays.size + 8 * sum(len(lists.position_array) for lists in self.lists.values())

    def block_of(self, term: int) -> int:
        """Return the number of the block that has a term if any has, or -1."""
        return int(self._firsts.searchsorted(term, "right")) - 1

    def find_missing(self, terms: NDArray[np.int64]) -> list[int]:
        """List the blocks of terms that were not fetched."""
        numbers: set[int] = set((self._firsts.searchsorted(terms, "right") - 1).tolist())
        return sorted(numbers - self._fetched - {-1})

    def add(self, number: int, content: bytes) -> None:
        """Keep a block that was fetched."""
        block = decode_block(content, self.chunks)
        with self._lock:
            if number in self._fetched:  # another thread was faster
                return
            self._document_only.append(block.document_only)
            for level, lists in self.lists.items():
                lists.add(number, block.terms, block.levels[level])
            self._fetched.add(number)

    def document_only(self, term_index: int) -> int:
        """Count the chunks that have a term only by the fields of their document."""
        return int(self._document_only.items[term_index])


class BlockSegment(Segment):
    """A segment on a server, and which of its documents are deleted."""

    def __init__(self, blocks: FetchedBlocks, deleted: Collection[int] = ()) -> None:
        super().__init__(blocks.arrays, deleted)
        self.blocks = blocks
        self.document_lists, self.chunk_lists = (blocks.lists[level] for level in LEVELS)

    def count_matches(self, term: int) -> int:
        """Count the chunks that contain a term, deleted ones included."""
        span, document_span = self.chunk_lists.span(term), self.document_lists.span(term)
        only = self.blocks.document_only(document_span.term_index) if document_span.end else 0
        return span.end - span.begin + only
