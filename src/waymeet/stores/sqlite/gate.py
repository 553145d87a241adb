"""Filters in the file: as much as possible by SQL, phrases by reading the text of what is left."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.stores.filters import folded, folders, says
from waymeet.stores.sqlite.records import CHUNK, chunk_of
from waymeet.stores.sqlite.terms import numbers_of_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.sqlite.lexical import Lexicon
    from waymeet.types import Filters


class Place(NamedTuple):
    """Where a chunk stands, which is also its order among ties."""

    document: str
    ordinal: int
    chunk: str


_OF_DOCUMENT = "SELECT c.id FROM documents d JOIN chunks c ON c.document = d.id WHERE d.path = ?"
_PLACE = "SELECT c.id, d.path, c.ordinal, c.key FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id = ?"
_TEXT = f"{CHUNK} WHERE c.id = ?"
_SEARCHED = ("title", "headings", "body")
"""Fields in which an excluded word is looked for."""


class Admission:
    """Which chunks pass the filters but for the phrases."""

    def __init__(self, admitted: frozenset[int] | None, left_out: frozenset[int]) -> None:
        self.admitted = admitted
        """Chunks of documents that pass; None for all."""
        self.left_out = left_out
        """Chunks that have what must not be there."""

    @cached_property
    def numbers(self) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
        """Both as numpy sees them, in order."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        sets = [frozenset[int]() if each is None else each for each in (self.admitted, self.left_out)]
        admitted, left_out = (np.sort(np.fromiter(each, np.int64, len(each))) for each in sets)
        return None if self.admitted is None else admitted, left_out


def admission(connection: apsw.Connection, filters: Filters, lexicon: Lexicon | None) -> Admission:
    """Work out what filters let through; the words are needed only to leave something out."""
    groups = (numbers_of_all(connection, group) for group in filters.without if group)
    left_out = (lexicon.holding_all(group, _SEARCHED) for group in groups if group and lexicon is not None)
    return Admission(_admitted(connection, filters), frozenset().union(*left_out))


class Gate:
    """What filters let through, in one generation."""

    def __init__(self, connection: apsw.Connection, filters: Filters, known: Admission) -> None:
        self._connection = connection
        self._known = known
        self.phrases = filters.phrases
        self.admitted, self.left_out = known.admitted, known.left_out

    @property
    def open(self) -> bool:
        """Tell whether every chunk passes, but for the phrases."""
        return self.admitted is None and not self.left_out

    def admits(self, chunk: int) -> bool:
        """Tell whether a chunk passes all filters but the phrases, which cost a look at its text."""
        return (self.admitted is None or chunk in self.admitted) and chunk not in self.left_out

    def numbers(self) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
        """Give the chunks that are admitted, None for all, and those that are left out, in order."""
        return self._known.numbers

    def passing(self, documents: Iterable[str]) -> dict[str, str]:
        """Give the first chunk of each of the documents that passes all filters."""
        wanted = ((document,) for document in documents)
        chunks = [chunk for (chunk,) in self._connection.executemany(_OF_DOCUMENT, wanted) if self.admits(chunk)]
        first: dict[str, str] = {}
        for place in sorted(self.places(chunks).values()):
            first.setdefault(place.document, place.chunk)
        return first

    def places(self, chunks: Iterable[int]) -> dict[int, Place]:
        """Give the places of those among admitted chunks that have all the phrases."""
        wanted = ((chunk,) for chunk in chunks)
        if not self.phrases:
            return {number: Place(*place) for number, *place in self._connection.executemany(_PLACE, wanted)}
        found = {}
        for row in self._connection.executemany(_TEXT, wanted):
            chunk, (*_, number, title) = chunk_of(row), row
            if says(self.phrases, chunk, title):
                found[number] = Place(chunk.document, chunk.ordinal, chunk.id)
        return found


def _admitted(connection: apsw.Connection, filters: Filters) -> frozenset[int] | None:
    """Find the chunks of documents that pass the filters concerning whole documents; None for all."""
    conditions = list(_conditions(filters))
    if not conditions:
        return None
    where = " AND ".join(condition for condition, _ in conditions)
    sql = f"SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE {where}"  # noqa: S608 - values are bound
    found = connection.execute(sql, [value for _, values in conditions for value in values])
    return frozenset(number for (number,) in found)


def _conditions(filters: Filters) -> Iterator[tuple[str, list[Any]]]:
    below = folders(filters.paths)
    if below:
        # The character after "/" is "0": everything below a folder lies between the two.
        each = " OR ".join(["d.path = ? OR (d.path >= ? AND d.path < ?)"] * len(below))
        yield f"({each})", [value for path in below for value in (path, f"{path}/", f"{path}0")]
    if filters.kinds:
        yield f"d.kind IN {_marks(filters.kinds)}", list(filters.kinds)
    if filters.doc_types:
        yield f"d.doc_type IN {_marks(filters.doc_types)}", list(filters.doc_types)
    if filters.tags:
        tagged = f"SELECT document FROM tags WHERE tag IN {_marks(filters.tags)}"  # noqa: S608 - values are bound
        yield f"d.id IN ({tagged})", list(folded(filters.tags))


def _marks(values: Collection[str]) -> str:
    return f"({', '.join('?' * len(values))})"
