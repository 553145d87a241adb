"""The write buffer: documents without a segment, read from the tables.

Each version of a document is decoded once. The fields of a document count for each of its chunks, but are kept once: a
document with many links to it has many terms.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.segments.posting_codec import unpack_terms
from waymeet.stores.segments.reader import Posting
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from waymeet.stores.segments.posting_codec import DocumentTerms

    Fields = dict[str, Counter[int]]
    Unpack = Callable[[bytes], Iterable[tuple[int, str, int]]]
    """Decodes packed terms: term, field and frequency of each."""


class _Occurrence(NamedTuple):
    """A term in a field of a document, or of one of its chunks."""

    chunk: int | None
    """The id of the chunk; None for a field of the document."""
    field: str
    frequency: int
    length: int


class BufferedDocument:
    """The terms of one version of a document."""

    def __init__(self, document: DocumentTerms, unpack: Unpack = unpack_terms) -> None:
        self.id = document.id
        self.chunks = [chunk for chunk, _ in document.chunks]
        self.lengths = {field: [0, 0] for field in FIELDS}
        """Total length of each field, and the number of its non-empty values."""
        self.terms: dict[int, list[_Occurrence]] = {}
        own = _count_by_field(unpack(document.terms))
        self._add_lengths(own, DOCUMENT_FIELDS)
        if self.chunks:
            self._add_terms(None, own)
        for chunk, terms in document.chunks:
            fields = _count_by_field(unpack(terms))
            self._add_lengths(fields, CHUNK_FIELDS)
            self._add_terms(chunk, fields)

    def postings(self, term: int) -> Iterator[Posting]:
        """Yield the postings of a term."""
        for chunk, field, frequency, length in self.terms.get(term, ()):
            for owner in self.chunks if chunk is None else (chunk,):
                yield Posting(owner, field, frequency, length)

    def _add_lengths(self, fields: Fields, names: tuple[str, ...]) -> None:
        for field in names:
            length = fields[field].total() if field in fields else 0
            self.lengths[field][0] += length
            self.lengths[field][1] += length > 0

    def _add_terms(self, chunk: int | None, fields: Fields) -> None:
        for field, terms in fields.items():
            length = terms.total()
            for term, frequency in terms.items():
                self.terms.setdefault(term, []).append(_Occurrence(chunk, field, frequency, length))


class WriteBuffer:
    """The postings of the buffered documents."""

    def __init__(self, documents: Sequence[BufferedDocument]) -> None:
        self._documents = documents
        self._owners = {chunk: document for document in documents for chunk in document.chunks}

    @property
    def chunks(self) -> int:
        """Return the number of buffered chunks."""
        return len(self._owners)

    @property
    def terms(self) -> Iterable[int]:
        """Return the ids of the terms that occur."""
        return set().union(*(document.terms for document in self._documents))

    def document_of(self, chunk: int) -> int:
        """Return the id of the document of a chunk."""
        return self._owners[chunk].id

    def total_length(self, field: str) -> tuple[int, int]:
        """Return the total length of a field and the number of its non-empty values."""
        lengths = [document.lengths[field] for document in self._documents]
        return sum(total for total, _ in lengths), sum(filled for _, filled in lengths)

    def postings(self, term: int) -> list[Posting]:
        """List the postings of a term."""
        return [posting for document in self._documents for posting in document.postings(term)]

    def postings_in(self, term: int, chunk: int) -> Iterator[Posting]:
        """Yield the postings of a term in one chunk, given by id."""
        document = self._owners.get(chunk)
        return (posting for posting in (document.postings(term) if document else ()) if posting.chunk == chunk)


def _count_by_field(terms: Iterable[tuple[int, str, int]]) -> Fields:
    """Group terms by field, summing equal ones."""
    fields: Fields = {}
    for term, field, frequency in terms:
        fields.setdefault(field, Counter())[term] += frequency
    return fields
