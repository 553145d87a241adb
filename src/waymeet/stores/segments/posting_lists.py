"""Reading the posting lists of one level: entries by loops, whole lists by numpy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import ArrayContent
    from waymeet.stores.segments.frequency_codes import FrequencyCodes

    Occurrences = tuple[tuple[str, int], ...]
    """The fields in which a term occurs, with its frequency in each."""

LEVELS = {"document": DOCUMENT_FIELDS, "chunk": CHUNK_FIELDS}
"""The fields of each level, in the order of summation: all fields of a document, then those of a chunk."""
RANGE_BITS = 16
RANGE = 1 << RANGE_BITS
"""Positions in a range: those of a file have 16 bits, and the entries of a list are split by range."""
BLOCK = 16
"""Terms in a block. The id of its first term is stored, and the steps to the others unless all are 1."""
SIZES = 32
"""Sizes of lists for which one start is stored."""
LONG = 255
"""The stored size of parts of lists with at least as many entries. Their sizes are listed separately."""
ESCAPE = 255
"""The code of entries whose frequencies are not in the codebook (see `frequency_codes`)."""
_MAX_CACHED = 10_000
"""Cached lists of terms; about 200 bytes each."""


def count_ranges(positions: int) -> int:
    """Count the ranges of so many positions.

    >>> count_ranges(0), count_ranges(65_536), count_ranges(65_537)
    (1, 1, 2)
    """
    return max(-(-positions // RANGE), 1)


class Span(NamedTuple):
    """The list of a term."""

    term_index: int
    """The index of the term among those of its level."""
    begin: int
    end: int
    splits: tuple[int, ...] = ()
    """The first entry of each range of positions after the first one."""


NO_SPAN = Span(0, 0, 0)
"""The list of a term that does not occur."""


class LevelReader(ABC):
    """Reads the posting lists of one level, wherever they are."""

    ranges = 1
    """Ranges by which the entries of lists are split. If there are several, positions begin at 0 in each."""

    def __init__(self, level: str) -> None:
        self._fields = LEVELS[level]
        self._decoded: dict[int, Occurrences] = {}
        self._spans: dict[int, Span] = {}

    @property
    @abstractmethod
    def terms(self) -> Iterable[int]:
        """The ids of the terms that occur, ascending."""

    @property
    @abstractmethod
    def positions(self) -> memoryview[int]:
        """The position of each entry in its range."""

    @property
    @abstractmethod
    def position_array(self) -> NDArray[np.unsignedinteger[Any]]:
        """The position of each entry in its range."""

    @property
    @abstractmethod
    def impacts(self) -> NDArray[np.uint8]:
        """The impact of each entry (see `impacts`)."""

    @property
    @abstractmethod
    def maxima(self) -> Sequence[int] | memoryview[int]:
        """The highest impact of each term."""

    @property
    @abstractmethod
    def frequency_codes(self) -> FrequencyCodes:
        """The encoded frequencies of the entries."""

    @property
    @abstractmethod
    def _codes(self) -> memoryview[int]:
        """The code of each entry."""

    @abstractmethod
    def _find_span(self, term: int) -> Span:
        """Find the list of a term that is not cached."""

    @abstractmethod
    def _read_codebook(self, code: int) -> Iterable[int]:
        """Read the frequency in each field by code."""

    @abstractmethod
    def _read_escaped(self, entry: int) -> Iterable[int]:
        """Read the frequency in each field of an entry that has no code."""

    def span(self, term: int) -> Span:
        """Find the list of a term, which is empty if it does not occur."""
        span = self._spans.get(term)
        if span is None:
            if len(self._spans) > _MAX_CACHED:
                self._spans = {}
            span = self._spans[term] = self._find_span(term)
        return span

    def find_entry(self, span: Span, position: int) -> int | None:
        """Find the entry of a document or chunk in a list."""
        begin, end = span.begin, span.end
        if span.splits:
            number, position = divmod(position, RANGE)
            begin, end = (begin, *span.splits, end)[number : number + 2]
        index = bisect_left(self.positions, position, begin, end)
        return index if index < end and self.positions[index] == position else None

    def read_positions(self, span: Span) -> list[int]:
        """Read the positions of a list."""
        positions = self.positions[span.begin : span.end].tolist()
        for split in span.splits:
            positions[split - span.begin :] = map(RANGE.__add__, positions[split - span.begin :])
        return positions

    def read_position_array(self, span: Span) -> NDArray[np.integer[Any]]:
        """Read the positions of a list as an array."""
        stored = self.position_array[span.begin : span.end]
        if not span.splits:
            return stored
        positions = stored.astype(int)
        for split in span.splits:
            positions[split - span.begin :] += RANGE
        return positions

    def entries(self, span: Span) -> Iterator[tuple[int, Occurrences]]:
        """Yield position and occurrences of each entry of a list."""
        codes = self._codes
        for index, position in enumerate(self.read_positions(span), span.begin):
            yield position, self._decoded.get(codes[index]) or self.occurrences(index)

    def occurrences(self, entry: int) -> Occurrences:
        """Decode the occurrences of an entry."""
        code = self._codes[entry]
        if code == ESCAPE:
            return self._name_fields(self._read_escaped(entry))
        if code not in self._decoded:
            self._decoded[code] = self._name_fields(self._read_codebook(code))
        return self._decoded[code]

    def _name_fields(self, frequencies: Iterable[int]) -> Occurrences:
        pairs = zip(self._fields, frequencies, strict=True)
        return tuple((field, frequency) for field, frequency in pairs if frequency)


class FileLevelReader(LevelReader):
    """Reads the posting lists of one level in a file."""

    def __init__(self, file: ArrayContent, level: str) -> None:
        super().__init__(level)
        self._file = file
        self._level = level

    @cached_property
    def ranges(self) -> int:  # type: ignore[override]
        """Ranges by which the entries of lists are split."""
        return count_ranges(len(self._file.integers(f"{self._level}s")))

    @property
    def terms(self) -> Iterator[int]:
        """The ids of the terms that occur, ascending."""
        blocks = (map(first.__add__, self._read_distances(block)) for block, first in enumerate(self._firsts))
        return islice(chain.from_iterable(blocks), len(self._sizes) // self.ranges)

    @cached_property
    def positions(self) -> memoryview[int]:
        """The position of each entry in its range."""
        return self._integers("positions")

    @cached_property
    def _firsts(self) -> memoryview[int]:
        return self._integers("terms")

    @cached_property
    def _steps(self) -> memoryview[int]:
        return self._integers("term steps")

    @cached_property
    def _gaps(self) -> memoryview[int]:
        return self._integers("gaps")

    @cached_property
    def _starts(self) -> memoryview[int]:
        return self._integers("starts")

    @cached_property
    def _sizes(self) -> memoryview[int]:
        return self._integers("sizes")

    @cached_property
    def _long_lists(self) -> memoryview[int]:
        return self._integers("long lists")

    @cached_property
    def _long_sizes(self) -> memoryview[int]:
        return self._integers("long sizes")

    @cached_property
    def _codes(self) -> memoryview[int]:
        return self._integers("codes")

    def _find_span(self, term: int) -> Span:
        firsts = self._firsts
        block = bisect_right(firsts, term)
        if not block:
            return NO_SPAN
        distance = term - firsts[block - 1]
        if block == len(firsts) or firsts[block] - firsts[block - 1] != BLOCK:
            distances = self._read_distances(block - 1)
            if distance not in distances:
                return NO_SPAN
            distance = distances.index(distance)
        return self._read_span((block - 1) * BLOCK + distance)

    def _read_distances(self, block: int) -> list[int]:
        """Read the distances of the terms of a block from its first one."""
        gap = bisect_left(self._gaps, block)
        if gap == len(self._gaps) or self._gaps[gap] != block:
            return list(range(BLOCK))
        return list(accumulate(self._steps[gap * BLOCK : (gap + 1) * BLOCK]))

    def _read_span(self, index: int) -> Span:
        """Read the list of the term with an index."""
        ranges = self.ranges
        end = (index + 1) * ranges
        block = (end - ranges) // SIZES
        sizes = self._sizes[block * SIZES : end].tolist()
        if LONG in sizes:
            long_sizes = iter(self._long_sizes[bisect_left(self._long_lists, block * SIZES) :])
            sizes = [next(long_sizes) if size == LONG else size for size in sizes]
        last = self._starts[block] + sum(sizes)
        if ranges == 1:
            return Span(index, last - sizes[-1], last)
        own = sizes[-ranges:]
        first, *splits, _ = accumulate(own, initial=last - sum(own))
        return Span(index, first, last, tuple(splits))

    def _read_codebook(self, code: int) -> Iterable[int]:
        return self._read_row("codebook", code)

    def _read_escaped(self, entry: int) -> Iterable[int]:
        return self._read_row("escaped frequencies", bisect_left(self._integers("escaped"), entry))

    def _read_row(self, name: str, row: int) -> memoryview[int]:
        width = len(self._fields)
        return self._integers(name)[row * width : (row + 1) * width]

    def _integers(self, name: str) -> memoryview[int]:
        return self._file.integers(f"{self._level} {name}")

    # --- numpy arrays --------------------------------------------------------------------------------------------

    @cached_property
    def position_array(self) -> NDArray[np.unsignedinteger[Any]]:
        """The position of each entry in its range."""
        return self._array("positions")

    @cached_property
    def impacts(self) -> NDArray[np.uint8]:
        """The impact of each entry (see `impacts`)."""
        return self._array("impacts")

    @cached_property
    def maxima(self) -> memoryview[int]:
        """The highest impact of each term."""
        return self._integers("maxima")

    @cached_property
    def frequency_codes(self) -> FrequencyCodes:
        """The encoded frequencies of the entries."""
        from waymeet.stores.segments.postings import read_codes  # noqa: PLC0415 - start-up is a feature

        return read_codes(self._file, self._level)

    def _array(self, name: str) -> NDArray[Any]:
        return self._file.array(f"{self._level} {name}")
