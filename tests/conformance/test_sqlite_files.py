"""The index file of the SQLite store: errors, and the rows that a change touches."""

from __future__ import annotations

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest

from waymeet.errors import (
    BusyIndexError,
    DamagedIndexError,
    IndexUnavailableError,
    NewerIndexError,
    NoIndexError,
    WaymeetError,
)
from waymeet.settings import Bm25
from waymeet.stores.segments.posting_codec import FIELD_CODES
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.database.schema import VERSION
from waymeet.types import FIELDS, Filters

from .make import entry, link, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENTRIES = [
    entry(
        f"docs/{n}.md",
        ("Heading", f"text number {n}"),
        f"more of {n}",
        title=f"title {n}",
        tags=["t"],
        links=[link(f"{n + 1}", says="next one")],
    )
    for n in range(40)
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Say where a filled index is."""
    file = tmp_path / "index.db"
    store = SqliteStore.open(file, create=True)
    store.put(ENTRIES)
    store.put_vectors("space", {"docs/1.md#L1-L1": np.ones(4, np.float32)})
    store.close()
    return file


def ask_everything(store: SqliteStore) -> None:
    ids = list(store.fingerprints())
    store.counts()
    store.rank_lexical(
        words("text number next docs title heading"), 10, Filters(tags=("t",), phrases=("text",)), Bm25()
    )
    store.lexical_evidence(words("text next"), [f"{name}#L1-L1" for name in ids], Bm25())
    store.rank_vectors("space", np.ones(4, np.float32), 10, Filters())
    store.edges(ids)
    store.documents(ids)
    store.chunks_of(ids)
    store.chunks([f"{name}#L1-L1" for name in ids])
    store.documents_by_key(["1", "2"])
    store.terms_with_prefix("", 100)
    store.chunks_without_vector(["space"], 100)
    store.first_passing_chunks(ids, Filters(without=(("text",),)))
    store.spaces()
    store.metadata("any")


def test_codes_are_given_for_every_field() -> None:
    assert sorted(FIELD_CODES) == sorted(FIELDS)
    assert len(set(FIELD_CODES.values())) == len(FIELDS)


def test_a_missing_file_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(NoIndexError, match="waymeet index"):
        SqliteStore.open(tmp_path / "index.db")
    assert list(tmp_path.iterdir()) == []


def test_creating_makes_folders_and_leaves_one_file(tmp_path: Path) -> None:
    file = tmp_path / "far" / "away" / "index.db"
    SqliteStore.open(str(file), create=True).close()
    assert [each.name for each in file.parent.iterdir()] == ["index.db"]
    SqliteStore.open(file).close()


def test_a_name_that_means_something_to_sqlite_is_just_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    SqliteStore.open(":memory:", create=True).close()
    SqliteStore.open("file:x?mode=memory", create=True).close()
    assert {each.name for each in tmp_path.iterdir()} == {":memory:", "file:x?mode=memory"}


def test_an_empty_file_is_no_index_but_becomes_one(tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    file.touch()
    with pytest.raises(NoIndexError):
        SqliteStore.open(file)
    store = SqliteStore.open(file, create=True)
    assert store.generation == 0
    store.close()


def test_an_interrupted_creation_is_taken_up_again(tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t")
    connection.close()
    SqliteStore.open(file, create=True).close()


@pytest.mark.parametrize("create", [True, False])
def test_another_kind_of_file_is_refused(tmp_path: Path, create: bool) -> None:
    file = tmp_path / "index.db"
    file.write_bytes(np.random.default_rng(1).bytes(20_000))
    with pytest.raises(DamagedIndexError, match=r"index\.db(.|\n)*[Dd]elete it and run `waymeet index` again"):
        SqliteStore.open(file, create=create)


def test_a_truncated_file_is_refused(path: Path) -> None:
    content = path.read_bytes()
    for part in (150, 5000, len(content) // 2, len(content) - 4096):
        path.write_bytes(content[:part])
        with pytest.raises(DamagedIndexError, match=r"index\.db"):
            SqliteStore.open(path)


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerIndexError, match="newer Waymeet"):
        SqliteStore.open(path, create=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("create", [True, False])
def test_another_program_s_database_is_refused_and_left_alone(tmp_path: Path, create: bool) -> None:
    file = tmp_path / "precious.db"
    connection = apsw.Connection(str(file))
    connection.execute("CREATE TABLE precious (a); INSERT INTO precious VALUES (1)")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(DamagedIndexError, match="another program"):
        SqliteStore.open(file, create=create)
    assert file.read_bytes() == before


@pytest.mark.parametrize("create", [True, False])
def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path, create: bool) -> None:
    with pytest.raises(IndexUnavailableError, match="is a folder"):
        SqliteStore.open(tmp_path, create=create)


def test_an_unwritable_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "index.db", tmp_path / "file" / "below" / "index.db"):
        with pytest.raises(IndexUnavailableError, match=r"index\.db"):
            SqliteStore.open(place, create=True)
        with pytest.raises(NoIndexError):
            SqliteStore.open(place)


def test_a_place_that_takes_no_files_is_refused() -> None:
    from pathlib import Path

    if not Path("/proc/self").exists():
        pytest.skip("no /proc here")
    for place in (Path("/proc/index.db"), Path("/proc/waymeet/index.db")):
        with pytest.raises(IndexUnavailableError, match=r"index\.db"):
            SqliteStore.open(place, create=True)


def test_missing_tables_are_damage(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("DROP TABLE chunks")
    connection.close()
    store = SqliteStore.open(path)
    with pytest.raises(DamagedIndexError, match="no such table"):
        store.counts()
    with pytest.raises(DamagedIndexError, match="no such table"):
        store.put(ENTRIES[:1])
    store.close()


def test_damage_found_later_raises_our_errors(path: Path) -> None:
    """Wherever the file is damaged, an answer comes back or one of our errors does."""
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(5)
    refused = 0
    for _ in range(60):
        broken = content.copy()
        at = int(rng.integers(100, len(broken) - 256))
        broken[at : at + 256] = rng.bytes(256)
        path.write_bytes(broken)
        try:
            store = SqliteStore.open(path)
            try:
                ask_everything(store)
                store.put(ENTRIES[::7])
                store.drop(["docs/3.md"])
            finally:
                store.close()
        except WaymeetError:
            refused += 1
        for beside in path.parent.glob("index.db-*"):
            beside.unlink()
    assert refused > 10


def test_a_locked_index_is_busy(path: Path) -> None:
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    store = SqliteStore.open(path, timeout=0.05)
    assert store.counts().documents == 40  # readers do not wait
    with pytest.raises(BusyIndexError, match="another process"):
        store.put(ENTRIES[:1])
    holder.execute("ROLLBACK")
    store.put(ENTRIES[:1])
    store.close()
    holder.close()


def test_a_writer_waits_for_another(path: Path) -> None:
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    store = SqliteStore.open(path)
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(store.put, ENTRIES[:1])
        assert not waiting.done()
        holder.execute("COMMIT")
        waiting.result(timeout=10)
    assert store.generation == 3
    store.close()
    holder.close()


def test_a_full_disk_loses_only_the_change_in_hand(path: Path) -> None:
    store = SqliteStore.open(path)
    connection = store._sessions.begin().connection
    store._sessions.end(store._sessions._session())
    pages = connection.execute("PRAGMA page_count").get
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(IndexUnavailableError, match="no space left") as told:
        store.put([entry("large.md", *(f"unknown word{chr(200 + n)} " * 200 for n in range(200)))])
    assert isinstance(told.value.__cause__, apsw.FullError)
    assert store.generation == 2
    assert store.counts().documents == 40
    connection.execute("PRAGMA max_page_count = 1000000")
    store.put([entry("small.md", "another unknown word")])  # numbers given to terms in vain must not be remembered
    assert [hit.document for hit in store.rank_lexical(words("unknown"), 5, Filters(), Bm25())] == ["small.md"]
    store.close()


def test_a_closed_store_says_so(path: Path) -> None:
    store = SqliteStore.open(path)
    assert store.generation == 2
    store.close()
    store.close()
    with pytest.raises(IndexUnavailableError, match="closed"):
        store.counts()
    with pytest.raises(IndexUnavailableError, match="closed"):
        store.put(ENTRIES[:1])


def test_two_handles_of_one_file_see_the_same_generations(path: Path) -> None:
    one, two = SqliteStore.open(path), SqliteStore.open(path)
    with one.snapshot() as held:
        two.put([entry("new.md", "brandnew")])
        assert (held, one.generation, two.generation) == (2, 2, 3)
        assert not one.rank_lexical(words("brandnew"), 5, Filters(), Bm25())
        assert "new.md" not in one.fingerprints()
    assert one.generation == 3
    assert len(one.rank_lexical(words("brandnew"), 5, Filters(), Bm25())) == 1
    one.put([entry("newer.md", "brandnew again")])
    assert len(two.rank_lexical(words("brandnew again"), 5, Filters(), Bm25())) == 2
    one.close()
    two.close()


def test_a_thread_takes_its_connection_with_it(path: Path) -> None:
    store = SqliteStore.open(path)
    for _ in range(20):
        with ThreadPoolExecutor(1) as other:
            assert other.submit(lambda: store.generation).result() == 2
    gc.collect()
    assert len(store._sessions._all) == 1
    store.close()


def test_many_may_create_at_once(tmp_path: Path) -> None:
    file = tmp_path / "index.db"

    def create(name: str) -> None:
        store = SqliteStore.open(file, create=True)
        store.put([entry(f"{name}.md", "text")])
        store.close()

    with ThreadPoolExecutor(6) as threads:
        for each in [threads.submit(create, name) for name in "abcdef"]:
            each.result()
    store = SqliteStore.open(file)
    assert store.generation == store.counts().documents == 6
    store.close()


def test_importing_the_stores_does_not_import_numpy() -> None:
    code = "import sys, waymeet.stores.sqlite, waymeet.stores.memory.store; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- one change touches its own rows --------------------------------------------------------------------------------

_OF_DOCUMENT = "JOIN documents d ON d.id = t.document"
_OF_CHUNK = "JOIN chunks c ON c.id = t.chunk JOIN documents d ON d.id = c.document"
_OF_SOURCE = "JOIN documents d ON d.id = t.source"
OWNED = {
    "documents": "JOIN documents d ON d.id = t.id",
    "tags": _OF_DOCUMENT,
    "names": _OF_DOCUMENT,
    "chunks": _OF_DOCUMENT,
    "vectors": _OF_CHUNK,
    "vector_codes": _OF_CHUNK,
    "texts": _OF_CHUNK,
    "document_terms": _OF_DOCUMENT,
    "edges": _OF_SOURCE,
    "link_keys": _OF_SOURCE,
    "link_texts": "JOIN documents d ON d.id = t.id >> 32",
}
"""How to find the document that a row of each table belongs to."""


DERIVED = {
    "segments",
    "document_segments",
    "deleted_documents",
    "vector_segments",
    "deleted_vectors",
    "link_files",
    "changed_links",
    "sqlite_sequence",
}
"""Tables about segment files."""


def rows(path: Path) -> Iterator[tuple[str, str, tuple[object, ...]]]:
    """Yield table, owning document and row of everything that belongs to a document."""
    connection = apsw.Connection(str(path))
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert tables == OWNED.keys() | {"counters", "metadata", "terms", "spaces", "edge_kinds"} | DERIVED
    for table, owner in OWNED.items():
        found = list(connection.execute(f"SELECT d.path, t.* FROM {table} t {owner}"))  # noqa: S608 - our own names
        (total,) = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() or (0,)  # noqa: S608 - likewise
        assert len(found) == total, f"{table} has rows without an owner"
        yield from ((table, row[0], row[1:]) for row in found)
    connection.close()


def test_an_edited_document_touches_only_its_own_rows(path: Path) -> None:
    before = set(rows(path))
    store = SqliteStore.open(path)
    store.put([entry("docs/7.md", "edited, with new words", title="another", links=[link("9", says="elsewhere")])])
    store.close()
    touched = before ^ set(rows(path))
    assert {owner for _, owner, _ in touched} == {"docs/7.md"}
    assert {table for table, _, _ in touched} == OWNED.keys() - {"names", "vectors", "vector_codes"}


def test_a_changed_name_touches_only_the_edges_that_look_for_it(path: Path) -> None:
    before = set(rows(path))
    store = SqliteStore.open(path)
    store.put([entry("docs/7.md", "edited", names=["seven"])])
    store.close()
    touched = {(table, owner) for table, owner, _ in before ^ set(rows(path))}
    assert {each for each in touched if each[1] != "docs/7.md"} == {("edges", "docs/6.md")}


def test_dropping_leaves_nothing_of_a_document(path: Path) -> None:
    before = set(rows(path))
    store = SqliteStore.open(path)
    store.drop([f"docs/{n}.md" for n in range(40) if n != 5])
    store.close()
    left = set(rows(path))
    assert {owner for _, owner, _ in left} == {"docs/5.md"}
    assert {table for table, _, _ in left - before} == {"edges"}  # its link dangles now
