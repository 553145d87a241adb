"""Row-level security: what a statement with a missing or wrong condition can reach."""

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest
from support.postgres_server import fresh_database, missing_reason, ordinary_owner, shared_server

from waymeet.errors import NoIndexError, ReadOnlyIndexError
from waymeet.settings import Bm25
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.postgres.database import migrations
from waymeet.stores.postgres.database.schema import MIGRATIONS, VERSION
from waymeet.stores.postgres.database.session import Session, WriteSession
from waymeet.stores.postgres.segments.maintenance import SegmentLimits
from waymeet.types import Filters

from .make import entry, link, words

pytestmark = pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())

_PROTECTED = """
SELECT c.relname, c.relispartition, c.relrowsecurity AND c.relforcerowsecurity FROM pg_class c
WHERE c.relnamespace = 'waymeet'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'schema_versions'
ORDER BY c.relname
"""


@pytest.fixture(scope="module")
def superuser() -> Iterator[str]:
    """Give a database by the address of a superuser."""
    with fresh_database(shared_server()) as own:
        yield own


@pytest.fixture(scope="module")
def database(superuser: str) -> str:
    """Give the same database by the address of a user without special rights."""
    return ordinary_owner(superuser)


@pytest.fixture(scope="module")
def stores(database: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """Give two collections with rows in every table, of a user without special rights."""
    pair = fill(database, "alpha"), fill(database, "beta")
    yield pair
    for store in pair:
        store.close()


def fill(dsn: str, name: str) -> PostgresStore:
    limits = SegmentLimits(max_buffered=-1, min_segment=-1)  # every document is in a segment at once
    store = PostgresStore.open(dsn, name, create=True, limits=limits)
    pages = [
        entry(f"{name}{number}.md", f"common {name}", links=[link("page1", says="text")], names=[f"page{number}"])
        for number in range(5)
    ]
    store.put(pages)
    store.put_vectors(
        "space", {page.chunks[0].id: np.array([1.0, place], np.float32) for place, page in enumerate(pages)}
    )
    store.set_metadata("key", name)
    store.put(pages[:1])  # marks its old version as deleted in the first segment
    return store


def tables(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        return [name for name, is_partition, _ in connection.execute(_PROTECTED) if not is_partition]


def collections_in(session: Session | WriteSession, table: str) -> set[int]:
    """Run a query that lacks the condition on the collection."""
    column = "id" if table == "collections" else "collection_id"
    return {found for (found,) in session.connection.execute(f"SELECT {column} FROM {table}".encode())}  # noqa: S608


def test_a_query_without_a_condition_finds_no_foreign_row(
    stores: tuple[PostgresStore, PostgresStore], superuser: str
) -> None:
    alpha, beta = stores
    names = tables(superuser)
    assert len(names) >= 15
    with psycopg.connect(superuser) as connection:  # both have rows in every table
        for table in names:
            column = "id" if table == "collections" else "collection_id"
            found = connection.execute(f"SELECT DISTINCT {column} FROM waymeet.{table}".encode()).fetchall()  # noqa: S608
            assert len(found) == 2, table
    for store in (alpha, beta, alpha):  # of one pool: a connection does not keep the collection
        own = {store._sessions.collection}
        assert {table: collections_in_read(store, table) for table in names} == dict.fromkeys(names, own)
        written = store._sessions.write(lambda session: {table: collections_in(session, table) for table in names})
        assert written == dict.fromkeys(names, own)


def collections_in_read(store: PostgresStore, table: str) -> set[int]:
    return store._sessions.read(lambda session: collections_in(session, table))


def test_a_condition_on_another_collection_finds_nothing(stores: tuple[PostgresStore, PostgresStore]) -> None:
    alpha, beta = stores
    foreign = beta._sessions.collection

    def read(session: Session) -> None:
        session.collection = foreign  # as by a mistake in the program
        assert not session.rows("SELECT key FROM chunks WHERE collection_id = %s")
        assert not session.rows("SELECT name FROM collections WHERE id = %s")

    alpha._sessions.read(read)
    assert len(beta.chunks(["beta3.md#L1-L1"])) == 1


def test_a_wrong_change_reaches_no_foreign_row(stores: tuple[PostgresStore, PostgresStore]) -> None:
    alpha, beta = stores
    before, foreign = beta.counts(), beta._sessions.collection

    def change(session: WriteSession) -> None:
        assert session.connection.execute("UPDATE metadata SET value = 'changed'").rowcount == 1
        assert session.connection.execute("DELETE FROM edges").rowcount == 5
        assert session.connection.execute("DELETE FROM vectors WHERE collection_id = %s", (foreign,)).rowcount == 0
        assert session.connection.execute("UPDATE collections SET chunks = 0").rowcount == 1
        session.connection.rollback()  # for the other tests

    alpha._sessions.write(change)
    assert (beta.metadata("key"), beta.counts()) == ("beta", before)

    def insert(session: WriteSession) -> None:
        session.connection.execute("INSERT INTO metadata VALUES (%s, 'other', 'value')", (foreign,))

    def copy(session: WriteSession) -> None:
        session.collection = foreign
        session.copy("names", "hash, document", ["int8", "int4"], [(1, 1)])

    def move(session: WriteSession) -> None:
        session.connection.execute("UPDATE documents SET collection_id = %s", (foreign,))

    for wrong in (insert, copy, move):
        with pytest.raises(ReadOnlyIndexError, match="row-level security"):
            alpha._sessions.write(wrong)
    assert beta.counts() == before


def test_nothing_is_found_before_a_collection_is_named_and_in_partitions(
    stores: tuple[PostgresStore, PostgresStore], database: str, superuser: str
) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("SET search_path = waymeet")
        for table in tables(superuser):
            assert not connection.execute(f"SELECT FROM {table}".encode()).fetchall()
        connection.execute("SELECT set_config('waymeet.collection', %s::text, true)", (stores[0]._sessions.collection,))
        partitions = [f"chunks_{number}" for number in range(8)]
        assert connection.execute("SELECT FROM chunks").fetchall()
        assert not any(connection.execute(f"SELECT FROM {name}".encode()).fetchall() for name in partitions)


def test_every_table_is_protected(stores: tuple[PostgresStore, PostgresStore], superuser: str) -> None:
    with psycopg.connect(superuser) as connection:
        found = connection.execute(_PROTECTED).fetchall()
        assert [name for name, _, is_protected in found if not is_protected] == []
        policies = connection.execute("SELECT tablename FROM pg_policies WHERE schemaname = 'waymeet'").fetchall()
    assert sorted(name for (name,) in policies) == [name for name, is_partition, _ in found if not is_partition]


def test_an_older_program_that_runs_on_reports_an_error(stores: tuple[PostgresStore, PostgresStore]) -> None:
    """It names no collection. An empty answer would look like an empty collection."""
    store = stores[0]
    with store._sessions._readers.connection() as connection:
        rows = connection.execute("SELECT generation FROM waymeet.collections WHERE id = 1").fetchall()
    assert rows == []  # which the program reports as a removed collection
    with pytest.raises(NoIndexError):
        PostgresStore.open(store._sessions._pools._dsn, "unknown")


def remove_policies(dsn: str) -> None:
    """Turn the tables of a database into those of version 2."""
    with psycopg.connect(dsn) as connection:
        connection.execute("SET search_path = waymeet")
        for name, is_partition, _ in connection.execute(_PROTECTED).fetchall():
            for action in ("NO FORCE", "DISABLE"):
                connection.execute(f"ALTER TABLE {name} {action} ROW LEVEL SECURITY".encode())
            if not is_partition:
                connection.execute(f"DROP POLICY own_collection ON {name}".encode())
        connection.execute("DELETE FROM schema_versions WHERE version > 2")


def test_tables_are_upgraded_in_place_and_later_steps_see_all_collections(
    stores: tuple[PostgresStore, PostgresStore], database: str, superuser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove_policies(superuser)
    assert len(collections_in_read(stores[0], "chunks")) == 2
    upgraded = PostgresStore.open(database, "alpha")
    assert len(upgraded.rank_lexical(words("common"), 10, Filters(), Bm25())) == 5
    assert collections_in_read(upgraded, "chunks") == {upgraded._sessions.collection}
    upgraded.close()
    monkeypatch.setattr(migrations, "VERSION", VERSION + 1)
    step = "UPDATE metadata SET value = 'upgraded'", VERSION
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, step))
    for name in ("alpha", "beta"):
        store = PostgresStore.open(database, name)
        assert store.metadata("key") == "upgraded"
        assert collections_in_read(store, "metadata") == {store._sessions.collection}
        store.close()
