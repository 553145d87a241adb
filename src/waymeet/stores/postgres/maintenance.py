"""Planner statistics and HNSW indexes, which make later queries faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.postgres.database.schema import SCHEMA

if TYPE_CHECKING:
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.database.sessions import Sessions

HNSW_FROM = 50_000
"""Vectors of a space from which on it gets an HNSW index. A scan of fewer takes about 20 ms, and is exact."""
_MIN_CHUNKS = 1000
"""Smaller collections need no statistics of their own."""
_GROWTH = 2
_TABLES = "documents", "chunks", "document_segments", "names", "link_keys", "edges", "vectors"
_PARTITION = "SELECT tableoid::regclass::text FROM {table} WHERE collection_id = %s LIMIT 1"
_SPACES = "SELECT id, dimension, name, vectors FROM spaces WHERE collection_id = %s"
_INDEX = """
SELECT x.indisvalid FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s
"""
_CREATE = """
CREATE INDEX CONCURRENTLY {name} ON {table} USING hnsw ((embedding::halfvec({dimension})) halfvec_ip_ops)
WHERE collection_id = {collection} AND space = {space}
"""


class _Work(NamedTuple):
    """What there is to do for one collection."""

    analyse: list[str]
    indexes: list[str]


def index_name(collection: int, space: int) -> str:
    """Name the HNSW index of a space."""
    return f"vectors_hnsw_{collection}_{space}"


def has_index(session: Session, space: int) -> bool:
    """Return whether a space has a complete HNSW index."""
    rows = session.connection.execute(_INDEX, (SCHEMA, index_name(session.collection, space))).fetchall()
    return bool(rows) and bool(rows[0][0])


def optimize(sessions: Sessions, analysed: int, hnsw_from: int) -> int:
    """Refresh statistics and create missing HNSW indexes.

    `analysed` is the number of chunks when statistics were last collected; the new one is returned.
    """
    chunks, work = sessions.read(lambda session: (session.statistics.chunks, _list_work(session, analysed, hnsw_from)))
    if work.analyse or work.indexes:
        sessions.run_outside_transaction(["SET statement_timeout = 0", *work.analyse, *work.indexes])
    return chunks if work.analyse else analysed


def _list_work(session: Session, analysed: int, hnsw_from: int) -> _Work:
    chunks = session.statistics.chunks
    tables = _TABLES if chunks >= max(_GROWTH * analysed, _MIN_CHUNKS) else ()
    found = (session.rows(_PARTITION.format(table=table)) for table in tables)
    indexes = []
    for space, dimension, name, vectors in session.rows(_SPACES):
        own = index_name(session.collection, space)
        if is_part_space(name) or has_index(session, space):
            if vectors == 0:
                indexes.append(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{own}")
        elif vectors >= hnsw_from:
            ((table,),) = session.rows(_PARTITION.format(table="vectors"))
            indexes.append(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{own}")  # an incomplete one of a failed attempt
            indexes.append(
                _CREATE.format(name=own, table=table, dimension=dimension, collection=session.collection, space=space)
            )
    return _Work([f"ANALYZE {rows[0][0]}" for rows in found if rows], indexes)
