"""Neighbours from the file of arrays where it is still true of a document, else from the truth.

The books say from which generation the file was made, and of each document in which generation its links last
changed, at either end (`stirred`, kept by triggers). One whose links changed later is read from the truth.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from waymeet.ports import Neighbour
from waymeet.stores.segments.adjacency import Graph, arrays
from waymeet.stores.sqlite.segments.registry import shelved

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    import apsw

    from waymeet.stores.segments.array_file import Container

    Rows = Mapping[int, list[tuple[int, str, bool, int]]]

_MOST_REMEMBERED = 10_000
"""Documents whose neighbours are kept at hand: questions asked one after the other meet in the same ones."""
_ALL = """
SELECT source, target, kind, COUNT(*) FROM edges
WHERE target IS NOT NULL AND target <> source GROUP BY source, target, kind
"""
_OUT = """
SELECT d.path, e.kind, 1, COUNT(*) FROM edges e JOIN documents d ON d.id = e.target
WHERE e.source = ?1 AND e.target <> ?1 GROUP BY d.id, e.kind
"""
_IN = """
SELECT d.path, e.kind, 0, COUNT(*) FROM edges e JOIN documents d ON d.id = e.source
WHERE e.target = ?1 AND e.source <> ?1 GROUP BY d.id, e.kind
"""


class Shelved(NamedTuple):
    """The file of neighbours."""

    number: int
    generation: int
    """The generation it was made from."""
    file: str


def named(connection: apsw.Connection) -> Shelved | None:
    """Name the file, if there is one."""
    row = connection.execute("SELECT id, generation, file FROM link_files ORDER BY id DESC LIMIT 1").fetchone()
    return None if row is None else Shelved(*row)


def stirred(connection: apsw.Connection, since: int) -> frozenset[int]:
    """Give the documents whose links changed after a generation."""
    rows = connection.execute("SELECT document FROM changed_links WHERE generation > ?", (since,))
    return frozenset(document for (document,) in rows)


def due(connection: apsw.Connection, few: int) -> bool:
    """Tell whether so many documents have other links than the file says that it should be made anew."""
    file = named(connection)
    documents: int = connection.execute("SELECT COUNT(*) FROM documents").get
    changed = connection.execute(
        "SELECT COUNT(*) FROM changed_links WHERE generation > ?", (file.generation if file else 0,)
    ).get
    return bool(changed > max(few, documents // 20))


def register(connection: apsw.Connection, file: str, generation: int) -> None:
    """Name a file made from a generation in place of any other."""
    connection.execute("DELETE FROM link_files")
    connection.execute("INSERT INTO link_files (generation, file) VALUES (?, ?)", (generation, file))
    connection.execute("DELETE FROM changed_links WHERE generation <= ?", (generation,))
    shelved(connection)


def retire(connection: apsw.Connection) -> None:
    """Forget the file: all neighbours are read from the truth until there is another."""
    connection.execute("DELETE FROM link_files")
    connection.execute(
        "INSERT OR REPLACE INTO changed_links SELECT id, value FROM documents, counters WHERE key = 'generation'"
    )
    shelved(connection)


def read(connection: apsw.Connection) -> tuple[list[tuple[str, int]], Rows]:
    """Read all neighbours from the truth, as the file keeps them."""
    paths = list(connection.execute("SELECT path, id FROM documents ORDER BY path"))
    rows: dict[int, list[tuple[int, str, bool, int]]] = defaultdict(list)
    for source, target, kind, links in connection.execute(_ALL):
        rows[source].append((target, kind, True, links))
        rows[target].append((source, kind, False, links))
    return paths, rows


def write(folder: Path, connection: apsw.Connection) -> str:
    """Write the file from the truth; nobody names it yet."""
    from waymeet.stores.segments import array_file  # noqa: PLC0415 - numpy costs more than a small search

    made, facts = arrays(*read(connection))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = f"{uuid4().hex}.links"
    array_file.write(folder / file, made, facts)
    return file


class Surroundings:
    """Who is around whom, in one generation."""

    def __init__(self, file: tuple[Shelved, Container] | None, connection: apsw.Connection) -> None:
        self._graph = Graph(file[1]) if file else None
        self._stirred = stirred(connection, file[0].generation) if file else frozenset()
        self._known: dict[str, tuple[Neighbour, ...]] = {}

    def neighbours(
        self, connection: apsw.Connection, documents: Collection[str], kinds: Collection[str]
    ) -> dict[str, tuple[Neighbour, ...]]:
        """Give the neighbours of documents; those of no neighbour, or unknown, get none."""
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
        found: dict[str, tuple[Neighbour, ...]] = {}
        for document in documents:
            around = self._known.get(document)  # another thread may clear it at any moment
            if around is None:
                around = self._known[document] = self._around(connection, document)
            found[document] = around
        if not kinds:
            return found
        return {document: tuple(each for each in around if each.kind in kinds) for document, around in found.items()}

    def _around(self, connection: apsw.Connection, document: str) -> tuple[Neighbour, ...]:
        if self._graph is not None:
            place = self._graph.place(document)
            if place is not None and self._graph.documents[place] not in self._stirred:
                return self._graph.around(place)
        return in_truth(connection, document)


def in_truth(connection: apsw.Connection, document: str) -> tuple[Neighbour, ...]:
    """Read the neighbours of one document from the truth."""
    number = connection.execute("SELECT id FROM documents WHERE path = ?", (document,)).get
    rows = [] if number is None else [*connection.execute(_OUT, (number,)), *connection.execute(_IN, (number,))]
    return tuple(sorted(Neighbour(path, kind, bool(outward), links) for path, kind, outward, links in rows))
