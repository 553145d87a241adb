"""Edges in the table: resolving and reading links."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

import apsw
from msgspec.json import encode

from waymeet.stores.shared.link_resolution import LinkResolver
from waymeet.stores.sqlite.database.rows import read_edge
from waymeet.types import Edge

_EDGES_BY_KEY = "SELECT edge FROM edge_refs WHERE key = ?"

_REFS = """
SELECT e.id, d.path, e.target, r.key
FROM edges e JOIN documents d ON d.id = e.source JOIN edge_refs r ON r.edge = e.id
WHERE e.id = ? ORDER BY r.rank
"""

_DOCUMENTS_BY_KEY = "SELECT n.key, d.path, d.id FROM names n JOIN documents d ON d.id = n.document WHERE n.key = ?"

_EDGES = """
SELECT s.path, e.ordinal, s.path, e.source_anchor, t.path, e.anchor, e.kind, e.text, e.sentence, e.ref, e.line
FROM edges e JOIN documents s ON s.id = e.source LEFT JOIN documents t ON t.id = e.target
"""
_TOUCHING = f"{_EDGES} WHERE s.path = ?1 UNION ALL {_EDGES} WHERE t.path = ?1"
_OF_KINDS = "AND e.kind IN (SELECT value FROM json_each(?2))"
_TOUCHING_OF_KINDS = f"{_EDGES} WHERE s.path = ?1 {_OF_KINDS} UNION ALL {_EDGES} WHERE t.path = ?1 {_OF_KINDS}"
_MAX_CACHED = 10_000

EdgeCache = dict[str, dict[tuple[str, int], Edge]]
"""The edges from and to documents in one generation, by source and ordinal."""


class WrongTarget(NamedTuple):
    """An edge whose stored target is not the one that its keys select."""

    edge: int
    stored: int | None
    resolved: int | None


def find_by_key(connection: apsw.Connection, keys: Iterable[str]) -> set[int]:
    """Find the edges that have any of the keys."""
    return {edge for (edge,) in connection.executemany(_EDGES_BY_KEY, ((key,) for key in keys))}


def resolve_edges(connection: apsw.Connection, edges: Iterable[int]) -> set[int]:
    """Set the targets of edges, and return the documents that gained or lost a link.

    Edges whose target is right are not written.
    """
    wrong = find_wrong_targets(connection, edges)
    connection.executemany(
        "UPDATE edges SET target = ? WHERE id = ?", [(target.resolved, target.edge) for target in wrong]
    )
    return {document for _, stored, resolved in wrong for document in (stored, resolved) if document is not None}


def find_wrong_targets(connection: apsw.Connection, edges: Iterable[int]) -> list[WrongTarget]:
    """Find the edges whose target is not the one that their keys select now."""
    sources: dict[int, tuple[str, int | None]] = {}
    refs: dict[int, list[str]] = defaultdict(list)
    for edge, source, target, key in connection.executemany(_REFS, ((edge,) for edge in sorted(edges))):
        sources[edge] = source, target
        refs[edge].append(key)
    resolver, ids = _load_resolver(connection, {key for keys in refs.values() for key in keys})
    wrong = []
    for edge, (source, stored) in sources.items():
        path = resolver.resolve(source, refs[edge])
        resolved = None if path is None else ids[path]
        if resolved != stored:
            wrong.append(WrongTarget(edge, stored, resolved))
    return wrong


def _load_resolver(connection: apsw.Connection, keys: set[str]) -> tuple[LinkResolver, dict[str, int]]:
    """Load the documents with any of the keys, and return a resolver and their ids by path."""
    paths: dict[str, list[str]] = defaultdict(list)
    ids: dict[str, int] = {}
    for key, path, id_ in connection.executemany(_DOCUMENTS_BY_KEY, ((key,) for key in sorted(keys))):
        paths[key].append(path)
        ids[path] = id_
    return LinkResolver(paths), ids


def read_edges(
    connection: apsw.Connection, documents: Collection[str], kinds: Collection[str], cache: EdgeCache
) -> list[Edge]:
    """List the edges that start or end at any of the documents, by document and ordinal.

    The edges of a document are cached, since the results of queries overlap. If only some kinds are requested, only
    those are read and nothing is cached: a document may have thousands of links of other kinds.
    """
    kinds_json = encode(sorted(kinds)).decode()
    if len(cache) > _MAX_CACHED:
        cache.clear()
    edges: dict[tuple[str, int], Edge] = {}
    for document in set(documents):
        touching = cache.get(document)
        if touching is None:
            rows = connection.execute(
                *((_TOUCHING_OF_KINDS, (document, kinds_json)) if kinds else (_TOUCHING, (document,)))
            )
            touching = {(row[0], row[1]): read_edge(row[2:]) for row in rows}
            if not kinds:
                cache[document] = touching
        edges |= touching
    return [edges[key] for key in sorted(edges) if not kinds or edges[key].kind in kinds]
