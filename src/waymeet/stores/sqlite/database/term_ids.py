"""Terms as numbers."""

from collections.abc import Iterable, Mapping

import apsw

_MOST_REMEMBERED = 500_000


def numbers(connection: apsw.Connection, terms: Iterable[str]) -> list[int]:
    """Give the numbers of those terms that have one, each once."""
    wanted = ((term,) for term in dict.fromkeys(terms))
    return [number for (number,) in connection.executemany("SELECT id FROM terms WHERE term = ?", wanted)]


def numbers_of_all(connection: apsw.Connection, terms: Iterable[str]) -> list[int]:
    """Give the numbers of terms if all of them have one, else none: then no chunk has them all."""
    wanted = list(dict.fromkeys(terms))
    found = numbers(connection, wanted)
    return found if len(found) == len(wanted) else []


class Glossary:
    """Remembers the numbers of terms from one change to the next, which saves most look-ups.

    Terms are never removed from the file, so a number stays right once its transaction is committed, and not before.
    """

    def __init__(self) -> None:
        self._known: Mapping[str, int] = {}

    def numbered(self, connection: apsw.Connection, terms: set[str]) -> dict[str, int]:
        """Give a number to each of the terms, inside a change."""
        found = {term: self._known[term] for term in terms if term in self._known}
        unknown = [(term,) for term in sorted(terms - found.keys())]
        found.update(connection.executemany("SELECT term, id FROM terms WHERE term = ?", unknown))
        (last,) = connection.execute("SELECT ifnull(max(id), 0) FROM terms").fetchone() or (0,)
        new = {term: number for number, term in enumerate(sorted(terms - found.keys()), last + 1)}
        connection.executemany("INSERT INTO terms (term, id) VALUES (?, ?)", new.items())
        return found | new

    def remember(self, found: Mapping[str, int]) -> None:
        """Keep numbers whose transaction is committed."""
        known = {} if len(self._known) > _MOST_REMEMBERED else self._known
        self._known = {**known, **found}
