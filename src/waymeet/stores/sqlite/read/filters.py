"""Filters in the file: as much as possible by SQL, phrases by reading the text of what is left."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
from msgspec.json import encode

from waymeet.stores.shared.filters import demanded, folded, folders, has, says
from waymeet.stores.sqlite.database.rows import CHUNK, chunk_of, properties_of
from waymeet.stores.sqlite.database.term_ids import numbers, numbers_of_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.stores.sqlite.read.lexicon import Lexicon
    from waymeet.types import Filters


class Place(NamedTuple):
    """Where a chunk stands, which is also its order among ties."""

    document: str
    ordinal: int
    chunk: str


_OF_DOCUMENT = """
SELECT c.id FROM documents d JOIN chunks c ON c.document = d.id WHERE d.path = ? ORDER BY c.ordinal, c.id
"""
_FIRST_OF_EACH = """
SELECT d.path, (SELECT c.id FROM chunks c WHERE c.document = d.id ORDER BY c.ordinal, c.id LIMIT 1)
FROM json_each(?) wanted CROSS JOIN documents d ON d.path = wanted.value
"""
_OF_KIND = "SELECT c.id FROM documents d JOIN chunks c ON c.document = d.id WHERE d.kind = ?"
_PLACE = """
SELECT c.id, d.path, c.ordinal, c.key
FROM chunks c INDEXED BY chunks_by_id JOIN documents d INDEXED BY documents_by_id ON d.id = c.document
WHERE c.id IN carray(?)
"""
_TEXT = f"{CHUNK} WHERE c.id IN carray(?)"
_MOST_SEEN = 50_000
"""Chunks whose places are kept at hand; about 300 bytes each."""
_SEARCHED = ("title", "headings", "body")
"""Fields in which an excluded word is looked for."""


class FilterResult:
    """Which chunks pass the filters but for the phrases."""

    def __init__(self, admitted: frozenset[int] | None, left_out: frozenset[int]) -> None:
        self.admitted = admitted
        """Chunks of documents that pass; None for all."""
        self.left_out = left_out
        """Chunks that have what must not be there."""
        self._barred: dict[int, tuple[object, NDArray[np.int64] | None]] = {}

    def barred(self, chunks: memoryview[int] | NDArray[np.uint32]) -> NDArray[np.int64] | None:
        """Say at which places of an array of chunks stands one that does not pass; None if all pass.

        The array is known by what it is, not by what it says, and looked at once: it does not change.
        """
        if self.admitted is None and not self.left_out:
            return None
        if id(chunks) not in self._barred:
            import numpy as np  # noqa: PLC0415 - start-up is a feature

            self._barred[id(chunks)] = (chunks, self._looked_up(np.asarray(chunks)))  # holding it keeps its id its own
        return self._barred[id(chunks)][1]

    def _looked_up(self, chunks: NDArray[Any]) -> NDArray[np.int64] | None:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        admitted, left_out = self.numbers
        out = np.zeros(len(chunks), dtype=np.bool_) if admitted is None else ~np.isin(chunks, admitted)
        if len(left_out):
            out |= np.isin(chunks, left_out)
        found = np.flatnonzero(out)
        return found if len(found) else None

    @cached_property
    def numbers(self) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
        """Both as numpy sees them, in order."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        sets = [frozenset[int]() if each is None else each for each in (self.admitted, self.left_out)]
        admitted, left_out = (np.sort(np.fromiter(each, np.int64, len(each))) for each in sets)
        return None if self.admitted is None else admitted, left_out


def admission(connection: apsw.Connection, filters: Filters, lexicon: Lexicon | None) -> FilterResult:
    """Work out what filters let through; the words are needed only to leave something out."""
    groups = (numbers_of_all(connection, group) for group in filters.without if group)
    left_out = (lexicon.holding_all(group, _SEARCHED) for group in groups if group and lexicon is not None)
    of_kinds = _of_kinds(connection, filters.without_kinds)
    admitted = _admitted(connection, filters)
    wanted = [numbers(connection, group) for group in demanded(filters.phrases)]
    if wanted and lexicon is not None:
        able = lexicon.holding_each(connection, wanted, _SEARCHED) if all(wanted) else set[int]()
        admitted = frozenset(able if admitted is None else admitted & able)
    return FilterResult(admitted, frozenset().union(of_kinds, *left_out))


def _of_kinds(connection: apsw.Connection, kinds: Collection[str]) -> frozenset[int]:
    """Find the chunks of all documents of some kinds."""
    return frozenset(chunk for (chunk,) in connection.executemany(_OF_KIND, ((kind,) for kind in kinds)))


class FilterSet:
    """What filters let through, in one generation."""

    def __init__(
        self, connection: apsw.Connection, filters: Filters, known: FilterResult, seen: dict[int, Place]
    ) -> None:
        self._connection = connection
        self._known = known
        self._seen = seen
        """The places of chunks asked for before in this generation."""
        self.phrases = filters.phrases
        self.admitted, self.left_out = known.admitted, known.left_out

    @property
    def open(self) -> bool:
        """Tell whether every chunk passes, but for the phrases."""
        return self.admitted is None and not self.left_out

    def admits(self, chunk: int) -> bool:
        """Tell whether a chunk passes all filters but the phrases, which cost a look at its text."""
        return (self.admitted is None or chunk in self.admitted) and chunk not in self.left_out

    def barred(self, chunks: memoryview[int] | NDArray[np.uint32]) -> NDArray[np.int64] | None:
        """Say at which places of an array of chunks stands one that does not pass, but for the phrases."""
        return self._known.barred(chunks)

    def passing(self, documents: Iterable[str]) -> dict[str, str]:
        """Give the first chunk of each of the documents that passes all filters."""
        if self.phrases:
            wanted = ((document,) for document in documents)
            chunks = [chunk for (chunk,) in self._connection.executemany(_OF_DOCUMENT, wanted) if self.admits(chunk)]
        else:  # one question for all, and another where the very first is not admitted
            every = encode(list(documents)).decode()
            rows: list[tuple[Any, ...]] = self._connection.execute(_FIRST_OF_EACH, (every,)).fetchall()
            found = (chunk if chunk is None or self.admits(chunk) else self._first(path) for path, chunk in rows)
            chunks = [chunk for chunk in found if chunk is not None]
        first: dict[str, str] = {}
        for place in sorted(self.places(chunks).values()):
            first.setdefault(place.document, place.chunk)
        return first

    def _first(self, document: str) -> int | None:
        """Find the first chunk of a document that is admitted."""
        rows = self._connection.execute(_OF_DOCUMENT, (document,))
        return next((chunk for (chunk,) in rows if self.admits(chunk)), None)

    def places(self, chunks: Iterable[int]) -> dict[int, Place]:
        """Give the places of those among admitted chunks that have all the phrases."""
        if not self.phrases:
            return self._placed(chunks)
        found: dict[int, Place] = {}
        wanted = array("q", chunks)
        for row in self._connection.execute(_TEXT, (apsw.carray(wanted),)) if wanted else ():
            chunk, (*_, number, title) = chunk_of(row), row
            if says(self.phrases, chunk, title):
                found[number] = Place(chunk.document, chunk.ordinal, chunk.id)
        return found

    def _placed(self, chunks: Iterable[int]) -> dict[int, Place]:
        """Give the places of chunks: lists for one question, and for several, meet in many."""
        if len(self._seen) > _MOST_SEEN:
            self._seen.clear()
        found, unknown = {}, array("q")
        for number in chunks:
            place = self._seen.get(number)  # another thread may clear it at any moment
            if place is None:
                unknown.append(number)
            else:
                found[number] = place
        if unknown:  # one question for all costs half of one for each
            rows = self._connection.execute(_PLACE, (apsw.carray(unknown),))
            new = {number: Place(*place) for number, *place in rows}
            self._seen.update(new)
            found |= new
        return found


def _admitted(connection: apsw.Connection, filters: Filters) -> frozenset[int] | None:
    """Find the chunks of documents that pass the filters concerning whole documents; None for all."""
    conditions = list(_conditions(filters))
    if filters.properties:
        among = "d.id IN (SELECT value FROM json_each(?))"
        conditions.append((among, [_with_properties(connection, filters.properties)]))
    if not conditions:
        return None
    where = " AND ".join(condition for condition, _ in conditions)
    sql = f"SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE {where}"  # noqa: S608 - values are bound
    found = connection.execute(sql, [value for _, values in conditions for value in values])
    return frozenset(number for (number,) in found)


def _with_properties(connection: apsw.Connection, wanted: Collection[tuple[str, str]]) -> str:
    """List the documents that have properties, as JSON: what a property lists is not for SQL to take apart."""
    rows = connection.execute("SELECT id, properties FROM documents WHERE properties <> '{}'")
    return encode([number for number, written in rows if has(tuple(wanted), properties_of(written))]).decode()


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
    if filters.changed_from:
        yield "d.modified_ns >= ?", [filters.changed_from]
    if filters.changed_before:
        yield "d.modified_ns < ?", [filters.changed_before]
    if filters.languages:
        yield f"d.language IN {_marks(filters.languages)}", list(filters.languages)
    if filters.namespaces:
        yield f"d.namespace IN {_marks(filters.namespaces)}", list(filters.namespaces)
    if filters.tags:
        tagged = f"SELECT document FROM tags WHERE tag IN {_marks(filters.tags)}"  # noqa: S608 - values are bound
        yield f"d.id IN ({tagged})", list(folded(filters.tags))


def _marks(values: Collection[str]) -> str:
    return f"({', '.join('?' * len(values))})"
