"""A server that is killed, replaced, shared by many, or spread over several servers."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from multiprocessing import get_context
from threading import Event
from time import monotonic, sleep
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import psycopg
import pytest
from conformance.make import entry, link, words
from support.postgres_server import PostgresServer, fresh_database, missing_reason, ordinary_owner, shared_server
from support.shards import make_coordinator

from waymeet.settings import Bm25
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.postgres import PostgresStore
from waymeet.types import Filters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from waymeet.ports import Store
    from waymeet.types import IndexEntry

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())]
TORTURE = bool(os.environ.get("TORTURE"))
KILLS = 10 if TORTURE else 2
SECONDS = 30.0 if TORTURE else 3.0
WRITERS, READERS = 4, 8
DURABLE = ("max_connections=40", "shared_buffers=32MB")


def batch(number: int) -> list[IndexEntry]:
    """Make documents that link to those of the batch before."""
    links = {name: [link(f"{number - 1}{name}", says="link text")] for name in "abc"}
    texts = {name: f"common word{number} {name}" for name in links}
    return [entry(f"{number}/{name}.md", texts[name], links=links[name], names=[f"{number}{name}"]) for name in links]


class Writer:
    """Writes batches in a thread until it is stopped, and counts those that were acknowledged."""

    def __init__(self, store: Store, pool: ThreadPoolExecutor) -> None:
        self.acknowledged = 0
        self._store = store
        self._is_stopped = Event()
        self._result = pool.submit(self._run)

    def _run(self) -> None:
        for number in count(1):
            self._store.put(batch(number))
            self.acknowledged = number
            if self._is_stopped.is_set():
                return

    def wait_for(self, number: int) -> None:
        deadline = monotonic() + 60.0
        while self.acknowledged < number and not self._result.done():
            assert monotonic() < deadline
            sleep(0.005)

    def stop(self) -> int:
        self._is_stopped.set()
        self._result.result(60.0)
        return self.acknowledged


def check_complete(store: Store, acknowledged: int) -> None:
    """Compare a store with one that was never interrupted."""
    expected = MemoryStore()
    for number in range(1, acknowledged + 1):
        expected.put(batch(number))
    assert store.counts() == expected.counts()
    assert store.fingerprints().keys() == expected.fingerprints().keys()
    for text in ("common", "link text", "word3 a"):
        asked = words(text)
        assert store.rank_lexical(asked, 20, Filters(), Bm25()) == expected.rank_lexical(asked, 20, Filters(), Bm25())


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer(options=DURABLE)
    server.initialise()
    server.start()
    yield server
    server.remove()


def test_a_killed_server_loses_nothing_acknowledged(server: PostgresServer) -> None:
    store = PostgresStore.open(server.dsn, "demo", create=True)
    with ThreadPoolExecutor(1) as pool:
        writer = Writer(store, pool)
        try:
            for _ in range(KILLS):
                writer.wait_for(writer.acknowledged + 4)
                server.kill()
                server.start()
            writer.wait_for(writer.acknowledged + 2)
        finally:
            acknowledged = writer.stop()
    check_complete(store, acknowledged)
    store.close()


def test_a_promoted_replica_takes_over(server: PostgresServer) -> None:
    replica = PostgresServer(options=DURABLE)
    replica.give_away()
    replica.run("pg_basebackup", "-D", str(replica.data), "-d", server.dsn, "-R", "-c", "fast", "-X", "stream")
    replica.start()
    addresses = ",".join(f"127.0.0.1:{each.port}" for each in (server, replica))
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")  # replicas show what is acknowledged
        connection.execute("SELECT pg_reload_conf()")
    store = PostgresStore.open(f"postgresql://waymeet@{addresses}/postgres", "demo", create=True)
    with psycopg.connect(server.dsn, autocommit=True) as connection:  # a user for whom row-level security is in force
        connection.execute("CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA waymeet TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA waymeet TO reader")
    reader = PostgresStore.open(f"postgresql://reader@{addresses}/postgres?target_session_attrs=prefer-standby", "demo")
    with ThreadPoolExecutor(1) as pool:
        writer = Writer(store, pool)
        try:
            writer.wait_for(4)
            assert reader.generation >= 4  # read from the replica
            before = writer.acknowledged
            server.kill()
            with psycopg.connect(replica.dsn, autocommit=True) as connection:
                connection.execute("SELECT pg_promote()")
                connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
                connection.execute("SELECT pg_reload_conf()")
            writer.wait_for(before + 3)
        finally:
            acknowledged = writer.stop()
    check_complete(store, acknowledged)
    assert reader.generation == store.generation
    assert reader.rank_lexical(words("common"), 3, Filters(), Bm25())
    for each in (store, reader):
        each.close()
    replica.remove()


def write_pairs(dsn: str, collection: str, number: int, seconds: float) -> int:
    """Replace two documents that belong together again and again, and return how often."""
    store, deadline = PostgresStore.open(dsn, collection), monotonic() + seconds
    for state in count(1):
        store.put([entry(f"{number}/{name}.md", f"writer{number} state{state}") for name in "ab"])
        if monotonic() > deadline:
            store.close()
            return state
    raise AssertionError


def read_pairs(dsn: str, collection: str, seconds: float) -> int:
    """Check that documents that belong together have the same state, and return how often."""
    store, deadline, last = PostgresStore.open(dsn, collection), monotonic() + seconds, 0
    for checked in count(1):
        with store.snapshot() as generation:
            assert generation >= last
            last = generation
            for number in range(WRITERS):
                found = store.chunks_of([f"{number}/a.md", f"{number}/b.md"])
                texts = {chunk.text for chunks in found.values() for chunk in chunks}
                assert len(texts) <= 1
                hits = store.rank_lexical(words(next(iter(texts)) if texts else "x"), 2, Filters(), Bm25())
                assert {hit.document for hit in hits} == set(found)
        if monotonic() > deadline:
            store.close()
            return checked
    raise AssertionError


def test_many_writers_and_readers_never_meet_half_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    dsn, collection = shared_server(), f"shared-{uuid4().hex}"
    store = PostgresStore.open(dsn, collection, create=True)
    size = WRITERS + READERS
    pool: Executor = ProcessPoolExecutor(size, get_context("spawn")) if TORTURE else ThreadPoolExecutor(size)
    with pool:
        writing = [pool.submit(write_pairs, dsn, collection, number, SECONDS) for number in range(WRITERS)]
        reading = [pool.submit(read_pairs, dsn, collection, SECONDS) for _ in range(READERS)]
        writes, reads = (sum(each.result() for each in results) for results in (writing, reading))
    assert store.generation == writes  # no change is lost
    assert store.counts().documents == 2 * WRITERS
    with capsys.disabled():
        print(f" {writes} changes by {WRITERS} writers, {reads} checks by {READERS} readers in {SECONDS:g} s")  # noqa: T201
    store.close()


def fill(store: Store, prefix: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    entries = [entry(f"{prefix}{number}.md", f"shared topic{number % 7} {prefix}") for number in range(30)]
    store.put(entries)
    vectors = rng.standard_normal((30, 8)).astype(np.float32)
    store.put_vectors("space", {each.chunks[0].id: row for each, row in zip(entries, vectors, strict=True)})


def test_a_coordinator_asks_only_the_shard_of_a_collection() -> None:
    names = ("alpha", "beta")
    with ExitStack() as stack:
        shards = [ordinary_owner(stack.enter_context(fresh_database(shared_server()))) for _ in names]
        one, coordinator = (stack.enter_context(fresh_database(shared_server())) for _ in range(2))
        for number, (shard, name) in enumerate(zip(shards, names, strict=True), start=1):
            for dsn in (shard, one):
                if number > 1 and dsn is shard:  # another id, as if the servers shared a sequence
                    PostgresStore.open(dsn, "other", create=True).close()
                store = PostgresStore.open(dsn, name, create=True)
                fill(store, name, number)
                store.close()
        make_coordinator(coordinator, {1: shards[0], 2: shards[1]})
        for name in names:
            through, single = PostgresStore.open(coordinator, name), PostgresStore.open(one, name)
            assert answers(through) == answers(single)
            for store in (through, single):
                store.close()
        for number in (1, 2):
            plan = explain(coordinator, f"SELECT place FROM waymeet.posting_blocks WHERE collection_id = {number}")  # noqa: S608
            assert f"shard_{number}" in plan
            assert f"shard_{3 - number}" not in plan
        nearest = (
            "SELECT collection_id, chunk FROM waymeet.vectors WHERE collection_id IN (1, 2)"
            " ORDER BY embedding <#> '[1,0,0,0,0,0,0,0]'::halfvec LIMIT 10"
        )
        assert query(coordinator, nearest) == query(one, nearest)
        assert "shard_1" in explain(coordinator, nearest)
        assert "shard_2" in explain(coordinator, nearest)


def answers(store: Store) -> Sequence[object]:
    return [
        store.counts(),
        store.rank_lexical(words("shared topic3"), 20, Filters(), Bm25()),
        store.rank_vectors("space", np.ones(8, np.float32), 10, Filters(kinds=("docs",))),
        store.chunks(["alpha3.md#L1-L1", "beta4.md#L1-L1"]),
    ]


def query(dsn: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(sql.encode()).fetchall()


def explain(dsn: str, sql: str) -> str:
    return "\n".join(str(line) for (line,) in query(dsn, f"EXPLAIN (VERBOSE) {sql}"))
