# ruff: noqa: SLF001 - what it tries is not part of the store
"""Measure a question to twenty collections of one PostgreSQL server: statements for each, or one statement for all.

    python benchmarks/many_collections.py [SECTIONS]

Each collection has so many sections of Python's standard library and synthetic vectors. `separate` asks one collection
after the other, each in a transaction of its own. `threads` does so in four threads. `together` is an attempt in this
file: one transaction with one statement for the state of all collections, one for the posting lists, one for the
vectors and one for the names of what was found. It needs a user to whom row-level security does not apply. Scores are
computed by the same code, and the rankings are compared. The three alternate. A proxy delays every answer of the server
as a network would. Processor time is that of this process and the server together.
"""

from __future__ import annotations

import json
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import postgres as shared
from row_security import read_files

from waymeet.analysis import query_words
from waymeet.settings import Bm25
from waymeet.stores.lexical import bulk_ranking
from waymeet.stores.lexical.top_k import ChunkLocation, rank_chunks
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.postgres.database.encoding import hash_key, unescape_text
from waymeet.stores.postgres.read.vectors import find_space
from waymeet.stores.postgres.vector_values import TOLERANCE, compare_values, prepare_query, query_text
from waymeet.types import Filters, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from waymeet.ports import Vector
    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.postgres.segments.block_segment import BlockSegment
    from waymeet.types import IndexEntry, Ranking

    Answers = dict[int, tuple[Ranking, Ranking]]
    Parameters = Sequence[object] | Mapping[str, object]
    Run = Callable[[str, Parameters], list[tuple[Any, ...]]]
    Way = Callable[[Sequence[Word], Vector], Answers]

_COLLECTIONS, _SECTIONS, _CALLS, _ROUNDS, _SPARE = 20, 1000, 8, 4, 32
_STATES = "SELECT id, generation, chunks, totals, filled, registry_version FROM collections WHERE id = ANY(%s)"
_BLOCKS = """
SELECT b.collection_id, b.place, b.content FROM unnest(%s::int[], %s::bigint[]) AS n (collection, place)
    JOIN posting_blocks b ON b.collection_id = n.collection AND b.place = n.place
"""
_NEAREST = """
SELECT n.collection, v.chunk, v.cosine, w.value FROM unnest(%(collections)s::int[], %(spaces)s::int[])
    AS n (collection, space)
CROSS JOIN LATERAL (
    SELECT v.chunk, -(v.embedding <#> %(query)s::halfvec) AS cosine FROM vectors v
    WHERE v.collection_id = n.collection AND v.space = n.space
    ORDER BY v.embedding <#> %(query)s::halfvec LIMIT %(limit)s
) AS v JOIN vectors w ON w.collection_id = n.collection AND w.space = n.space AND w.chunk = v.chunk
"""
_LOCATE = """
SELECT c.collection_id, c.id, d.path, c.ordinal, c.key FROM unnest(%s::int[], %s::int[]) AS n (collection, chunk)
    JOIN chunks c ON c.collection_id = n.collection AND c.id = n.chunk
    JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
"""


class _AllPass:
    """Filters that everything passes. Locations are found later, for all collections together."""

    phrases: tuple[str, ...] = ()

    def allows(self, chunk: int) -> bool:
        """Let a chunk pass."""
        del chunk
        return True

    def excluded_in(self, segment: object) -> None:
        """Exclude nothing."""

    def locate(self, chunks: Iterable[int]) -> dict[int, ChunkLocation]:
        """Order chunks by their numbers until their locations are known."""
        return {chunk: ChunkLocation("", chunk, str(chunk)) for chunk in chunks}


def _find_space(store: PostgresStore) -> int:
    space = store._sessions.read(lambda session: find_space(session, shared.SPACE))
    assert space is not None
    return space.id


def _list_segments(lexicon: Lexicon) -> dict[int, BlockSegment]:
    return {id_: cast("BlockSegment", segment) for id_, segment in lexicon.segments.items()}


class Collections:
    """Collections of one server, asked in several ways."""

    def __init__(self, dsn: str, limit: int) -> None:
        self._limit = limit
        self._stores = [PostgresStore.open(dsn, f"bench{number}") for number in range(_COLLECTIONS)]
        self._by_id = {store._sessions.collection: store for store in self._stores}
        self._spaces = {id_: _find_space(store) for id_, store in self._by_id.items()}
        self._pool = ThreadPoolExecutor(4)

    def close(self) -> None:
        """Close all stores."""
        self._pool.shutdown()
        for store in self._stores:
            store.close()

    def ask_separately(self, words: Sequence[Word], vector: Vector) -> Answers:
        """Ask one collection after the other."""
        return {id_: self._ask(store, words, vector) for id_, store in self._by_id.items()}

    def ask_in_threads(self, words: Sequence[Word], vector: Vector) -> Answers:
        """Ask four collections at a time."""
        answers = self._pool.map(lambda store: self._ask(store, words, vector), self._stores)
        return dict(zip(self._by_id, answers, strict=True))

    def _ask(self, store: PostgresStore, words: Sequence[Word], vector: Vector) -> tuple[Ranking, Ranking]:
        store._last_cache.locations.clear()  # as if these sections were found for the first time
        with store.snapshot():
            return (
                store.rank_lexical(words, self._limit, Filters(), Bm25()),
                store.rank_vectors(shared.SPACE, vector, self._limit, Filters()),
            )

    def ask_together(self, words: Sequence[Word], vector: Vector) -> Answers:
        """Ask all collections by four statements."""
        pool = self._stores[0]._sessions._readers
        with pool.connection() as connection, connection.transaction():

            def rows(sql: str, parameters: Parameters) -> list[tuple[Any, ...]]:
                return connection.execute(sql.encode(), parameters, binary=True).fetchall()

            states = rows(_STATES, (list(self._by_id),))
            lexicons = {id_: self._find_lexicon(id_, (generation, version)) for id_, generation, *_, version in states}
            self._fetch_blocks(rows, lexicons, words)
            lexical = {id_: self._score_words(lexicon, words) for id_, lexicon in lexicons.items()}
            near = self._find_nearest(rows, vector)
            return self._rank(rows, lexical, near)

    def _find_lexicon(self, id_: int, version: tuple[int, int]) -> Lexicon:
        known = self._by_id[id_]._segments._lexicon
        assert known is not None
        assert known[0] == version
        return known[1]

    def _fetch_blocks(self, rows: Run, lexicons: Mapping[int, Lexicon], words: Sequence[Word]) -> None:
        wanted = np.array([hash_key(term) for word in words for term in word.terms], dtype=np.int64)
        missing: list[tuple[int, int]] = []
        for id_, lexicon in lexicons.items():
            for segment, opened in _list_segments(lexicon).items():
                missing += ((id_, segment << 32 | number) for number in opened.blocks.find_missing(wanted))
        if missing:
            for id_, place, content in rows(_BLOCKS, tuple(map(list, zip(*missing, strict=True)))):
                _list_segments(lexicons[id_])[place >> 32].blocks.add(place & (1 << 32) - 1, content)

    def _score_words(self, lexicon: Lexicon, words: Sequence[Word]) -> dict[int, float]:
        pairs = [(word, [hash_key(term) for term in dict.fromkeys(word.terms)]) for word in words]
        ranking, _ = bulk_ranking.rank(lexicon, pairs, Bm25(), _AllPass(), self._limit + _SPARE)
        return {int(hit.chunk): hit.score for hit in ranking}

    def _find_nearest(self, rows: Run, vector: Vector) -> dict[int, dict[int, float]]:
        query = prepare_query(vector, len(vector), "the query")
        spaces = {"collections": list(self._spaces), "spaces": list(self._spaces.values())}
        found = rows(_NEAREST, {**spaces, "query": query_text(query), "limit": self._limit + _SPARE})
        by_id: dict[int, list[tuple[int, float, bytes]]] = {}
        for id_, *row in found:
            by_id.setdefault(id_, []).append(tuple(row))
        near = {}
        for id_, own in by_id.items():
            own.sort(key=lambda row: -row[1])
            bound = own[self._limit - 1][1] - TOLERANCE if len(own) >= self._limit else float("-inf")
            values = {chunk: value for chunk, cosine, value in own if cosine >= bound}
            near[id_] = dict(zip(values, compare_values(list(values.values()), query), strict=True))
        return near

    def _rank(
        self, rows: Run, lexical: Mapping[int, dict[int, float]], near: Mapping[int, dict[int, float]]
    ) -> Answers:
        pairs = [(id_, chunk) for id_ in lexical for chunk in {**lexical[id_], **near[id_]}]
        locations: dict[int, dict[int, ChunkLocation]] = {id_: {} for id_ in lexical}
        for id_, chunk, path, ordinal, key in rows(_LOCATE, tuple(map(list, zip(*pairs, strict=True)))):
            locations[id_][chunk] = ChunkLocation(unescape_text(path), ordinal, unescape_text(key))

        def rank(id_: int, scores: dict[int, float]) -> Ranking:
            return rank_chunks({chunk: locations[id_][chunk] for chunk in scores}, scores, self._limit)

        return {id_: (rank(id_, lexical[id_]), rank(id_, near[id_])) for id_ in lexical}


def fill(dsn: str, entries: Sequence[IndexEntry], sections: int) -> None:
    """Fill the collections with parts of the entries."""
    remaining = iter(entries)
    for number in range(_COLLECTIONS):
        own: list[IndexEntry] = []
        while sum(len(entry.chunks) for entry in own) < sections:
            own.append(next(remaining))
        ids = [chunk.id for entry in own for chunk in entry.chunks]
        store = PostgresStore.open(dsn, f"bench{number}", create=True)
        store.put(own)
        store.put_vectors(shared.SPACE, dict(zip(ids, shared.make_vectors(len(ids), seed=number), strict=True)))
        store.optimize()
        store.close()


def delay_answers(port: int, milliseconds: float) -> int:
    """Start a proxy before a server that delays its answers, and return the proxy's port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def copy(source: socket.socket, target: socket.socket, pause: float) -> None:
        while content := source.recv(1 << 20):
            if pause:
                sleep(pause)
            target.sendall(content)
        target.close()

    def accept() -> None:
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            Thread(target=copy, args=(client, server, 0.0), daemon=True).start()
            Thread(target=copy, args=(server, client, milliseconds / 1000), daemon=True).start()

    Thread(target=accept, daemon=True).start()
    return int(listener.getsockname()[1])


def measure(dsn: str, limit: int, texts: Sequence[str]) -> dict[str, Any]:
    """Measure the ways to ask by turns, in milliseconds of a question."""
    collections = Collections(dsn, limit)
    ways = {
        "separate": collections.ask_separately,
        "threads": collections.ask_in_threads,
        "together": collections.ask_together,
    }
    words = [[Word(terms) for _, terms in query_words(text) if terms] for text in texts]
    queries = list(zip(words, shared.make_vectors(len(texts), seed=3), strict=True))
    different = 0
    for query in queries:
        separate, threads, together = (way(*query) for way in ways.values())
        different += separate != threads
        different += separate != together
    durations: dict[str, list[shared.Duration]] = {name: [] for name in ways}
    for number in range(_ROUNDS):
        for name in sorted(ways, reverse=bool(number % 2)):
            durations[name].append(shared.timed(partial(_ask_all, ways[name], queries)))
    collections.close()
    return {
        "different rankings": different,
        **{
            name: {
                "clock ms": round(median(each.clock for each in own) / len(queries) * 1000, 1),
                "processor ms": round(sum(each.processor for each in own) / _ROUNDS / len(queries) * 1000, 2),
            }
            for name, own in durations.items()
        },
    }


def _ask_all(way: Way, queries: Iterable[tuple[Sequence[Word], Vector]]) -> None:
    for query in queries:
        way(*query)


def main() -> None:
    """Print the figures as JSON."""
    sections = int(sys.argv[1]) if len(sys.argv) > 1 else _SECTIONS
    files = list(read_files((sections + 50) * _COLLECTIONS))
    rng = np.random.default_rng(5)
    chosen = [files[place].pieces[0].split() for place in rng.integers(0, len(files), _CALLS)]
    texts = [" ".join(words[3:13]) for words in chosen]
    for dsn in shared.start_server():
        fill(dsn, shared.make_entries(files), sections)
        port = dsn.rpartition(":")[2].partition("/")[0]
        far = dsn.replace(port, str(delay_answers(int(port), 1.0)))
        for limit in (1, 50):
            for place, address in (("same machine", dsn), ("1 ms away", far)):
                print(f"{limit} results, {place}: {json.dumps(measure(address, limit, texts))}", flush=True)


if __name__ == "__main__":
    main()
