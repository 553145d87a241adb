"""Reading the posting lists of one level: entries by loops, whole lists by numpy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from functools import cached_property
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
ESCAPE = 255
"""The code of entries whose frequencies are not in the codebook (see `frequency_codes`)."""
_MAX_CACHED = 10_000
"""Cached lists of terms; about 200 bytes each."""


class Span(NamedTuple):
    """The list of a term."""

    term_index: int
    """The index of the term among those of its level."""
    begin: int
    end: int


NO_SPAN = Span(0, 0, 0)
"""The list of a term that does not occur."""


class LevelReader(ABC):
    """Reads the posting lists of one level, wherever they are."""

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
        """The position of each entry."""

    @property
    @abstractmethod
    def position_array(self) -> NDArray[np.unsignedinteger[Any]]:
        """The position of each entry."""

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
        if span.end - span.begin == 1:
            return span.begin if self.positions[span.begin] == position else None
        index = bisect_left(self.positions, position, span.begin, span.end)
        return index if index < span.end and self.positions[index] == position else None

    def entries(self, span: Span) -> Iterator[tuple[int, Occurrences]]:
        """Yield position and occurrences of each entry of a list."""
        codes = self._codes
        for index, position in enumerate(self.positions[span.begin : span.end].tolist(), span.begin):
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
    def terms(self) -> memoryview[int]:
        """The ids of the terms that occur, ascending."""
        return self._integers("terms")

    @cached_property
    def positions(self) -> memoryview[int]:
        """The position of each entry."""
        return self._integers("positions")

    @cached_property
    def _starts(self) -> memoryview[int]:
        return self._integers("starts")

    @cached_property
    def _codes(self) -> memoryview[int]:
        return self._integers("codes")

    def _find_span(self, term: int) -> Span:
        terms = self.terms
        index = bisect_left(terms, term)
        if index == len(terms) or terms[index] != term:
            return NO_SPAN
        return Span(index, self._starts[index], self._starts[index + 1])

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
        """The position of each entry."""
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
