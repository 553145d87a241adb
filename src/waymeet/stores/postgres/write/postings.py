"""Inserting terms and their occurrences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.postgres.database.encoding import escape_text, hash_key
from waymeet.stores.shared.validation import OWN_FIELDS
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from waymeet.stores.postgres.database.session import WriteSession
    from waymeet.types import IndexEntry, Terms

    ChunkOccurrences = tuple[int, int, int, int, Mapping[str, Terms]]
    """Chunk, document, lengths of headings and body, and the terms by field."""

_INSERT_TERMS = """
INSERT INTO terms SELECT %s, n.term, n.hash FROM unnest(%s::text[], %s::bigint[]) AS n (term, hash)
ORDER BY n.term ON CONFLICT DO NOTHING
"""


def insert_terms(session: WriteSession, entries: Iterable[IndexEntry], known: Collection[int]) -> set[int]:
    """Insert the terms of entries that are not known yet, and return their hashes."""
    terms: set[str] = set()
    for entry in entries:
        for owner in (entry.terms, *entry.chunk_terms):
            terms.update(*owner.values())
        terms.update(*(link.terms for link in entry.links))
    new = {hash_: escape_text(term) for term in terms if (hash_ := hash_key(term)) not in known}
    if new:
        session.run(_INSERT_TERMS, list(new.values()), list(new))
    return set(new)


def own_postings(entry: IndexEntry) -> Iterator[tuple[int, int, int]]:
    """Yield term, field and frequency of a document's own fields."""
    for field in OWN_FIELDS:
        number = FIELDS.index(field)
        for term, frequency in entry.terms.get(field, {}).items():
            yield hash_key(term), number, frequency


def insert_chunk_postings(session: WriteSession, occurrences: Iterable[ChunkOccurrences]) -> None:
    """Insert the occurrences of terms in chunks."""
    session.copy(
        "chunk_postings",
        "term, chunk, document, headings, headings_length, body, body_length",
        ["int8", *["int4"] * 6],
        (
            (hash_key(term), chunk, document, headings.get(term, 0), headings_length, body.get(term, 0), body_length)
            for chunk, document, headings_length, body_length, terms in occurrences
            for headings, body in [(terms.get("headings", {}), terms.get("body", {}))]
            for term in {**headings, **body}
        ),
    )
