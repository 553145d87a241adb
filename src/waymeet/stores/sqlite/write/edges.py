"""Edges in the file: leading links to where they go, and reading them back."""

from collections import defaultdict
from collections.abc import Collection, Iterable

import apsw
from msgspec.json import encode

from waymeet.stores.shared.link_resolution import Carriers
from waymeet.stores.sqlite.database.rows import edge_of
from waymeet.types import Edge

_ASKING = "SELECT edge FROM edge_refs WHERE key = ?"

_REFS = """
SELECT e.id, d.path, e.target, r.key
FROM edges e JOIN documents d ON d.id = e.source JOIN edge_refs r ON r.edge = e.id
WHERE e.id = ? ORDER BY r.rank
"""

_CARRIERS = "SELECT n.key, d.path, d.id FROM names n JOIN documents d ON d.id = n.document WHERE n.key = ?"

_EDGES = """
SELECT s.path, e.ordinal, s.path, e.source_anchor, t.path, e.anchor, e.kind, e.text, e.sentence, e.ref, e.line
FROM edges e JOIN documents s ON s.id = e.source LEFT JOIN documents t ON t.id = e.target
"""
_TOUCHING = f"{_EDGES} WHERE s.path = ?1 UNION ALL {_EDGES} WHERE t.path = ?1"
_OF_KINDS = "AND e.kind IN (SELECT value FROM json_each(?2))"
_TOUCHING_OF_KINDS = f"{_EDGES} WHERE s.path = ?1 {_OF_KINDS} UNION ALL {_EDGES} WHERE t.path = ?1 {_OF_KINDS}"
_MOST_REMEMBERED = 10_000

Known = dict[str, dict[tuple[str, int], Edge]]
"""The edges that touch documents asked about before in one generation, by their places in the order."""


def asking(connection: apsw.Connection, keys: Iterable[str]) -> set[int]:
    """Find the edges that look for any of the keys."""
    return {edge for (edge,) in connection.executemany(_ASKING, ((key,) for key in keys))}


def lead(connection: apsw.Connection, edges: Iterable[int]) -> set[int]:
    """Lead edges to the documents that they mean now, and name the documents that gained or lost one.

    Edges that lead where they should are not touched.
    """
    moved = astray(connection, edges)
    connection.executemany("UPDATE edges SET target = ? WHERE id = ?", [(new, edge) for edge, _, new in moved])
    return {document for _, old, new in moved for document in (old, new) if document is not None}


def astray(connection: apsw.Connection, edges: Iterable[int]) -> list[tuple[int, int | None, int | None]]:
    """Find the edges that do not lead where they should, with where they do and where they should."""
    sources: dict[int, tuple[str, int | None]] = {}
    refs: dict[int, list[str]] = defaultdict(list)
    for edge, source, target, key in connection.executemany(_REFS, ((edge,) for edge in sorted(edges))):
        sources[edge] = source, target
        refs[edge].append(key)
    carriers, numbers = _carriers(connection, {key for keys in refs.values() for key in keys})
    found = []
    for edge, (source, old) in sources.items():
        path = carriers.target(source, refs[edge])
        new = None if path is None else numbers[path]
        if new != old:
            found.append((edge, old, new))
    return found


def _carriers(connection: apsw.Connection, keys: set[str]) -> tuple[Carriers, dict[str, int]]:
    paths: dict[str, list[str]] = defaultdict(list)
    numbers: dict[str, int] = {}
    for key, path, number in connection.executemany(_CARRIERS, ((key,) for key in sorted(keys))):
        paths[key].append(path)
        numbers[path] = number
    return Carriers(paths), numbers


def touching(
    connection: apsw.Connection, documents: Collection[str], kinds: Collection[str], known: Known
) -> list[Edge]:
    """List the edges that start or end at any of the documents, by document and position.

    What is read is added to what is known, for questions meet in the same documents; but of a document with thousands
    of links, those of a few kinds are read alone.
    """
    wanted = encode(sorted(kinds)).decode()
    if len(known) > _MOST_REMEMBERED:
        known.clear()
    found: dict[tuple[str, int], Edge] = {}
    for document in set(documents):
        touched = known.get(document)
        if touched is None:
            rows = connection.execute(
                *((_TOUCHING_OF_KINDS, (document, wanted)) if kinds else (_TOUCHING, (document,)))
            )
            touched = {(row[0], row[1]): edge_of(row[2:]) for row in rows}
            if not kinds:
                known[document] = touched
        found |= touched
    return [found[place] for place in sorted(found) if not kinds or found[place].kind in kinds]
