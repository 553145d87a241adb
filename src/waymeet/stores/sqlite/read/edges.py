"""Reading edges with what their links say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.json import encode

from waymeet.stores.sqlite.database.rows import read_edge

if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw

    from waymeet.stores.sqlite.read.contents import ContentReader
    from waymeet.types import Edge

_EDGES = """
SELECT e.source, e.ordinal, s.path, k.name, t.path
FROM edges e JOIN documents s ON s.id = e.source JOIN edge_kinds k ON k.id = e.kind
    LEFT JOIN documents t ON t.id = e.target
"""
_OUTGOING = f"{_EDGES} WHERE e.source = (SELECT id FROM documents WHERE path = ?1)"  # noqa: S608 - our own constant
_INCOMING = f"{_EDGES} WHERE e.target = (SELECT id FROM documents WHERE path = ?1) AND e.target <> e.source"  # noqa: S608 - likewise
_TOUCHING = f"{_OUTGOING} UNION ALL {_INCOMING}"
_OF_KINDS = "AND k.name IN (SELECT value FROM json_each(?2))"
_TOUCHING_OF_KINDS = f"{_OUTGOING} {_OF_KINDS} UNION ALL {_INCOMING} {_OF_KINDS}"
_MAX_CACHED = 2000
_CACHED_KINDS = frozenset({"source", "mentions"})
"""Kinds that every answer reads, to find out whether its documents are stale."""

EdgeCache = dict[tuple[str, str], dict[tuple[str, int], "Edge"]]
"""The edges from and to documents in one generation, by document and kinds, then by source and ordinal."""


def read_edges(
    connection: apsw.Connection,
    documents: Collection[str],
    kinds: Collection[str],
    cache: EdgeCache,
    contents: ContentReader,
) -> list[Edge]:
    """List the edges that start or end at any of the documents, by document and ordinal.

    The edges of a document are cached, since the results of queries overlap. If only some kinds are requested, only
    those are read, since a document may have thousands of links of other kinds, and cached if every answer needs them.
    """
    kinds_json = encode(sorted(set(kinds))).decode()
    is_cached = _CACHED_KINDS.issuperset(kinds)
    if len(cache) > _MAX_CACHED:
        cache.clear()
    edges: dict[tuple[str, int], Edge] = {}
    for document in set(documents):
        touching = cache.get((document, kinds_json))
        if touching is None:
            rows = connection.execute(
                *((_TOUCHING_OF_KINDS, (document, kinds_json)) if kinds else (_TOUCHING, (document,)))
            )
            touching = {
                (path, ordinal): read_edge(path, kind, target, contents.link(connection, source, ordinal))
                for source, ordinal, path, kind, target in rows
            }
            if is_cached:
                cache[document, kinds_json] = touching
        edges |= touching
    return [edges[key] for key in sorted(edges)]
