"""Looking up terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.postgres.database.encoding import escape_text, hash_key, unescape_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from waymeet.ports import TermPostings
    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.segments.open_segments import OpenSegments

_WITH_PREFIX = "SELECT term FROM terms WHERE collection_id = %s AND term >= %s AND term < %s"
_KEYS = "SELECT id, key FROM chunks WHERE collection_id = %s AND id = ANY(%s)"


def read_postings(
    session: Session, segments: OpenSegments, terms: Sequence[str], fields: Collection[str]
) -> list[TermPostings]:
    """Return the occurrences of each term in some fields."""
    lexicon = segments.lexicon(session, terms)
    postings = [lexicon.postings([hash_key(term)], fields) for term in terms]
    chunks = {chunk for by_field in postings for by_chunk in by_field.values() for chunk in by_chunk}
    keys = {id_: unescape_text(key) for id_, key in session.rows(_KEYS, sorted(chunks))}
    return [
        {
            field: {keys[chunk]: found for chunk, found in by_chunk.items()}
            for field, by_chunk in by_field.items()
            if by_chunk
        }
        for by_field in postings
    ]


def read_terms_with_prefix(session: Session, prefix: str) -> list[str]:
    """List the terms with a prefix, of which some may occur no more."""
    first = escape_text(prefix)
    return [unescape_text(term) for (term,) in session.rows(_WITH_PREFIX, first, f"{first}\U0010ffff")]


def sort_by_frequency(lexicon: Lexicon, terms: Collection[str], limit: int) -> list[str]:
    """Sort the terms that occur by descending number of chunks, and keep the first."""
    counts = {term: lexicon.count_chunks(hash_key(term)) for term in terms}
    return sorted((term for term in counts if counts[term]), key=lambda term: (-counts[term], term))[: max(limit, 0)]


def known_terms(lexicon: Lexicon, terms: Collection[str]) -> frozenset[str]:
    """Return those of the terms that occur in any chunk."""
    return frozenset(term for term in terms if lexicon.has_term(hash_key(term)))
