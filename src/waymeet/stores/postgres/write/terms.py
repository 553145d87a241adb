"""Inserting terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.postgres.database.encoding import escape_text, hash_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from waymeet.stores.postgres.database.session import WriteSession
    from waymeet.types import IndexEntry

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
