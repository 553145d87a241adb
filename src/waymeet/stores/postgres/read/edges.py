"""Reading links between documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.ports import Neighbour
from waymeet.stores.postgres.database.encoding import decode_edge, escape_text, unescape_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from waymeet.stores.postgres.database.session import Session
    from waymeet.types import Edge

_IDS = """
chosen AS MATERIALIZED (
    SELECT id, path FROM documents WHERE collection_id = %(collection)s AND path = ANY(%(documents)s)
)
"""
_EDGES = f"""
WITH {_IDS},
touching AS (
    SELECT e.* FROM edges e WHERE e.collection_id = %(collection)s AND e.source IN (SELECT id FROM chosen)
    UNION ALL
    SELECT e.* FROM edges e WHERE e.collection_id = %(collection)s AND e.target IN (SELECT id FROM chosen)
        AND e.source NOT IN (SELECT id FROM chosen)
)
SELECT s.path, t.path, e.kind, e.content FROM touching e
    JOIN documents s ON s.collection_id = %(collection)s AND s.id = e.source
    LEFT JOIN documents t ON t.collection_id = %(collection)s AND t.id = e.target
WHERE {{condition}} ORDER BY s.path, e.ordinal
"""  # noqa: S608 - our own constants
_NEIGHBOURS = f"""
WITH {_IDS}
SELECT c.path, d.path, n.kind, n.outward, n.links FROM (
    SELECT e.source AS document, e.target AS other, e.kind, true AS outward, count(*) AS links FROM edges e
    WHERE e.collection_id = %(collection)s AND e.source IN (SELECT id FROM chosen) AND e.target <> e.source
        AND {{condition}}
    GROUP BY 1, 2, 3
    UNION ALL
    SELECT e.target, e.source, e.kind, false, count(*) FROM edges e
    WHERE e.collection_id = %(collection)s AND e.target IN (SELECT id FROM chosen) AND e.target <> e.source
        AND {{condition}}
    GROUP BY 1, 2, 3
) AS n JOIN chosen c ON c.id = n.document
    JOIN documents d ON d.collection_id = %(collection)s AND d.id = n.other
"""  # noqa: S608 - our own constants
_OF_KINDS = "e.kind = ANY(%(kinds)s)"


def read_edges(session: Session, documents: Collection[str], kinds: Collection[str]) -> list[Edge]:
    """List the edges that start or end at any of the documents, by document and position."""
    rows = session.named(_EDGES.format(condition=_OF_KINDS if kinds else "TRUE"), _parameters(documents, kinds))
    return [decode_edge(*row) for row in rows]


def read_neighbours(
    session: Session, documents: Collection[str], kinds: Collection[str]
) -> dict[str, tuple[Neighbour, ...]]:
    """Return the documents linked with each document."""
    neighbours: dict[str, list[Neighbour]] = {document: [] for document in documents}
    sql = _NEIGHBOURS.format(condition=_OF_KINDS if kinds else "TRUE")
    for path, other, kind, outward, links in session.named(sql, _parameters(documents, kinds)):
        neighbours[unescape_text(path)].append(Neighbour(unescape_text(other), unescape_text(kind), outward, links))
    return {document: tuple(sorted(own)) for document, own in neighbours.items()}


def _parameters(documents: Collection[str], kinds: Collection[str]) -> dict[str, list[str]]:
    chosen = {"kinds": [escape_text(kind) for kind in kinds]} if kinds else {}
    return {"documents": [escape_text(document) for document in set(documents)], **chosen}
