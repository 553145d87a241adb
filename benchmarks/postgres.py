"""Measure the PostgreSQL store beside SQLite, plain tsvector and pgvector, and txtai, in one run.

`make bench-postgres`; SECTIONS=20000 for fewer than 100,000 sections. TXTAI_PYTHON is the interpreter of an environment
with `txtai[ann,scoring]` and `psycopg2-binary`; without it, txtai is left out. The texts are those of the engine
benchmark. The vectors are synthetic: points around a few hundred centres, 384 numbers each. Queries of all systems
alternate, so that other work on the machine affects them alike. Processor time is that of the client and of the server
together. Each query is asked twice and measured the second time. `first` is a store that has just been opened:
each of its queries is measured the first time it is asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import psycopg
from engine_text import File, choose_sentences, download_files

from waymeet.analysis import count_terms, query_words
from waymeet.settings import Bm25
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Chunk, Document, Filters, IndexEntry, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from waymeet.ports import Store

    Vectors = NDArray[np.float32]

SECTIONS = int(os.environ.get("SECTIONS", "100000"))
_DIMENSION, _CENTRES, _QUERIES, _LIMIT, _BATCH = 384, 300, 60, 50, 200
SPACE = "synthetic"
_TXTAI = os.environ.get("TXTAI_PYTHON", "")
_TABLES = (
    *("chunks", "document_terms", "posting_blocks", "segments", "document_segments", "documents", "terms"),
    *("names", "edges", "vectors"),
)
_SIZES = """
SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = ('waymeet.' || %s)::regclass
"""
_PLAIN = """
CREATE TABLE plain (id integer PRIMARY KEY, body text, embedding halfvec(384),
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED)
"""
_PLAIN_HYBRID = """
WITH words AS (
    SELECT id, row_number() OVER (ORDER BY ts_rank(words, query) DESC) AS rank
    FROM plain, to_tsquery('english', %(words)s) AS query WHERE words @@ query ORDER BY rank LIMIT 50
), near AS (
    SELECT id, row_number() OVER () AS rank FROM (
        SELECT id FROM plain ORDER BY embedding <#> %(vector)s::halfvec(384) LIMIT 50) AS nearest
)
SELECT id, coalesce(1.0 / (60 + words.rank), 0) + coalesce(1.0 / (60 + near.rank), 0) AS score
FROM words FULL JOIN near USING (id) ORDER BY score DESC LIMIT 10
"""


def make_entries(files: Sequence[File]) -> list[IndexEntry]:
    """Make an entry of each file, with a section of each of its pieces."""
    entries = []
    for file in files:
        chunks = tuple(
            Chunk(f"{file.path}#L{line}-L{line}", file.path, line - 1, line, line, piece)
            for line, piece in enumerate(file.pieces, start=1)
        )
        document = Document(file.path, "code", file.path, names=(file.path,), lines=len(chunks))
        terms = {"path": count_terms(file.path)}
        bodies = tuple({"body": count_terms(chunk.text)} for chunk in chunks)
        entries.append(IndexEntry(document, chunks, terms, bodies))
    return entries


def make_vectors(number: int, seed: int) -> Vectors:
    """Make points around centres, on the unit sphere."""
    centres = np.random.default_rng(1).standard_normal((_CENTRES, _DIMENSION))
    rng = np.random.default_rng(seed)
    points = centres[rng.integers(0, _CENTRES, number)] + 0.7 * rng.standard_normal((number, _DIMENSION))
    vectors: Vectors = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    return vectors


class Duration(NamedTuple):
    """Seconds on the clock, and of processors."""

    clock: float
    processor: float


def server_seconds(pid: int) -> float:
    """Return the processor time of a server and all processes that it started."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(folder.name) == pid:
            ticks += sum(map(int, fields[11:15]))  # with those of children that ended
        elif int(fields[1]) == pid:
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


_server = 0
"""Process of the server, whose time counts, too."""


def timed(work: Callable[[], object], spent: Callable[[], float] = lambda: 0.0) -> Duration:
    """Measure work in this process and on the server."""
    before = server_seconds(_server) + spent()  # reading it takes longer than a query
    started, used = perf_counter(), process_time()
    work()
    clock, own = perf_counter() - started, process_time() - used
    return Duration(clock, own + server_seconds(_server) + spent() - before)


def fill_store(store: Store, entries: Sequence[IndexEntry], vectors: Vectors) -> dict[str, float]:
    """Write documents and vectors, and return the rates of each."""
    ids = [chunk.id for entry in entries for chunk in entry.chunks]

    def put() -> None:
        for start in range(0, len(entries), _BATCH):
            store.put(entries[start : start + _BATCH])

    def put_vectors() -> None:
        for start in range(0, len(ids), 2000):
            part = slice(start, start + 2000)
            store.put_vectors(SPACE, dict(zip(ids[part], vectors[part], strict=True)))

    seconds = {"text": timed(put), "vectors": timed(put_vectors), "optimize": timed(store.optimize)}
    return {
        "text sections per processor second": round(len(ids) / seconds["text"].processor),
        "vectors per processor second": round(len(ids) / seconds["vectors"].processor),
        "optimize processor seconds": round(seconds["optimize"].processor, 1),
        **_totals(len(ids), seconds.values()),
    }


def _totals(sections: int, seconds: Iterable[Duration]) -> dict[str, float]:
    clock, processor = (sum(part) for part in zip(*seconds, strict=True))
    return {
        "all sections per processor second": round(sections / processor),
        "all sections per second": round(sections / clock),
    }


def fill_plain(
    connection: psycopg.Connection[Any], entries: Sequence[IndexEntry], vectors: Vectors
) -> dict[str, float]:
    """Write the same to one table with a generated tsvector, then create both indexes."""
    connection.execute(_PLAIN)

    def copy() -> None:
        texts = (chunk.text for entry in entries for chunk in entry.chunks)
        with connection.cursor() as cursor, cursor.copy("COPY plain (id, body, embedding) FROM STDIN") as out:
            for number, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
                out.write_row((number, text.replace("\0", ""), f"[{','.join(map(str, vector.tolist()))}]"))

    def index() -> None:
        connection.execute("CREATE INDEX ON plain USING gin (words)")
        connection.execute("CREATE INDEX ON plain USING hnsw (embedding halfvec_ip_ops)")
        connection.execute("ANALYZE plain")

    return _totals(len(vectors), [timed(copy), timed(index)])


def search_store(store: Store, text: str, vector: Vectors) -> list[str]:
    """Answer by words and vectors, fused by RRF."""
    words = [Word(terms) for _, terms in query_words(text) if terms]
    with store.snapshot():
        lists = (
            store.rank_lexical(words, _LIMIT, Filters(), Bm25()),
            store.rank_vectors(SPACE, vector, _LIMIT, Filters()),
        )
    scores: dict[str, float] = {}
    for ranking in lists:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.chunk] = scores.get(hit.chunk, 0.0) + 1.0 / (60 + rank)
    return sorted(scores, key=lambda chunk: -scores[chunk])[:10]


def search_plain(connection: psycopg.Connection[Any], text: str, vector: Vectors) -> list[tuple[Any, ...]]:
    """Answer by ts_rank and HNSW, fused by RRF on the server."""
    words = " | ".join(word for word in text.split() if word.isalnum())
    parameters = {"words": words, "vector": f"[{','.join(map(str, vector.tolist()))}]"}
    return connection.execute(_PLAIN_HYBRID, parameters).fetchall()


class Txtai:
    """txtai in a process of its own, which is asked by numbers of queries."""

    def __init__(self, python: str, dsn: str, place: Path, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        self.spent = 0.0
        """Processor time of the process, as it reports it."""
        self._queries: list[str] = []
        texts = [chunk.text.replace("\0", "") for entry in entries for chunk in entry.chunks]
        (place / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        np.save(place / "vectors.npy", vectors)
        self._command = [python, str(Path(__file__).with_name("postgres_txtai.py")), dsn, str(place)]
        self._place = place

    def start(self, queries: Sequence[str]) -> None:
        """Start the process with the queries that it will be asked."""
        self._queries = list(queries)
        (self._place / "queries.json").write_text(json.dumps(self._queries), encoding="utf-8")
        np.save(self._place / "query_vectors.npy", make_vectors(len(queries), seed=3))
        self.process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ask(self, command: str | int) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{json.dumps(command)}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"txtai ended with status {self.process.wait()}")
        self.spent += json.loads(answer)["processor"]

    def fill(self, sections: int) -> dict[str, float]:
        """Index everything."""
        return _totals(sections, [timed(partial(self._ask, "index"), lambda: self.spent)])

    def search(self, text: str, _: Vectors) -> None:
        """Answer by words and vectors."""
        self._ask(self._queries.index(text))

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


class System(NamedTuple):
    """A system that answers queries."""

    search: Callable[[str, Vectors], object]
    spent: Callable[[], float] = lambda: 0.0
    """Processor time that it spends in another process than this and the server."""
    asks_twice: bool = True


def measure_queries(systems: dict[str, System], texts: Sequence[str]) -> dict[str, Any]:
    """Measure the milliseconds of hybrid queries, alternating between systems."""
    vectors = make_vectors(len(texts), seed=3)
    durations: dict[str, list[Duration]] = {name: [] for name in systems}
    for text, vector in zip(texts, vectors, strict=True):
        for name, system in systems.items():
            if system.asks_twice:
                system.search(text, vector)  # once to warm caches, as a user's second page does
            durations[name].append(timed(partial(system.search, text, vector), system.spent))
    return {
        name: {
            "p50 ms": round(median(each.clock for each in own) * 1000, 1),
            "p95 ms": round(quantiles([each.clock for each in own], n=20)[18] * 1000, 1),
            "processor ms": round(sum(each.processor for each in own) / len(own) * 1000, 1),
        }
        for name, own in durations.items()
    }


def measure_bytes(connection: psycopg.Connection[Any], sections: int) -> dict[str, int]:
    """Return the bytes per section of each table with its indexes."""
    sizes = {}
    for table in _TABLES:
        (size,) = connection.execute(_SIZES, (table,)).fetchone() or (0,)
        sizes[table] = round(int(size or 0) / sections)
    (plain,) = connection.execute("SELECT pg_total_relation_size('plain')").fetchone() or (0,)
    return {**sizes, "all": sum(sizes.values()), "plain": round(int(plain) / sections)}


def recall(store: PostgresStore, exact: PostgresStore) -> float:
    """Return the share of the 50 nearest sections that the HNSW index finds."""
    found = total = 0
    for vector in make_vectors(20, seed=4):
        nearest = {hit.chunk for hit in exact.rank_vectors(SPACE, vector, _LIMIT, Filters())}
        found += len(nearest & {hit.chunk for hit in store.rank_vectors(SPACE, vector, _LIMIT, Filters())})
        total += len(nearest)
    return found / total


def start_server() -> Iterator[str]:
    """Yield the address of a server that is started for this benchmark."""
    global _server  # noqa: PLW0603 - one server for all measurements
    sys.path.append(str(Path(__file__).parent.parent / "tests"))
    from support.postgres_server import PostgresServer  # noqa: PLC0415 - only for the benchmark

    server = PostgresServer(options=("shared_buffers=1GB", "maintenance_work_mem=1GB", "max_wal_size=8GB"))
    server.initialise()
    server.start()
    _server = server.process.pid if server.process else 0
    try:
        yield server.dsn
    finally:
        server.remove()


def measure() -> dict[str, Any]:
    """Measure ingest, queries and sizes of all systems."""
    with tempfile.TemporaryDirectory() as place:
        files = download_files(Path(place), SECTIONS)
        entries, texts = make_entries(files), choose_sentences(files, _QUERIES)
        for dsn in start_server():
            result = _measure_on(dsn, Path(place), entries, texts)
    return result


def _measure_on(dsn: str, place: Path, entries: Sequence[IndexEntry], texts: Sequence[str]) -> dict[str, Any]:
    sections = sum(len(entry.chunks) for entry in entries)
    vectors = make_vectors(sections, seed=2)
    store = PostgresStore.open(dsn, "bench", create=True, hnsw_from=min(50_000, sections))
    exact = PostgresStore.open(dsn, "bench", hnsw_from=sys.maxsize)
    sqlite = SqliteStore.open(place / "index.db", create=True)
    with psycopg.connect(dsn, autocommit=True) as connection:
        ingest = {
            "PostgreSQL": fill_store(store, entries, vectors),
            "SQLite": fill_store(sqlite, entries, vectors),
            "tsvector + pgvector": fill_plain(connection, entries, vectors),
        }
        first = PostgresStore.open(dsn, "bench", hnsw_from=min(50_000, sections))
        systems = {
            "PostgreSQL, HNSW": System(partial(search_store, store)),
            "PostgreSQL, HNSW, first": System(partial(search_store, first), asks_twice=False),
            "PostgreSQL, exact vectors": System(partial(search_store, exact)),
            "SQLite": System(partial(search_store, sqlite)),
            "tsvector + pgvector": System(partial(search_plain, connection)),
        }
        txtai = Txtai(_TXTAI, dsn, place, entries, vectors) if _TXTAI else None
        if txtai is not None:
            txtai.start(texts)
            try:
                ingest["txtai"] = txtai.fill(sections)
                systems["txtai"] = System(txtai.search, lambda: txtai.spent)
            except RuntimeError as error:
                print(error, file=sys.stderr)
        result = {
            "sections": sections,
            "ingest": ingest,
            "hybrid": measure_queries(systems, texts),
            "hnsw recall@50": round(recall(store, exact), 4),
            "bytes per section": measure_bytes(connection, sections),
        }
    for each in (store, first, exact, sqlite, *((txtai,) if txtai else ())):
        each.close()
    return result
