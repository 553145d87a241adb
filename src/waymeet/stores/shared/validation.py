"""What a store may expect of the entries it is given."""

from collections.abc import Iterable, Mapping

from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, IndexEntry, Terms

OWN_FIELDS = tuple(field for field in DOCUMENT_FIELDS if field != "inbound")
"""Document fields that come with the document itself; `inbound` comes with the documents that link to it."""


def checked(entries: Iterable[IndexEntry]) -> dict[str, IndexEntry]:
    """Give the entries by document id, the last one of an id winning, or refuse what no store could keep.

    Raises:
        ValueError: an entry contradicts itself. That is a mistake in the program, not in a user's file.
    """
    kept = {entry.document.id: entry for entry in entries}
    ids: set[str] = set()
    for document, entry in kept.items():
        if len(entry.chunks) != len(entry.chunk_terms):
            raise ValueError(f"{document}: {len(entry.chunks)} chunks with terms for {len(entry.chunk_terms)}")
        _check_fields(document, entry.terms, OWN_FIELDS)
        for chunk, terms in zip(entry.chunks, entry.chunk_terms, strict=True):
            _check_fields(chunk.id, terms, CHUNK_FIELDS)
            if chunk.document != document:
                raise ValueError(f"{chunk.id} says it belongs to {chunk.document}, but came with {document}")
            if chunk.id in ids:
                raise twice(chunk.id)
            ids.add(chunk.id)
    return kept


def twice(chunk: str) -> ValueError:
    """Say that a chunk's id does not tell it from another one."""
    return ValueError(f"two chunks have the id {chunk}")


def length(terms: Terms) -> int:
    """Say how long a field is: how many terms stand in it, repetitions counted."""
    return sum(terms.values())


def _check_fields(owner: str, terms: Mapping[str, Terms], known: tuple[str, ...]) -> None:
    unknown = sorted(set(terms) - set(known))
    if unknown:
        raise ValueError(f"{owner}: no such field here: {', '.join(unknown)}")
