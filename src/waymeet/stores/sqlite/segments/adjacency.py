"""Neighbours of documents, from the link file where it is current, else from the tables.

The tables record the generation from which the link file was written, and for each document the generation in which a
link from or to it last changed (`changed_links`, maintained by triggers). A document whose links changed later is read
from the tables.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from waymeet.ports import Neighbour
from waymeet.stores.segments.adjacency import LinkGraph, build_arrays
from waymeet.stores.sqlite.segments.registry import raise_registry_version

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    import apsw

    from waymeet.stores.segments.array_file import ArrayFile

    Rows = Mapping[int, list[tuple[int, str, bool, int]]]

_MAX_CACHED = 10_000
"""Documents whose neighbours are cached: the results of successive queries overlap."""
_REWRITE_SHARE = 20
"""The link file is rewritten when one document in so many has changed links."""
_ALL_LINKS = """
SELECT e.source, e.target, k.name, COUNT(*) FROM edges e JOIN edge_kinds k ON k.id = e.kind
WHERE e.target <> e.source GROUP BY e.source, e.target, e.kind
"""
_OUTGOING = """
SELECT d.path, k.name, 1, COUNT(*)
FROM edges e JOIN documents d ON d.id = e.target JOIN edge_kinds k ON k.id = e.kind
WHERE e.source = ?1 AND e.target <> ?1 GROUP BY d.id, e.kind
"""
_INCOMING = """
SELECT d.path, k.name, 0, COUNT(*)
FROM edges e JOIN documents d ON d.id = e.source JOIN edge_kinds k ON k.id = e.kind
WHERE e.target = ?1 AND e.target <> e.source GROUP BY d.id, e.kind
"""
_MARK_ALL = """
INSERT OR REPLACE INTO changed_links SELECT id, value FROM documents, counters WHERE key = 'generation'
"""


class LinkFile(NamedTuple):
    """The registered link file."""

    id: int
    generation: int
    """The generation from which it was written."""
    file: str


def find_file(connection: apsw.Connection) -> LinkFile | None:
    """Return the registered link file, if there is one."""
    row = connection.execute("SELECT id, generation, file FROM link_files ORDER BY id DESC LIMIT 1").fetchone()
    return None if row is None else LinkFile(*row)


def changed_since(connection: apsw.Connection, generation: int) -> frozenset[int]:
    """Return the documents whose links changed after a generation."""
    rows = connection.execute("SELECT document FROM changed_links WHERE generation > ?", (generation,))
    return frozenset(document for (document,) in rows)


def is_due(connection: apsw.Connection, min_documents: int) -> bool:
    """Return whether the links of so many documents changed that the file should be rewritten."""
    file = find_file(connection)
    documents: int = connection.execute("SELECT COUNT(*) FROM documents").get
    changed = connection.execute(
        "SELECT COUNT(*) FROM changed_links WHERE generation > ?", (file.generation if file else 0,)
    ).get
    return bool(changed > max(min_documents, documents // _REWRITE_SHARE))


def register(connection: apsw.Connection, file: str, generation: int) -> None:
    """Register a file written from a generation, in place of any other."""
    connection.execute("DELETE FROM link_files")
    connection.execute("INSERT INTO link_files (generation, file) VALUES (?, ?)", (generation, file))
    connection.execute("DELETE FROM changed_links WHERE generation <= ?", (generation,))
    raise_registry_version(connection)


def drop_file(connection: apsw.Connection) -> None:
    """Remove the file from the registry, so that neighbours are read from the tables."""
    connection.execute("DELETE FROM link_files")
    connection.execute(_MARK_ALL)
    raise_registry_version(connection)


def read_all(connection: apsw.Connection) -> tuple[list[tuple[str, int]], Rows]:
    """Read all documents and neighbours from the tables, as `build_arrays` expects them."""
    paths = list(connection.execute("SELECT path, id FROM documents ORDER BY path"))
    rows: dict[int, list[tuple[int, str, bool, int]]] = defaultdict(list)
    for source, target, kind, links in connection.execute(_ALL_LINKS):
        rows[source].append((target, kind, True, links))
        rows[target].append((source, kind, False, links))
    return paths, rows


def write_file(folder: Path, connection: apsw.Connection) -> str:
    """Write a link file from the tables, and return its name. It is not registered yet."""
    from waymeet.stores.segments import array_file  # noqa: PLC0415 - numpy costs more than a small search

    arrays, attributes = build_arrays(*read_all(connection))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = f"{uuid4().hex}.links"
    array_file.write_arrays(folder / file, arrays, attributes)
    return file


class NeighbourReader:
    """Reads the neighbours of documents in one generation."""

    def __init__(self, links: tuple[LinkFile, ArrayFile] | None, connection: apsw.Connection) -> None:
        self._graph = LinkGraph(links[1]) if links else None
        self._changed = changed_since(connection, links[0].generation) if links else frozenset()
        self._cache: dict[str, tuple[Neighbour, ...]] = {}

    def read(
        self, connection: apsw.Connection, documents: Collection[str], kinds: Collection[str]
    ) -> dict[str, tuple[Neighbour, ...]]:
        """Return the neighbours of documents, none for unknown ones."""
        if len(self._cache) > _MAX_CACHED:
            self._cache.clear()
        by_document: dict[str, tuple[Neighbour, ...]] = {}
        for document in documents:
            neighbours = self._cache.get(document)  # another thread may clear the cache at any moment
            if neighbours is None:
                neighbours = self._cache[document] = self._read_one(connection, document)
            by_document[document] = neighbours
        if not kinds:
            return by_document
        return {
            document: tuple(neighbour for neighbour in neighbours if neighbour.kind in kinds)
            for document, neighbours in by_document.items()
        }

    def _read_one(self, connection: apsw.Connection, document: str) -> tuple[Neighbour, ...]:
        if self._graph is not None:
            position = self._graph.find_position(document)
            if position is not None and self._graph.documents[position] not in self._changed:
                return self._graph.neighbours(position)
        return read_from_tables(connection, document)


def read_from_tables(connection: apsw.Connection, document: str) -> tuple[Neighbour, ...]:
    """Read the neighbours of one document from the tables."""
    id_ = connection.execute("SELECT id FROM documents WHERE path = ?", (document,)).get
    rows = [] if id_ is None else [*connection.execute(_OUTGOING, (id_,)), *connection.execute(_INCOMING, (id_,))]
    return tuple(sorted(Neighbour(path, kind, bool(outward), links) for path, kind, outward, links in rows))
