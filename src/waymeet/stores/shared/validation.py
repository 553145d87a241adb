"""Validation of the entries that a store receives."""

from collections.abc import Iterable, Mapping

from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, IndexEntry, Terms

OWN_FIELDS = tuple(field for field in DOCUMENT_FIELDS if field != "inbound")
"""Document fields that come with the document itself. `inbound` comes with the documents that link to it."""


def validate_entries(entries: Iterable[IndexEntry]) -> dict[str, IndexEntry]:
    """Return the entries by document id, the last one of an id.

    Raises:
        ValueError: an entry contradicts itself. That is a bug in the program, not a problem of a user's file.
    """
    by_document = {entry.document.id: entry for entry in entries}
    ids: set[str] = set()
    for document, entry in by_document.items():
        if len(entry.chunks) != len(entry.chunk_terms):
            raise ValueError(f"{document}: {len(entry.chunks)} chunks, but terms of {len(entry.chunk_terms)}")
        _check_fields(document, entry.terms, OWN_FIELDS)
        for chunk, terms in zip(entry.chunks, entry.chunk_terms, strict=True):
            _check_fields(chunk.id, terms, CHUNK_FIELDS)
            if chunk.document != document:
                raise ValueError(f"chunk {chunk.id} of document {chunk.document} is in the entry of {document}")
            if chunk.id in ids:
                raise duplicate_chunk_error(chunk.id)
            ids.add(chunk.id)
    return by_document


def duplicate_chunk_error(chunk: str) -> ValueError:
    """Return the error for two chunks with the same id."""
    return ValueError(f"two chunks have the id {chunk}")


def field_length(terms: Terms) -> int:
    """Count the terms of a field, including repetitions."""
    return sum(terms.values())


def _check_fields(owner: str, terms: Mapping[str, Terms], known: tuple[str, ...]) -> None:
    unknown = sorted(set(terms) - set(known))
    if unknown:
        raise ValueError(f"{owner}: unknown fields: {', '.join(unknown)}")
