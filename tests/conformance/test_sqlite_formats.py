"""Index files of earlier formats."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest
from msgspec.structs import replace

from waymeet.settings import Bm25
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.database.schema import UPGRADED_VERSIONS, VERSION
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters, IndexEntry, Symbol

from .make import entry, link, words


def test_an_index_of_format_5_is_emptied_but_keeps_the_roots_that_a_user_added(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(Path(__file__).with_name("index_format_5.sql").read_text(encoding="utf-8"))
    with closing(SqliteStore.open(path)) as store:
        assert (store.generation, store.counts().documents, store.spaces()) == (0, 0, {})
        assert [store.metadata(key) for key in ("roots", "outdated_version", "root", "indexed_at")] == [
            '{"notes":"/notes"}',
            "5",
            "",
            "",
        ]
        assert not store.check().findings
        store.put([entry("a.md", "rank fusion")])
        assert store.rank_lexical(words("rank"), 1, Filters(), Bm25())


def test_an_older_format_is_emptied_to_be_filled_again(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    store = SqliteStore.open(path, create=True)
    store.put([entry("a.md", "rank fusion")])
    store.set_metadata("indexed_at", "1")
    store.close()
    connection = apsw.Connection(str(path))
    connection.execute(f"CREATE TABLE gone_since (a); PRAGMA user_version = {min(UPGRADED_VERSIONS) - 1}")
    connection.close()
    store = SqliteStore.open(path)
    assert (store.counts().documents, store.metadata("indexed_at")) == (0, "")
    store.put([entry("a.md", "rank fusion")])
    assert store.rank_lexical(words("rank"), 1, Filters(), Bm25())
    store.close()


def entries_of_format_7() -> list[IndexEntry]:
    """Make the entries that the index of format 7 was written from."""
    fusion = entry(
        "docs/a.md",
        ("Fusion", "rank fusion, rank by rank"),
        "weights of fusion",
        title="Rank fusion",
        tags=["Search"],
        properties={"status": "draft"},
        links=[
            link("b", says="the keys"),
            link("missing", "b", says="other", kind="mentions", anchor="k", source_anchor="fusion"),
        ],
        names=["a", "p:docs/a.md"],
    )
    symbol = Symbol("Fusion.rank", "method", 1, 1, "def rank()", "Rank.")
    first, second = fusion.chunks
    fusion = replace(fusion, chunks=(replace(first, symbols=(symbol,)), replace(second, is_embedded=False)))
    split = entry("c.md", "long line, first part", "second part")
    first, second = split.chunks
    split = replace(split, chunks=(first, replace(second, id="c.md#L1-L1~2", start=1, end=1)))
    other = entry("d.md", "another id")
    other = replace(other, chunks=(replace(other.chunks[0], id="an id of its own"),))
    keys = entry("b.md", "rotate the keys", links=[link("a", says="rank fusion")])
    return [fusion, keys, split, other, entry("e.md", "replaced", "twice")]


VECTORS = {
    "docs/a.md#L1-L1": np.array([0.6, 0.8], np.float32),
    "c.md#L1-L1~2": np.array([1.0, 0.0], np.float32),
    "an id of its own": np.array([0.0, 1.0], np.float32),
}


def write_index(folder: Path, version: int) -> Path:
    """Write an index of an earlier format."""
    path = folder / "index.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(Path(__file__).with_name(f"index_format_{version}.sql").read_text(encoding="utf-8"))
    return path


@pytest.fixture
def format_7(tmp_path: Path) -> Path:
    """Write an index of format 7."""
    return write_index(tmp_path, 7)


def describe(store: SqliteStore) -> dict[str, object]:
    """Read all that does not depend on the files that were indexed."""
    paths = sorted(store.fingerprints())
    documents = store.documents(paths)
    return {
        "documents": {path: replace(document, digest="") for path, document in documents.items()},
        "chunks": store.chunks_of(paths),
        "edges": store.edges(paths),
        "neighbours": store.neighbours(paths),
        "names": store.documents_by_key(["a", "b", "p:docs/a.md", "missing"]),
        "words": store.rank_lexical(words("rank fusion keys part"), 10, Filters(), Bm25()),
        "vectors": store.rank_vectors("hashing", np.array([0.8, 0.6], np.float32), 10, Filters()),
        "counts": store.counts(),
        "by id": store.chunks(["an id of its own", "c.md#L1-L1~2"]),
    }


def check_upgraded(path: Path) -> None:
    """Compare an upgraded index with one of the same entries."""
    new = path.with_name("new.db")
    with closing(SqliteStore.open(new, create=True)) as store:
        store.put(entries_of_format_7())
        store.put_vectors("hashing", VECTORS)
        expected = describe(store)
    with closing(SqliteStore.open(path)) as store:
        assert describe(store) == expected
        assert not store.check().findings
        assert (store.generation, store.metadata("indexed_at"), store.metadata("outdated_version")) == (4, "1", "")
        assert store.metadata("roots") == '{"notes":"/notes"}'
        store.put([entry("b.md", "rotate keys", names=["another"])])
        assert store.edges(["docs/a.md"])[0].target is None
        store.optimize()
        assert not store.check().findings


@pytest.mark.parametrize("version", UPGRADED_VERSIONS)
def test_an_index_of_an_earlier_format_is_upgraded_with_its_vectors(tmp_path: Path, version: int) -> None:
    check_upgraded(write_index(tmp_path, version))


def test_many_upgraded_vectors_are_moved_to_a_file(tmp_path: Path) -> None:
    path, codes = write_index(tmp_path, 8), {}
    with closing(apsw.Connection(str(path))) as connection:
        for chunk in (2, 3, 4, 7, 8):
            row = np.random.default_rng(chunk).standard_normal(2).astype(np.float32)
            codes[chunk] = row / np.linalg.norm(row)
            sql = "INSERT INTO vectors (space, chunk, vector) VALUES (1, ?, ?)"
            connection.execute(sql, (chunk, codes[chunk].tobytes()))
        connection.execute("INSERT INTO vectors (space, chunk, vector) VALUES (1, 9, x'0000807f0000807f')")
    with closing(SqliteStore.open(path, limits=MaintenanceLimits(max_buffered=3))) as store:
        assert len(list(path.with_name("index.db.segments").glob("*.vectors"))) == 1
        assert store.counts().vectors == {"hashing": 8}  # infinite numbers are left out
        first = store.rank_vectors("hashing", codes[3], 1, Filters())[0]
        assert first.score == pytest.approx(1.0, abs=1e-3)
        assert not store.check().findings


@pytest.mark.parametrize(
    "step", ["_convert_chunks", "_convert_documents", "_convert_edges", "upgrade_vectors", "release_free_pages"]
)
def test_an_upgrade_that_is_killed_starts_again(format_7: Path, step: str) -> None:
    code = f"""
import os
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.database import upgrade
upgrade.{step} = lambda *_: os._exit(9)
SqliteStore.open({str(format_7)!r})
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    check_upgraded(format_7)


def test_an_index_of_format_7_that_cannot_be_read_is_emptied(format_7: Path) -> None:
    with closing(apsw.Connection(str(format_7))) as connection:
        connection.execute("UPDATE chunks SET headings = 'no list' WHERE id = 1")
    with closing(SqliteStore.open(format_7)) as store:
        assert (store.counts().documents, store.metadata("outdated_version")) == (0, "7")
        assert not store.check().findings


def test_an_upgrade_of_terms_that_is_killed_starts_again(tmp_path: Path) -> None:
    path = write_index(tmp_path, 9)
    code = f"""
import os
from itertools import count
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.database import upgrade_terms
convert, calls = upgrade_terms._convert, count()
upgrade_terms._convert = lambda packed: convert(packed) if next(calls) < 3 else os._exit(9)
SqliteStore.open({str(path)!r})
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    check_upgraded(path)


def test_terms_that_cannot_be_read_are_found_after_an_upgrade(tmp_path: Path) -> None:
    path = write_index(tmp_path, 9)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE document_terms SET data = x'00' WHERE document = 2")
    with closing(SqliteStore.open(path)) as store:
        assert [finding.what for finding in store.check().findings]
        store.check(repair=True)
        assert "c.md" not in store.fingerprints()
        assert store.counts().vectors == {"hashing": 2}
        assert not store.check().findings
        assert store.rank_lexical(words("rank fusion"), 1, Filters(), Bm25())[0].document == "docs/a.md"


def test_the_three_formats_before_this_one_are_upgraded() -> None:
    assert UPGRADED_VERSIONS == (VERSION - 3, VERSION - 2, VERSION - 1)
