"""Segments on a PostgreSQL server: upgraded tables, changes while one is written, and forgotten blocks."""

from collections.abc import Iterator, Sequence
from uuid import uuid4

import psycopg
import pytest
from support.first_tables import restore_first_tables
from support.postgres_server import fresh_database, missing_reason, shared_server

from waymeet.ports import Store
from waymeet.settings import Bm25
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.postgres.database.session import Session
from waymeet.stores.postgres.segments import maintenance
from waymeet.stores.postgres.segments.maintenance import SegmentLimits
from waymeet.stores.postgres.segments.open_segments import OpenSegments
from waymeet.stores.postgres.segments.registry import ListedDocument
from waymeet.types import Filters, IndexEntry

from .make import entry, link, words

pytestmark = pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())
AT_ONCE = SegmentLimits(max_buffered=-1, min_segment=-1)
QUERIES = ("common", "link text", "word3", "rare7 common", "title", "heading word1")


@pytest.fixture
def database() -> Iterator[str]:
    with fresh_database(shared_server()) as own:
        yield own


def entries(number: int = 20) -> list[IndexEntry]:
    return [
        entry(
            f"{place}/page.md",
            ("heading", f"common word{place % 5} " * (place + 1)),
            f"rare{place} common",
            title=f"title {place}",
            links=[link(f"page{place - 1}", says="link text")],
            names=[f"page{place}"],
        )
        for place in range(number)
    ]


def rankings(store: Store) -> Sequence[object]:
    return [store.rank_lexical(words(text), 30, Filters(), Bm25()) for text in QUERIES]


def assert_same(store: Store, expected: Store) -> None:
    assert rankings(store) == rankings(expected)
    assert store.counts() == expected.counts()
    evidence = [side.lexical_evidence(words("common link"), ["3/page.md#L1-L1"], Bm25()) for side in (store, expected)]
    assert evidence[0] == evidence[1]


def test_the_first_tables_are_upgraded_with_all_their_terms(database: str) -> None:
    expected, before = MemoryStore(), PostgresStore.open(database, "demo", create=True)
    other = PostgresStore.open(database, "other", create=True)
    other.put([entry("a.md", "common")])
    for store in (expected, before):
        store.put([*entries(), entry("empty.md")])
        store.drop(["7/page.md"])
    stored = before.content.read_entries(["3/page.md", "empty.md"])
    before.close()
    other.close()
    restore_first_tables(database)
    reading = f"reader_{uuid4().hex}"
    with psycopg.connect(database) as connection:
        connection.execute(f"CREATE ROLE {reading} LOGIN; GRANT USAGE ON SCHEMA waymeet TO {reading}".encode())
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA waymeet TO {reading}".encode())
    upgraded = PostgresStore.open(database, "demo", limits=AT_ONCE)
    assert_same(upgraded, expected)
    assert upgraded.content.read_entries(["3/page.md", "empty.md"]) == stored
    reader = PostgresStore.open(database.replace("//waymeet@", f"//{reading}@"), "demo")
    assert_same(reader, expected)
    for store in (upgraded, reader):
        store.close()
    with psycopg.connect(database) as connection:
        connection.execute(f"DROP OWNED BY {reading}; DROP ROLE {reading}".encode())


def test_a_document_that_changes_while_its_segment_is_written_keeps_its_new_terms(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, store = MemoryStore(), PostgresStore.open(database, "demo", create=True)
    writer = PostgresStore.open(database, "demo", limits=AT_ONCE)
    new, build = entry("3/page.md", "common word3 changed", names=["page3"]), maintenance._build

    def build_and_change(documents: Sequence[ListedDocument], session: Session) -> object:
        built = build(documents, session)
        store.put([new])
        store.drop(["4/page.md"])
        return built

    for each in (expected, store):
        each.put(entries())
    monkeypatch.setattr(maintenance, "_build", build_and_change)
    writer.optimize()
    monkeypatch.undo()
    expected.put([new])
    expected.drop(["4/page.md"])
    assert_same(writer, expected)
    writer.optimize()
    assert_same(writer, expected)
    for each in (store, writer):
        each.close()


def test_a_reader_that_keeps_nothing_gives_the_same_answers(database: str) -> None:
    expected, store = MemoryStore(), PostgresStore.open(database, "demo", create=True, limits=AT_ONCE)
    store._segments = OpenSegments(max_bytes=0)
    for each in (expected, store):
        for one in entries():
            each.put([one])
    assert_same(store, expected)
    store.optimize()
    assert_same(store, expected)
    store.close()
