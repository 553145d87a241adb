"""Sizes of a collection by purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.ports import IndexSize, SizePart

if TYPE_CHECKING:
    from waymeet.stores.postgres.database.session import Session

_TEXT = "SELECT coalesce(sum(octet_length(content)), 0) FROM chunks WHERE collection_id = %s"
_TABLES = {
    "texts": ("chunks", "sections with their texts"),
    "words": ("posting_blocks", "occurrences of terms, by term"),
    "document words": ("document_terms", "occurrences of terms, by document"),
    "documents": ("documents", "documents"),
    "links": ("edges", "links between documents"),
    "vectors": ("vectors", "vectors of sections"),
}
_SHARE = """
SELECT coalesce((pg_total_relation_size(p.tableoid) * (count(*)::float8
    / greatest((SELECT reltuples FROM pg_class WHERE oid = p.tableoid), count(*), 1)))::bigint, 0)
FROM {table} p WHERE p.collection_id = %s GROUP BY p.tableoid
"""


def measure_size(session: Session) -> IndexSize:
    """Estimate the bytes of a collection with indexes.

    It has the share of its partitions that it has of their rows.
    """
    parts = []
    for name, (table, what) in _TABLES.items():
        rows = session.rows(_SHARE.format(table=table))
        parts.append(SizePart(name, sum(size for (size,) in rows), what))
    ((text,),) = session.rows(_TEXT)
    return IndexSize(int(text), tuple(sorted(parts, key=lambda part: -part.bytes)))
