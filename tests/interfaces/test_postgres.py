"""A project whose index is on a PostgreSQL server."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import errors
from support.postgres_server import fresh_database, missing_reason, ordinary_owner, shared_server

from waymeet import Project
from waymeet.errors import IndexUnavailableError, NewerIndexError, ReadOnlyIndexError, SettingsError, WaymeetError
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.postgres.database import migrations
from waymeet.stores.postgres.database.errors import translate
from waymeet.stores.postgres.database.schema import MIGRATIONS, VERSION
from waymeet.types import Filters

from .conftest import Run

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())]
PASSWORD = "geheim-4711-kreuz"  # noqa: S105 - of no server


@pytest.fixture
def dsn() -> str:
    return shared_server()


@pytest.fixture
def database(dsn: str) -> Iterator[str]:
    with fresh_database(dsn) as own:
        yield own


@pytest.fixture
def collection(monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"demo-{uuid4().hex}"
    monkeypatch.setenv("WAYMEET_STORE_COLLECTION", name)
    return name


def role(dsn: str, *rights: str) -> str:
    """Create a user with some rights, and return the address for it."""
    name = f"user_{uuid4().hex}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN".encode())
        for right in rights:
            connection.execute(f"GRANT {right} TO {name}".encode())
    return dsn.replace("//waymeet@", f"//{name}@")


def test_an_index_on_a_server_is_found_by_later_commands(project: Path, run: Run, dsn: str, collection: str) -> None:
    indexed = run("index", "--store", dsn)
    assert (indexed.code, f"({collection})" in indexed.out) == (0, True)
    answer = json.loads(run("search", "rotate keys", "--json").out)
    assert answer["hits"][0]["document"] == "docs/setup.md"
    (project / "docs/setup.md").write_text("# Setup\n\nRotate the certificates.\n")
    assert json.loads(run("search", "certificates", "--json").out)["hits"][0]["document"] == "docs/setup.md"
    assert collection in run("status").out
    (record,) = (project.parent / "data/waymeet/indexes").glob("*.store")
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert not list(record.parent.glob("*.sqlite"))
    assert run("search", "certificates", "--store", "sqlite").code == 0
    assert list(record.parent.glob("*.sqlite"))
    assert collection in run("status").out  # one call does not change it


def test_a_password_is_neither_printed_nor_recorded(project: Path, run: Run, dsn: str, collection: str) -> None:
    secret = dsn.replace("waymeet@", f"waymeet:{PASSWORD}@")
    outputs = [
        run("index", "--store", secret),
        run("settings", "store", "--set", f"store.dsn={secret}"),
        run("doctor", "--store", secret, "--offline"),
        run("search", "x", "--store", secret.replace("127.0.0.1", "[::")),
        run("search", "x", "--store", secret.rpartition(":")[0] + ":1/none"),
        run("search", "x", "--store", secret.replace("postgresql:", "mysql:")),
    ]
    assert [output.code for output in outputs] == [0, 0, 0, 2, 3, 2]
    assert not any(PASSWORD in output.out + output.err for output in outputs)
    assert "not recorded" in outputs[0].err
    for file in (path for path in project.parent.rglob("*") if path.is_file()):
        assert PASSWORD.encode() not in file.read_bytes()


def test_a_projects_file_cannot_choose_the_server(project: Path, run: Run, dsn: str) -> None:
    (project / "waymeet.toml").write_text(f'[store]\ndsn = "{dsn}"\n')
    refused = run("search", "keys")
    assert refused.code == 2
    assert "store" in refused.err


def test_another_machine_reads_but_does_not_write(
    project: Path, run: Run, dsn: str, collection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index", "--store", dsn)
    here = run("read", "docs/fusion.md").out
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr("socket.gethostname", lambda: "other")
    monkeypatch.setenv("WAYMEET_STORE_DSN", dsn)
    machine = os.uname().nodename
    answer = json.loads(run("search", "rotate keys", "--json").out)
    assert answer["hits"][0]["document"] == "docs/setup.md"
    assert any(machine in part["detail"] for part in answer["degraded"])
    assert run("read", "docs/fusion.md").out.lstrip() == here[here.index("# Rank fusion") :]  # without front matter
    assert run("related", "docs/fusion.md").code == 0
    with Project.open(elsewhere) as remote:
        assert "rotate the signing keys" in str(remote.context("rotate keys"))
    for write in (("note", "add", "A title"), ("index",)):
        refused = run(*write)
        assert refused.code == 3
        assert machine in refused.err
    assert not list(elsewhere.iterdir())


def test_a_server_that_cannot_be_used_is_one_clear_error(database: str) -> None:
    def problem(dsn: str, *, create: bool = True) -> WaymeetError:
        with pytest.raises(WaymeetError) as caught:
            PostgresStore.open(dsn, "demo", create=create)
        assert "\n" not in caught.value.message
        assert caught.value.hint
        return caught.value

    assert isinstance(problem("postgresql://host:port/x"), SettingsError)
    assert "cannot be reached" in problem("postgresql://127.0.0.1:1/x").message
    assert "refuses" in problem(database.replace("waymeet@", "unknown@")).message
    without_rights = role(database)
    assert "extension vector" in problem(without_rights).message
    assert "CREATE EXTENSION vector" in problem(without_rights).hint
    assert "no collection demo" in problem(database, create=False).message
    PostgresStore.open(database, "demo", create=True).close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("INSERT INTO waymeet.schema_versions VALUES (99, %s)", (VERSION,))
        PostgresStore.open(database, "demo").close()  # a newer version that older programs can read
        connection.execute("UPDATE waymeet.schema_versions SET oldest_reader = 99 WHERE version = 99")
    newer = problem(database)
    assert isinstance(newer, NewerIndexError)
    assert "Upgrade" in newer.hint


def test_a_user_who_may_only_read_can_search(database: str) -> None:
    PostgresStore.open(database, "demo", create=True).close()
    reader = role(database, "USAGE ON SCHEMA waymeet", "SELECT ON ALL TABLES IN SCHEMA waymeet")
    store = PostgresStore.open(reader, "demo")
    assert store.generation == 0
    assert not store.first_passing_chunks(["a.md"], Filters())
    with pytest.raises(ReadOnlyIndexError, match="may not write"):
        store.set_metadata("key", "value")
    store.close()


def test_older_tables_are_upgraded_by_their_owner_only(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PostgresStore.open(database, "demo", create=True).close()
    reader = role(database, "USAGE ON SCHEMA waymeet", "SELECT ON ALL TABLES IN SCHEMA waymeet")
    monkeypatch.setattr(migrations, "VERSION", VERSION + 1)
    step = "ALTER TABLE collections ADD COLUMN remark text NOT NULL DEFAULT ''", VERSION
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, step))
    with pytest.raises(ReadOnlyIndexError, match=f"version {VERSION}"):
        PostgresStore.open(reader, "demo")
    PostgresStore.open(database, "demo").close()
    PostgresStore.open(reader, "demo").close()
    monkeypatch.undo()  # the version before goes on working beside it
    store = PostgresStore.open(database, "demo")
    store.set_metadata("key", "value")
    assert store.metadata("key") == "value"
    store.close()


def test_row_security_applies_to_the_user_of_the_container(database: str) -> None:
    text = (Path(__file__).parents[2] / "docs/deploy/create_user.sql").read_text()
    name = f"user_{uuid4().hex}"
    statements = "\n".join(line for line in text.splitlines() if not line.startswith("\\"))
    for old, new in (
        ("ROLE waymeet", f"ROLE {name}"),
        ("TO waymeet", f"TO {name}"),
        ("DATABASE waymeet", f"DATABASE {database.rpartition('/')[2]}"),
        (":'password'", f"'{PASSWORD}'"),
    ):
        assert old in statements
        statements = statements.replace(old, new)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(statements.encode())
    own = database.replace("//waymeet@", f"//{name}@")
    PostgresStore.open(own, "demo", create=True).close()
    with psycopg.connect(own) as connection:
        assert connection.execute("SELECT row_security_active('waymeet.chunks')").fetchone() == (True,)


def test_a_full_disk_is_named() -> None:
    error = translate("postgresql://db", errors.DiskFull("could not extend file: No space left on device"))
    assert isinstance(error, IndexUnavailableError)
    assert "disk" in error.message
    assert "Free some space" in error.hint


def test_an_index_moves_to_a_server_and_back(project: Path, run: Run, dsn: str, collection: str) -> None:
    embedding = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=16")
    assert run("index", *embedding).code == 0
    before = run("search", "rotate keys", "--json").out
    server = ordinary_owner(dsn)  # row-level security holds for this user
    moved = run("migrate-store", server)
    assert (moved.code, "from now on" in moved.out) == (0, True), moved
    assert run("migrate-store", server).code == 2
    assert f"({collection})" in run("status").out
    assert hits(run("search", "rotate keys", "--json").out) == hits(before)
    assert run("migrate-store", "sqlite").code == 0
    assert f"({collection})" not in run("status").out
    assert hits(run("search", "rotate keys", "--json").out) == hits(before)


def hits(answer: str) -> list[tuple[str, float]]:
    return [(hit["id"], hit["score"]) for hit in json.loads(answer)["hits"]]


def test_doctor_checks_the_server(project: Path, run: Run, dsn: str, collection: str) -> None:
    run("index", "--store", dsn)
    found = run("doctor", "--offline")
    assert found.code == 0
    for topic in ("PostgreSQL", "pgvector", "the tables", "may write", "round trip", "clocks"):
        assert topic in found.out
    assert "row-level security is not in force: the user waymeet is a superuser" in found.out
    assert "row-level security is in force" in run("doctor", "--offline", "--store", ordinary_owner(dsn)).out
    broken = run("doctor", "--offline", "--store", "postgresql://127.0.0.1:1/x")
    assert broken.code == 1
    assert "cannot be reached" in broken.out


def test_without_the_package_the_message_says_what_to_install(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    refused = run("search", "keys", "--store", "postgresql://127.0.0.1:1/x")
    assert refused.code == 3
    assert "pip install 'waymeet[postgres]'" in refused.err


def test_several_collections_of_one_server_are_searched_as_one(
    tmp_path: Path, run: Run, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They give the answers of as many index files, for a user to whom row-level security applies."""
    server, words = ordinary_owner(dsn), ("--set", "embedding.provider=none", "--set", "projects.searched=1")
    for name in ("basil", "thyme", "mint", "sage"):
        root = tmp_path / "gardens" / name
        root.mkdir(parents=True)
        (root / "care.md").write_text(f"# {name.title()}\n\nWater the {name} plant at dawn.\n", encoding="utf-8")
        monkeypatch.chdir(root)
        assert run("index", "--no-embed").code == 0
    queries = ("basil", "mint plant", "bazil", "plant at dawn")
    expected = [hits(run("search", "--all", query, "--json", *words).out) for query in queries]
    assert expected[0][0][0].startswith("basil::")
    for name in ("basil", "thyme", "mint", "sage"):
        monkeypatch.chdir(tmp_path / "gardens" / name)
        monkeypatch.setenv("WAYMEET_STORE_COLLECTION", f"{name}-{uuid4().hex}")
        assert run("migrate-store", server).code == 0
    monkeypatch.delenv("WAYMEET_STORE_COLLECTION")
    assert [hits(run("search", "--all", query, "--json", *words).out) for query in queries] == expected
    assert server.rpartition("/")[0].rpartition("@")[2] in run("status").out
