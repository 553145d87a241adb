"""Ids of terms."""

from collections.abc import Iterable, Mapping, Sequence

import apsw

_MAX_CACHED = 500_000


def find_term_ids(connection: apsw.Connection, terms: Iterable[str]) -> list[int]:
    """Return the ids of the known terms, without duplicates."""
    distinct = ((term,) for term in dict.fromkeys(terms))
    return [id_ for (id_,) in connection.executemany("SELECT id FROM terms WHERE term = ?", distinct)]


def find_ids_of_words(connection: apsw.Connection, words: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the ids of the known terms of each word, without duplicates."""
    distinct = dict.fromkeys(term for terms in words for term in terms)
    rows = connection.executemany("SELECT term, id FROM terms WHERE term = ?", ((term,) for term in distinct))
    ids: dict[str, int] = dict(rows)
    return [[ids[term] for term in dict.fromkeys(terms) if term in ids] for terms in words]


def find_all_term_ids(connection: apsw.Connection, terms: Iterable[str]) -> list[int]:
    """Return the ids of terms if all are known, else none: then no chunk contains them all."""
    distinct = list(dict.fromkeys(terms))
    ids = find_term_ids(connection, distinct)
    return ids if len(ids) == len(distinct) else []


class TermIdCache:
    """Caches the ids of terms between changes, which saves most lookups.

    Terms are never removed from the file, so an id is valid as soon as its transaction is committed, and not before.
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def assign(self, connection: apsw.Connection, terms: set[str]) -> dict[str, int]:
        """Return the id of each term, inserting new terms in the current transaction."""
        cached = self._ids
        ids = {term: cached[term] for term in terms if term in cached}
        uncached = [(term,) for term in sorted(terms - ids.keys())]
        ids.update(connection.executemany("SELECT term, id FROM terms WHERE term = ?", uncached))
        last: int = connection.execute("SELECT value FROM counters WHERE key = 'last_term'").get
        new = {term: id_ for id_, term in enumerate(sorted(terms - ids.keys()), last + 1)}
        connection.executemany("INSERT INTO terms (term, id) VALUES (?, ?)", new.items())
        connection.execute("UPDATE counters SET value = ? WHERE key = 'last_term'", (last + len(new),))
        return ids | new

    def add(self, ids: Mapping[str, int]) -> None:
        """Cache ids whose transaction is committed."""
        if len(self._ids) > _MAX_CACHED:
            self._ids = {}
        self._ids.update(ids)
