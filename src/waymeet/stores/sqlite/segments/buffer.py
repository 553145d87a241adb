"""The write buffer: documents without a segment, read from the tables into dictionaries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from waymeet.stores.segments.posting_codec import unpack_terms
from waymeet.stores.segments.reader import Posting
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from waymeet.stores.segments.posting_codec import DocumentTerms

    Fields = dict[str, Counter[int]]


class WriteBuffer:
    """The postings of the buffered documents."""

    def __init__(self, documents: Iterable[DocumentTerms]) -> None:
        self.chunks = 0
        self._lengths = {field: [0, 0] for field in FIELDS}
        self._postings: dict[int, list[Posting]] = {}
        for document in documents:
            document_fields = _count_by_field(document.terms)
            self._add_lengths(document_fields, DOCUMENT_FIELDS)
            for chunk, terms in document.chunks:
                chunk_fields = _count_by_field(terms)
                self._add_lengths(chunk_fields, CHUNK_FIELDS)
                self._add_postings(chunk, {**document_fields, **chunk_fields})
                self.chunks += 1

    @property
    def terms(self) -> Iterable[int]:
        """Return the ids of the terms that occur."""
        return self._postings.keys()

    def total_length(self, field: str) -> tuple[int, int]:
        """Return the total length of a field and the number of its non-empty values."""
        total, filled = self._lengths[field]
        return total, filled

    def postings(self, term: int) -> list[Posting]:
        """List the postings of a term."""
        return self._postings.get(term, [])

    def postings_in(self, term: int, chunk: int) -> Iterator[Posting]:
        """Yield the postings of a term in one chunk, given by id."""
        return (posting for posting in self.postings(term) if posting.chunk == chunk)

    def _add_lengths(self, fields: Fields, names: tuple[str, ...]) -> None:
        for field in names:
            length = fields[field].total() if field in fields else 0
            self._lengths[field][0] += length
            self._lengths[field][1] += length > 0

    def _add_postings(self, chunk: int, fields: Fields) -> None:
        for field, terms in fields.items():
            length = terms.total()
            for term, frequency in terms.items():
                self._postings.setdefault(term, []).append(Posting(chunk, field, frequency, length))


def _count_by_field(packed: bytes) -> Fields:
    """Decode packed terms, summing equal ones."""
    fields: Fields = {}
    for term, field, frequency in unpack_terms(packed):
        fields.setdefault(field, Counter())[term] += frequency
    return fields
