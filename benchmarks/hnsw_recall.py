"""Measure what an HNSW index on PostgreSQL finds of the nearest sections, with vectors of the default model.

    python benchmarks/hnsw_recall.py [--vectors 60000] [--queries 100]

The vectors are those that `waymeet eval` has cached: sections and queries of many collections. The last ones are asked
for the 50 nearest of the others, by the index with the settings that a search uses and by a scan of all vectors.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from waymeet.paths import cache_folder
from waymeet.stores.postgres import PostgresStore
from waymeet.types import Chunk, Document, Filters, IndexEntry

_DIMENSION, _LIMIT, _BATCH, _CHUNKS = 384, 50, 2000, 100
_SPACE = "cached"
_CACHED = "SELECT DISTINCT vector FROM kept WHERE length(vector) = ? ORDER BY id LIMIT ?"


def read_vectors(number: int) -> np.ndarray:
    """Read cached vectors."""
    connection = sqlite3.connect(f"file:{cache_folder() / 'vectors.sqlite'}?mode=ro", uri=True)
    rows = connection.execute(_CACHED, (4 * _DIMENSION, number)).fetchall()
    connection.close()
    return np.frombuffer(b"".join(row for (row,) in rows), "<f4").reshape(-1, _DIMENSION)


def make_entry(number: int) -> IndexEntry:
    """Make a document of empty sections, which have vectors only."""
    path = f"{number}.md"
    chunks = tuple(Chunk(f"{path}#L{line}-L{line}", path, line, line, line, "") for line in range(1, _CHUNKS + 1))
    return IndexEntry(Document(path, "docs", path), chunks, {}, tuple({} for _ in chunks))


def measure(dsn: str, vectors: np.ndarray, queries: np.ndarray) -> str:
    """Write vectors, create the index and compare it with a scan."""
    exact = PostgresStore.open(dsn, "recall", create=True, hnsw_from=sys.maxsize)
    indexed = PostgresStore.open(dsn, "recall", hnsw_from=min(50_000, len(vectors)))
    entries = [make_entry(number) for number in range(-(-len(vectors) // _CHUNKS))]
    ids = [chunk.id for entry in entries for chunk in entry.chunks][: len(vectors)]
    exact.put(entries)
    for part in range(0, len(ids), _BATCH):
        chosen = slice(part, part + _BATCH)
        exact.put_vectors(_SPACE, dict(zip(ids[chosen], vectors[chosen], strict=True)))
    indexed.optimize()
    found, seconds = 0, [0.0, 0.0]
    for query in queries:
        hits = []
        for place, store in enumerate((exact, indexed)):
            started = perf_counter()
            hits.append({hit.chunk for hit in store.rank_vectors(_SPACE, query, _LIMIT, Filters())})
            seconds[place] += perf_counter() - started
        found += len(hits[0] & hits[1])
    for store in (exact, indexed):
        store.close()
    milliseconds = [f"{total / len(queries) * 1000:.1f}" for total in seconds]
    cells = f"{len(vectors):,}", str(len(queries)), f"{found / (_LIMIT * len(queries)):.4f}", *milliseconds
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Start a server, measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, default=60_000)
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    sys.path.append(str(Path(__file__).parent.parent / "tests"))
    from support.postgres_server import PostgresServer  # noqa: PLC0415 - only for the benchmark

    vectors = read_vectors(options.vectors + options.queries)
    server = PostgresServer(options=("shared_buffers=512MB", "maintenance_work_mem=512MB", "max_wal_size=4GB"))
    server.initialise()
    server.start()
    try:
        row = measure(server.dsn, vectors[: -options.queries], vectors[-options.queries :])
    finally:
        server.remove()
    print("| vectors | queries | HNSW recall@50 | scan, ms | HNSW, ms |\n|--:|--:|--:|--:|--:|")
    print(row)


if __name__ == "__main__":
    main()
