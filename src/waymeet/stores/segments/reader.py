"""Reading one segment: by loops over integers for few postings, by numpy for many."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.segments.posting_codec import FIELD_NAMES, FIELD_SHIFT, MAX_FREQUENCY
from waymeet.types import DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import ArrayFile


class Posting(NamedTuple):
    """An occurrence of a term in a field of a chunk."""

    chunk: int
    """The id of the chunk."""
    field: str
    frequency: int
    length: int
    """The length of the field."""


class Segment:
    """A mapped segment, and which of its documents are deleted."""

    def __init__(self, file: ArrayFile, deleted: Collection[int] = ()) -> None:
        self.file = file
        self.deleted = frozenset(deleted)
        """Positions of documents that were replaced or removed since."""

    @cached_property
    def chunks(self) -> memoryview[int]:
        """The ids of the chunks, by position."""
        return self.file.integers("chunks")

    @cached_property
    def first(self) -> memoryview[int]:
        """The position of each document's first chunk, and the number of chunks."""
        return self.file.integers("first")

    @cached_property
    def _owner(self) -> memoryview[int]:
        return self.file.integers("owner")

    @cached_property
    def terms(self) -> memoryview[int]:
        """The ids of the terms that occur, ascending."""
        return self.file.integers("terms")

    @cached_property
    def _positions(self) -> memoryview[int]:
        return self.file.integers("positions")

    @cached_property
    def _codes(self) -> memoryview[int]:
        return self.file.integers("codes")

    @cached_property
    def _starts(self) -> memoryview[int]:
        return self.file.integers("starts")

    @cached_property
    def _lengths(self) -> dict[str, memoryview[int]]:
        return {field: self.file.integers(f"length {field}") for field in FIELDS}

    @property
    def live_chunks(self) -> int:
        """Count the chunks that are not deleted."""
        return len(self.chunks) - sum(self.first[position + 1] - self.first[position] for position in self.deleted)

    def total_length(self, field: str) -> tuple[int, int]:
        """Return total length and number of non-empty values of a field, without deleted ones."""
        total, filled = self.file.attributes["lengths"][field]
        lengths = self._lengths[field]
        for document in self.deleted:
            is_document_field = field in DOCUMENT_FIELDS
            for position in (document,) if is_document_field else range(self.first[document], self.first[document + 1]):
                total, filled = total - lengths[position], filled - (lengths[position] > 0)
        return total, filled

    def span(self, term: int) -> tuple[int, int]:
        """Return where the postings of a term begin and end."""
        return self._span(term, self._starts)

    def _span(self, term: int, starts: memoryview[int]) -> tuple[int, int]:
        index = bisect_left(self.terms, term)
        if index == len(self.terms) or self.terms[index] != term:
            return 0, 0
        return starts[index], starts[index + 1]

    def postings(self, term: int) -> Iterator[Posting]:
        """Yield the postings of a term in live chunks."""
        for index in range(*self.span(term)):
            position = self._positions[index]
            if not self.deleted or self._owner[position] not in self.deleted:
                yield self._posting(position, self._codes[index])

    def count_chunks(self, term: int) -> int:
        """Count the live chunks that contain a term."""
        positions = set(self._positions[slice(*self.span(term))])
        if not self.deleted:
            return len(positions)
        return sum(self._owner[position] not in self.deleted for position in positions)

    def find_chunks(self, term: int, fields: Collection[int]) -> set[int]:
        """Return the ids of the live chunks that contain a term in any of the fields, given by code."""
        span = slice(*self.span(term))
        pairs = zip(self._positions[span].tolist(), self._codes[span].tolist(), strict=True)
        positions = {position for position, code in pairs if code >> FIELD_SHIFT in fields}
        return {
            self.chunks[position]
            for position in positions
            if not self.deleted or self._owner[position] not in self.deleted
        }

    def position_of(self, document: int, chunk: int) -> int:
        """Find the position of a chunk, given by id, in the document at a position."""
        begin, end = self.first[document], self.first[document + 1]
        return begin + self.chunks[begin:end].tolist().index(chunk)

    def postings_in(self, term: int, position: int) -> Iterator[Posting]:
        """Yield the postings of a term in the chunk at a position."""
        begin, end = self.span(term)
        index = bisect_left(self._positions, position, begin, end)
        while index < end and self._positions[index] == position:
            yield self._posting(position, self._codes[index])
            index += 1

    def _posting(self, position: int, code: int) -> Posting:
        field = FIELD_NAMES[code >> FIELD_SHIFT]
        length = self._lengths[field][self._owner[position] if field in DOCUMENT_FIELDS else position]
        return Posting(self.chunks[position], field, code & MAX_FREQUENCY, length)

    # --- numpy arrays --------------------------------------------------------------------------------------------

    @cached_property
    def positions(self) -> NDArray[np.uint32]:
        """The position of the chunk of every posting."""
        return self.file.array("positions")  # type: ignore[return-value]

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """The field and frequency of every posting (see `posting_codec`)."""
        return self.file.array("codes")  # type: ignore[return-value]

    def impacts(self, term: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """Return the positions of the chunks that contain a term, and its impacts in them."""
        positions, impacts, starts = self._impacts
        begin, end = self._span(term, starts)
        return positions[begin:end], impacts[begin:end]

    @cached_property
    def _impacts(self) -> tuple[NDArray[np.uint32], NDArray[np.float64], memoryview[int]]:
        array = self.file.array
        return array("impact positions"), array("impacts"), self.file.integers("impact starts")  # type: ignore[return-value]

    @cached_property
    def deleted_chunks(self) -> NDArray[np.bool_] | None:
        """A mask of the deleted chunks, or None if there are none."""
        if not self.deleted:
            return None
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        mask = np.zeros(len(self.chunks), dtype=np.bool_)
        for position in self.deleted:
            mask[self.first[position] : self.first[position + 1]] = True
        return mask

    def chunk_lengths(self, field: str) -> NDArray[np.float64]:
        """Return the length of a field for every chunk."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        lengths = self.file.array(f"length {field}").astype(np.float64)
        return lengths[self.file.array("owner")] if field in DOCUMENT_FIELDS else lengths
