"""Reading one segment: by loops over integers for few postings, by numpy for many."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.stores.segments.posting_lists import FileLevelReader
from waymeet.types import DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import ArrayContent
    from waymeet.stores.segments.posting_lists import LevelReader, Occurrences

FORMAT = 6
"""The version of the layout (see `postings`), an attribute of the file. A segment of another version is rebuilt."""


class Posting(NamedTuple):
    """An occurrence of a term in a field of a chunk."""

    chunk: int
    """The id of the chunk."""
    field: str
    frequency: int
    length: int
    """The length of the field."""


class Segment:
    """A segment, and which of its documents are deleted."""

    def __init__(self, file: ArrayContent, deleted: Collection[int] = ()) -> None:
        self.file = file
        self.deleted = frozenset(deleted)
        """Positions of documents that were replaced or removed since."""
        self.document_lists: LevelReader = FileLevelReader(file, "document")
        self.chunk_lists: LevelReader = FileLevelReader(file, "chunk")

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

    @property
    def terms(self) -> Iterator[Iterable[int]]:
        """Yield the ids of the terms that occur, by level."""
        yield self.document_lists.terms
        yield self.chunk_lists.terms

    @cached_property
    def _lengths(self) -> dict[str, memoryview[int]]:
        return {field: self.file.integers(f"length {field}") for field in FIELDS}

    @property
    def live_chunks(self) -> int:
        """Count the chunks that are not deleted."""
        return len(self.chunks) - sum(self.first[position + 1] - self.first[position] for position in self.deleted)

    def total_length(self, field: str) -> tuple[int, int]:
        """Return total length and number of non-empty values of a field, without deleted ones."""
        total, filled, _ = self.file.attributes["lengths"][field]
        for document in self.deleted:
            is_document_field = field in DOCUMENT_FIELDS
            for position in (document,) if is_document_field else self._chunks_of(document):
                length = self._lengths[field][position]
                total, filled = total - length, filled - (length > 0)
        return total, filled

    def _chunks_of(self, document: int) -> range:
        """Return the positions of the chunks of a document."""
        return range(self.first[document], self.first[document + 1])

    def count_matches(self, term: int) -> int:
        """Count the chunks that contain a term, deleted ones included."""
        span, document_span = self.chunk_lists.span(term), self.document_lists.span(term)
        only = self._document_only[document_span.term_index] if document_span.end else 0
        return span.end - span.begin + only

    @cached_property
    def _document_only(self) -> memoryview[int]:
        return self.file.integers("document only")

    def postings(self, term: int) -> Iterator[Posting]:
        """Yield the postings of a term in live chunks."""
        for document, occurrences in self.document_lists.entries(self.document_lists.span(term)):
            if document not in self.deleted:
                for position in self._chunks_of(document):
                    yield from self._postings_of(position, occurrences)
        for position, occurrences in self.chunk_lists.entries(self.chunk_lists.span(term)):
            if not self.deleted or self._owner[position] not in self.deleted:
                yield from self._postings_of(position, occurrences)

    def add_postings(self, term: int, postings: dict[str, dict[int, tuple[int, int]]]) -> None:
        """Add frequencies of a term in live chunks and field lengths, by field and chunk.

        It does the same as `postings`, faster: a search in a new process spends most of its time on postings here.
        """
        for document, occurrences in self.document_lists.entries(self.document_lists.span(term)):
            if document not in self.deleted:
                chunks = self.chunks[self.first[document] : self.first[document + 1]].tolist()
                for field, frequency in occurrences:
                    _add_frequencies(postings.get(field), chunks, frequency, self._lengths[field][document])
        owner, chunk_ids, lengths, deleted = self._owner, self.chunks, self._lengths, self.deleted
        for position, occurrences in self.chunk_lists.entries(self.chunk_lists.span(term)):
            if not deleted or owner[position] not in deleted:
                for field, frequency in occurrences:
                    _add_frequencies(postings.get(field), (chunk_ids[position],), frequency, lengths[field][position])

    def _postings_of(self, position: int, occurrences: Occurrences) -> Iterator[Posting]:
        for field, frequency in occurrences:
            length = self._lengths[field][self._owner[position] if field in DOCUMENT_FIELDS else position]
            yield Posting(self.chunks[position], field, frequency, length)

    def count_chunks(self, term: int) -> int:
        """Count the live chunks that contain a term."""
        return len(self.find_positions(term, FIELDS)) if self.deleted else self.count_matches(term)

    def find_chunks(self, term: int, fields: Collection[str]) -> set[int]:
        """Return the ids of the live chunks that contain a term in any of the fields."""
        return {self.chunks[position] for position in self.find_positions(term, fields)}

    def find_positions(self, term: int, fields: Collection[str]) -> set[int]:
        """Return the positions of the live chunks that contain a term in any of the fields."""
        positions: set[int] = set()
        for document in _occurring_in(self.document_lists.entries(self.document_lists.span(term)), fields):
            if document not in self.deleted:
                positions.update(self._chunks_of(document))
        in_chunks = _occurring_in(self.chunk_lists.entries(self.chunk_lists.span(term)), fields)
        if self.deleted:
            in_chunks = (position for position in in_chunks if self._owner[position] not in self.deleted)
        positions.update(in_chunks)
        return positions

    def position_of(self, document: int, chunk: int) -> int:
        """Find the position of a chunk, given by id, in the document at a position."""
        begin, end = self.first[document], self.first[document + 1]
        return begin + self.chunks[begin:end].tolist().index(chunk)

    def postings_in(self, term: int, position: int) -> Iterator[Posting]:
        """Yield the postings of a term in the chunk at a position."""
        for lists, owner in ((self.document_lists, self._owner[position]), (self.chunk_lists, position)):
            entry = lists.find_entry(lists.span(term), owner)
            if entry is not None:
                yield from self._postings_of(position, lists.occurrences(entry))

    # --- numpy arrays --------------------------------------------------------------------------------------------

    @cached_property
    def chunk_ids(self) -> NDArray[np.unsignedinteger[Any]]:
        """The ids of the chunks, by position."""
        return self.file.array("chunks")  # type: ignore[return-value]

    @cached_property
    def owners(self) -> NDArray[np.unsignedinteger[Any]]:
        """The position of each chunk's document."""
        return self.file.array("owner")  # type: ignore[return-value]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of chunks of each document."""
        sizes: NDArray[np.int64] = self.firsts[1:] - self.firsts[:-1]
        return sizes

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """The position of each document's first chunk, and the number of chunks."""
        return self.file.array("first").astype("i8")

    def field_lengths(self, field: str) -> NDArray[np.unsignedinteger[Any]]:
        """Return the length of a field, by position of the document or chunk."""
        return self.file.array(f"length {field}")  # type: ignore[return-value]


def _add_frequencies(
    by_chunk: dict[int, tuple[int, int]] | None, chunks: Iterable[int], frequency: int, length: int
) -> None:
    """Add the frequency of a term in a field of some chunks, unless the field does not count."""
    if by_chunk is not None:
        for chunk in chunks:
            known = by_chunk.get(chunk)
            by_chunk[chunk] = (frequency if known is None else known[0] + frequency, length)


def _occurring_in(entries: Iterable[tuple[int, Occurrences]], fields: Collection[str]) -> Iterator[int]:
    """Yield the positions of entries with an occurrence in any of the fields."""
    return (position for position, occurrences in entries if any(field in fields for field, _ in occurrences))
