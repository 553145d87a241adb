"""Looking up terms."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from waymeet.stores.postgres.database.encoding import escape_text, hash_key, unescape_text
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from waymeet.ports import TermPostings
    from waymeet.stores.postgres.database.session import Session

_WITH_PREFIX = "SELECT term, hash FROM terms WHERE collection_id = %s AND term >= %s AND term < %s"
_COUNT = """
SELECT term, count(*) FROM (
    SELECT term, chunk FROM chunk_postings WHERE collection_id = %s AND term = ANY(%s)
    UNION SELECT p.term, c.id FROM document_postings p
        JOIN chunks c ON c.collection_id = p.collection_id AND c.document = p.document
    WHERE p.collection_id = %s AND p.term = ANY(%s)
) AS occurrences GROUP BY term
"""
_KNOWN = """
SELECT n.term FROM unnest(%s::bigint[]) AS n (term)
WHERE EXISTS (SELECT FROM chunk_postings p WHERE p.collection_id = %s AND p.term = n.term)
    OR EXISTS (SELECT FROM document_postings p JOIN documents d ON d.collection_id = p.collection_id
        AND d.id = p.document WHERE p.collection_id = %s AND p.term = n.term AND d.chunks > 0)
"""
_POSTINGS = f"""
SELECT o.term, c.key, o.field, o.frequency, o.length FROM (
    SELECT p.term, p.chunk, f.field, f.frequency, f.length FROM chunk_postings p, LATERAL (VALUES
        ({FIELDS.index("headings")}, p.headings, p.headings_length), ({FIELDS.index("body")}, p.body, p.body_length)
    ) AS f (field, frequency, length)
    WHERE p.collection_id = %(collection)s AND p.term = ANY(%(terms)s)
    UNION ALL
    SELECT p.term, c.id, p.field, p.frequency,
        CASE WHEN p.field = {FIELDS.index("inbound")} THEN d.inbound_length ELSE d.lengths[p.field + 1] END
    FROM document_postings p JOIN documents d ON d.collection_id = p.collection_id AND d.id = p.document
        JOIN chunks c ON c.collection_id = p.collection_id AND c.document = p.document
    WHERE p.collection_id = %(collection)s AND p.term = ANY(%(terms)s)
) AS o JOIN chunks c ON c.collection_id = %(collection)s AND c.id = o.chunk
WHERE o.frequency > 0 AND o.field = ANY(%(fields)s)
"""  # noqa: S608 - our own constants
_DISTINCT = """
SELECT count(*) FROM (
    SELECT term FROM chunk_postings WHERE collection_id = %s
    UNION SELECT p.term FROM document_postings p
        JOIN documents d ON d.collection_id = p.collection_id AND d.id = p.document
    WHERE p.collection_id = %s AND d.chunks > 0
) AS terms
"""


def read_postings(session: Session, terms: Sequence[str], fields: Collection[str]) -> list[TermPostings]:
    """Return the occurrences of each term in some fields."""
    postings: dict[int, dict[str, dict[str, tuple[int, int]]]] = {hash_key(term): {} for term in terms}
    numbers = [FIELDS.index(field) for field in fields]
    rows = session.named(_POSTINGS, {"terms": list(postings), "fields": numbers})
    for term, key, field, frequency, length in rows:
        postings[term].setdefault(FIELDS[field], {})[unescape_text(key)] = frequency, length
    return [postings[hash_key(term)] for term in terms]


def terms_with_prefix(session: Session, prefix: str, limit: int, pattern: str) -> list[str]:
    """List the terms with a prefix that match a pattern by descending number of chunks."""
    first = escape_text(prefix)
    rows = session.rows(_WITH_PREFIX, first, f"{first}\U0010ffff")
    terms = {hash_: term for stored, hash_ in rows if fnmatchcase(term := unescape_text(stored), pattern)}
    if not terms or limit <= 0:
        return []
    counts = session.rows(_COUNT, list(terms), session.collection, list(terms))
    ordered = sorted((-number, terms[hash_]) for hash_, number in counts)
    return [term for _, term in ordered[:limit]]


def known_terms(session: Session, terms: Collection[str]) -> frozenset[str]:
    """Return those of the terms that occur in any chunk."""
    by_hash = {hash_key(term): term for term in terms}
    parameters = (list(by_hash), session.collection, session.collection)
    return frozenset(by_hash[hash_] for (hash_,) in session.connection.execute(_KNOWN, parameters))


def count_terms(session: Session) -> int:
    """Count the terms that occur in any chunk."""
    ((number,),) = session.rows(_DISTINCT, session.collection)
    return int(number)
