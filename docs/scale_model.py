"""The size of a deployment, computed from measured constants: the tables of `docs/scale.md`.

    python docs/scale_model.py 5000000

Change a constant after `make bench-postgres`, then run `make docs`.
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

TEXT_BYTES = 2860
"""Bytes on disk per section without vectors: text, postings, links, with their indexes."""
VECTOR_BYTES = 2590
"""Bytes on disk per section of one vector of 384 numbers with its HNSW index."""
HOT_BYTES = 3200
"""Bytes per section that should be in memory, estimated: the HNSW index and the postings of frequent words."""
SECTIONS_PER_SECOND = 2100
"""Sections stored with their vectors and HNSW index per second of a processor, without embedding."""
EMBEDDED_PER_SECOND = 22
"""Sections that the default model embeds per second and core."""
QUERIES_PER_SECOND = 137
"""Hybrid queries of a sentence per second of a processor, in a collection of 100,000 sections."""
_SERVER_MEMORY = 256e9
_SERVER_SECTIONS = 50_000_000
"""Sections that one server holds at most: its indexes then fit into its memory."""
_SIZES = (1_000_000, 10_000_000, 100_000_000, 1_000_000_000)


class Plan(NamedTuple):
    """What a number of sections needs."""

    sections: int
    disk: float
    memory: float
    servers: int
    storing_hours: float
    embedding_days: float
    layout: str


def plan(sections: int) -> Plan:
    """Compute what a number of sections needs.

    >>> plan(1_000_000).servers, plan(1_000_000_000).servers
    (1, 20)
    """
    memory = sections * HOT_BYTES
    servers = max(1, -(-sections // _SERVER_SECTIONS), round(memory / _SERVER_MEMORY))
    return Plan(
        sections,
        sections * (TEXT_BYTES + VECTOR_BYTES),
        memory,
        servers,
        sections / SECTIONS_PER_SECOND / 3600,
        sections / EMBEDDED_PER_SECOND / 86_400,
        _layout(sections, servers),
    )


def _layout(sections: int, servers: int) -> str:
    if sections <= 2_000_000:
        return "one server"
    if servers == 1:
        return "one server, a replica for reading"
    return f"{servers} shards by collection, each with a replica"


def plan_rows() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the plan."""
    for each in map(plan, _SIZES):
        yield (
            f"{each.sections:,}",
            f"{each.disk / 1e9:,.0f} GB",
            f"{each.memory / each.servers / 1e9:,.0f} GB",
            str(each.servers),
            f"{each.storing_hours:,.1f} h",
            f"{each.embedding_days:,.1f} d",
            each.layout,
        )


def constant_rows() -> Iterator[tuple[str, ...]]:
    """Yield the constants."""
    yield "disk per section, without vectors", f"{TEXT_BYTES:,} bytes"
    yield "disk per section, vector of 384 numbers with HNSW", f"{VECTOR_BYTES:,} bytes"
    yield "memory per section (estimated)", f"{HOT_BYTES:,} bytes"
    yield "storing with HNSW, per core", f"{SECTIONS_PER_SECOND:,} sections/s"
    yield "embedding, per core", f"{EMBEDDED_PER_SECOND:,} sections/s"
    yield "hybrid queries of a sentence in 100,000 sections, per core", f"{QUERIES_PER_SECOND:,}/s"


if __name__ == "__main__":
    print(plan(int(sys.argv[1])))
