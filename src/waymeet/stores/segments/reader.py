"""One segment as it is asked: by loops over plain numbers when little is touched, by numpy when much is."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.segments.posting_codec import FIELD_NAMES, MOST, SHIFT
from waymeet.types import DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import Container


class Occurrence(NamedTuple):
    """Where a term stands."""

    chunk: int
    """The chunk's number."""
    field: str
    times: int
    length: int
    """Of the field."""


class Segment:
    """A mapped segment, and which of its documents are no longer true."""

    def __init__(self, container: Container, dead: Collection[int] = ()) -> None:
        self.container = container
        self.dead = frozenset(dead)
        """Places of documents that were replaced or removed since."""

    @cached_property
    def chunks(self) -> memoryview[int]:
        """The numbers of the chunks, in the order of path and position."""
        return self.container.array("chunks")

    @cached_property
    def documents(self) -> memoryview[int]:
        """The numbers of the documents, in the order of their paths."""
        return self.container.array("documents")

    @cached_property
    def first(self) -> memoryview[int]:
        """The place of each document's first chunk, and one behind the last."""
        return self.container.array("first")

    @cached_property
    def _owner(self) -> memoryview[int]:
        return self.container.array("owner")

    @cached_property
    def terms(self) -> memoryview[int]:
        """The terms that occur, in the order of their numbers."""
        return self.container.array("terms")

    @cached_property
    def _places(self) -> memoryview[int]:
        return self.container.array("places")

    @cached_property
    def _codes(self) -> memoryview[int]:
        return self.container.array("codes")

    @cached_property
    def _starts(self) -> memoryview[int]:
        return self.container.array("starts")

    @cached_property
    def _lengths(self) -> dict[str, memoryview[int]]:
        return {field: self.container.array(f"length {field}") for field in FIELDS}

    @property
    def living(self) -> int:
        """Count the chunks that are still true."""
        return len(self.chunks) - sum(self.first[place + 1] - self.first[place] for place in self.dead)

    def lengths(self, field: str) -> tuple[int, int]:
        """Give the summed length of a field and the number of living places in which it is not empty."""
        total, filled = self.container.facts["lengths"][field]
        here = self._lengths[field]
        for place in self.dead:
            inside = (place,) if field in DOCUMENT_FIELDS else range(self.first[place], self.first[place + 1])
            for each in inside:
                total, filled = total - here[each], filled - (here[each] > 0)
        return total, filled

    def span(self, term: int) -> tuple[int, int]:
        """Say from where to where the occurrences of a term lie."""
        return self._span(term, self._starts)

    def _span(self, term: int, starts: memoryview[int]) -> tuple[int, int]:
        at = bisect_left(self.terms, term)
        if at == len(self.terms) or self.terms[at] != term:
            return 0, 0
        return starts[at], starts[at + 1]

    def occurrences(self, term: int) -> Iterator[Occurrence]:
        """List where a term stands in living chunks."""
        for at in range(*self.span(term)):
            place = self._places[at]
            if not self.dead or self._owner[place] not in self.dead:
                yield self._occurrence(place, self._codes[at])

    def held(self, term: int) -> int:
        """Count the living chunks that hold a term."""
        places = set(self._places[slice(*self.span(term))])
        return sum(self._owner[place] not in self.dead for place in places) if self.dead else len(places)

    def holders(self, term: int, fields: Collection[int]) -> set[int]:
        """Give the numbers of the living chunks that hold a term in any of some fields, given by their codes."""
        here = slice(*self.span(term))
        pairs = zip(self._places[here].tolist(), self._codes[here].tolist(), strict=True)
        places = {place for place, code in pairs if code >> SHIFT in fields}
        return {self.chunks[place] for place in places if not self.dead or self._owner[place] not in self.dead}

    def place_of(self, document: int, chunk: int) -> int:
        """Find the place of a chunk, given by its number, among those of its document, given by its place."""
        begin, end = self.first[document], self.first[document + 1]
        return begin + self.chunks[begin:end].tolist().index(chunk)

    def occurrences_in(self, term: int, chunk: int) -> Iterator[Occurrence]:
        """List where a term stands in one chunk, given by its place."""
        begin, end = self.span(term)
        at = bisect_left(self._places, chunk, begin, end)
        while at < end and self._places[at] == chunk:
            yield self._occurrence(chunk, self._codes[at])
            at += 1

    def _occurrence(self, place: int, code: int) -> Occurrence:
        field = FIELD_NAMES[code >> SHIFT]
        length = self._lengths[field][self._owner[place] if field in DOCUMENT_FIELDS else place]
        return Occurrence(self.chunks[place], field, code & MOST, length)

    # --- for numpy -----------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> NDArray[np.uint32]:
        """The place of the chunk of every occurrence."""
        return self.container.numbers("places")  # type: ignore[return-value]

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """The field and frequency of every occurrence."""
        return self.container.numbers("codes")  # type: ignore[return-value]

    def bearers(self, term: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """Give the places of the chunks that hold a term, and the weights it was baked with."""
        places, weights, starts = self._baked
        begin, end = self._span(term, starts)
        return places[begin:end], weights[begin:end]

    @cached_property
    def _baked(self) -> tuple[NDArray[np.uint32], NDArray[np.float64], memoryview[int]]:
        numbers = self.container.numbers
        return numbers("bearers"), numbers("weights"), self.container.array("bearer starts")  # type: ignore[return-value]

    @cached_property
    def dead_chunks(self) -> NDArray[np.bool_] | None:
        """Which chunks are no longer true; None if all are."""
        if not self.dead:
            return None
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        found = np.zeros(len(self.chunks), dtype=np.bool_)
        for place in self.dead:
            found[self.first[place] : self.first[place + 1]] = True
        return found

    def length_of_chunks(self, field: str) -> NDArray[np.float64]:
        """Give the length of a field for every chunk."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        found = self.container.numbers(f"length {field}").astype(np.float64)
        return found[self.container.numbers("owner")] if field in DOCUMENT_FIELDS else found
