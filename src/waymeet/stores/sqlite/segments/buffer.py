"""Documents that no segment holds yet: few, read from the truth and kept as plain dictionaries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from waymeet.stores.segments.posting_codec import unpacked
from waymeet.stores.segments.reader import Occurrence
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from waymeet.stores.segments.posting_codec import Leaf

    Fields = dict[str, Counter[int]]


class WriteBuffer:
    """The terms of some documents, by term."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self.chunks = 0
        self._lengths = {field: [0, 0] for field in FIELDS}
        self._postings: dict[int, list[Occurrence]] = {}
        for leaf in leaves:
            shared = _fields(leaf.terms)
            self._measure(shared, DOCUMENT_FIELDS)
            for number, terms in leaf.chunks:
                own = _fields(terms)
                self._measure(own, CHUNK_FIELDS)
                self._add(number, {**shared, **own})
                self.chunks += 1

    @property
    def terms(self) -> Iterable[int]:
        """The terms that occur."""
        return self._postings.keys()

    def lengths(self, field: str) -> tuple[int, int]:
        """Give the summed length of a field and the number of places in which it is not empty."""
        total, filled = self._lengths[field]
        return total, filled

    def occurrences(self, term: int) -> list[Occurrence]:
        """List where a term stands."""
        return self._postings.get(term, [])

    def occurrences_in(self, term: int, chunk: int) -> Iterator[Occurrence]:
        """List where a term stands in one chunk, given by its number."""
        return (each for each in self.occurrences(term) if each.chunk == chunk)

    def _measure(self, fields: Fields, known: tuple[str, ...]) -> None:
        for field in known:
            length = fields[field].total() if field in fields else 0
            self._lengths[field][0] += length
            self._lengths[field][1] += length > 0

    def _add(self, chunk: int, fields: Fields) -> None:
        for field, terms in fields.items():
            length = terms.total()
            for term, times in terms.items():
                self._postings.setdefault(term, []).append(Occurrence(chunk, field, times, length))


def _fields(blob: bytes) -> Fields:
    """Read packed terms, adding up what is said several times."""
    found: Fields = {}
    for term, field, times in unpacked(blob):
        found.setdefault(field, Counter())[term] += times
    return found
