"""Edges in the file: leading links to where they go, and reading them back."""

from collections import defaultdict
from collections.abc import Collection, Iterable

import apsw

from waymeet.stores.resolve import Carriers
from waymeet.stores.sqlite.records import edge_of
from waymeet.types import Edge

_ASKING = "SELECT edge FROM edge_refs WHERE key = ?"

_REFS = """
SELECT e.id, d.path, e.target, r.key
FROM edges e JOIN documents d ON d.id = e.source JOIN edge_refs r ON r.edge = e.id
WHERE e.id = ? ORDER BY r.rank
"""

_CARRIERS = "SELECT n.key, d.path, d.id FROM names n JOIN documents d ON d.id = n.document WHERE n.key = ?"

_EDGES = """
SELECT e.ordinal, s.path, e.source_anchor, t.path, e.anchor, e.kind, e.text, e.sentence, e.ref, e.line
FROM edges e JOIN documents s ON s.id = e.source LEFT JOIN documents t ON t.id = e.target
"""
_FROM = f"{_EDGES} WHERE s.path = ?"
_TO = f"{_EDGES} WHERE t.path = ?"


def asking(connection: apsw.Connection, keys: Iterable[str]) -> set[int]:
    """Find the edges that look for any of the keys."""
    return {edge for (edge,) in connection.executemany(_ASKING, ((key,) for key in keys))}


def lead(connection: apsw.Connection, edges: Iterable[int]) -> set[int]:
    """Lead edges to the documents that they mean now, and name the documents that gained or lost one.

    Edges that lead where they should are not touched.
    """
    sources: dict[int, tuple[str, int | None]] = {}
    refs: dict[int, list[str]] = defaultdict(list)
    for edge, source, target, key in connection.executemany(_REFS, ((edge,) for edge in sorted(edges))):
        sources[edge] = source, target
        refs[edge].append(key)
    carriers, numbers = _carriers(connection, {key for keys in refs.values() for key in keys})
    moved, changed = [], set()
    for edge, (source, old) in sources.items():
        path = carriers.target(source, refs[edge])
        new = None if path is None else numbers[path]
        if new != old:
            moved.append((new, edge))
            changed |= {new, old}
    connection.executemany("UPDATE edges SET target = ? WHERE id = ?", moved)
    return {document for document in changed if document is not None}


def _carriers(connection: apsw.Connection, keys: set[str]) -> tuple[Carriers, dict[str, int]]:
    paths: dict[str, list[str]] = defaultdict(list)
    numbers: dict[str, int] = {}
    for key, path, number in connection.executemany(_CARRIERS, ((key,) for key in sorted(keys))):
        paths[key].append(path)
        numbers[path] = number
    return Carriers(paths), numbers


def touching(connection: apsw.Connection, documents: Collection[str], kinds: Collection[str]) -> list[Edge]:
    """List the edges that start or end at any of the documents, by document and position."""
    wanted = [(document,) for document in set(documents)]
    found: dict[tuple[str, int], Edge] = {}
    for sql in (_FROM, _TO):
        for ordinal, *row in connection.executemany(sql, wanted):
            edge = edge_of(tuple(row))
            if not kinds or edge.kind in kinds:
                found[edge.source.document, ordinal] = edge
    return [edge for _, edge in sorted(found.items(), key=lambda item: item[0])]
