"""Vector files: deleted vectors, repair of lost files, and the recall of quantised search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest

from waymeet.settings import Bm25
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.segments import array_file
from waymeet.stores.segments.array_file import ArrayFile
from waymeet.stores.segments.quantization import (
    hamming_distances,
    quantise_query,
    quantise_vectors,
    random_rotation,
    smallest_indices,
)
from waymeet.stores.segments.vectors import VectorBlock, build_arrays, read_block
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters

from .make import entry, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from waymeet.ports import Store

SOON = MaintenanceLimits(
    max_buffered=20,
    min_segment=0,
    max_vectors=10_000,
    max_exact_vectors=0,
    max_loop_postings=-1,
    max_loop_postings_with_numpy=-1,
)
"""Vector files from the first vectors on, all quantised."""
DIMENSION = 16


def vectors(count: int, dimension: int = DIMENSION, seed: int = 1) -> NDArray[np.float32]:
    """Make unit vectors in clusters of uneven size, off the centre and of uneven spread, as those of models are."""
    space, chance = np.random.default_rng(dimension), np.random.default_rng(seed)
    centres = space.standard_normal((300, dimension)) + space.standard_normal(dimension)
    which = (20 * chance.pareto(1.0, count)).astype(int) % len(centres)
    rows = (centres[which] + chance.standard_normal((count, dimension))) * space.gamma(1.0, size=dimension)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def fill(store: Store, count: int = 100) -> None:
    store.put([entry(f"{n:04}.md", "text", tags=["rare"] if n % 1000 == 7 else []) for n in range(count)])
    store.put_vectors("space", {key(n): row for n, row in enumerate(vectors(count))})


def key(n: int) -> str:
    return f"{n:04}.md#L1-L1"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[SqliteStore, MemoryStore]]:
    """Give a store with vectors in files, and the reference with the same."""
    store, reference = SqliteStore.open(tmp_path / "index.db", create=True, limits=SOON), MemoryStore()
    for each in (store, reference):
        fill(each)
    store.optimize()
    yield store, reference
    store.close()


def agree(store: Store, reference: Store, filters: Filters | None = None, limit: int = 30) -> None:
    for query in vectors(5, seed=2):
        expected = reference.rank_vectors("space", query, limit, filters or Filters())
        assert store.rank_vectors("space", query, limit, filters or Filters()) == expected


def files(folder: Path) -> list[Path]:
    return sorted((folder / "index.db.segments").glob("*.vectors"))


def select(folder: Path, sql: str) -> list[object]:
    connection = apsw.Connection(str(folder / "index.db"))
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def test_vectors_are_in_a_file_once_flushed(pair: tuple[SqliteStore, MemoryStore], tmp_path: Path) -> None:
    agree(*pair)
    (file,) = files(tmp_path)
    assert ArrayFile(file).is_intact()
    assert len(read_block(ArrayFile(file)).chunks) == 100


def test_replaced_and_removed_vectors_are_marked_and_then_merged_away(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path
) -> None:
    for store in pair:
        store.put_vectors("space", {key(3): vectors(1, seed=9)[0]})
        store.put_vectors("space", {key(3): vectors(1, seed=10)[0]})
        store.put([entry("0004.md", "rewritten")])
        store.drop(["0005.md"])
    agree(*pair, limit=200)
    assert len(select(tmp_path, "SELECT * FROM deleted_vectors")) == 3
    for store in pair:
        store.drop([f"{n:04}.md" for n in range(50, 90)])
    agree(*pair, limit=200)
    pair[0].optimize()
    agree(*pair, limit=200)
    (file,) = files(tmp_path)
    assert select(tmp_path, "SELECT * FROM deleted_vectors") == []
    assert len(read_block(ArrayFile(file)).chunks) == 58


def test_an_id_is_not_used_again(pair: tuple[SqliteStore, MemoryStore]) -> None:
    for store in pair:  # the last vector goes, and another comes in its place
        store.drop(["0099.md"])
        store.put([entry("new.md", "text")])
        store.put_vectors("space", {"new.md#L1-L1": vectors(1, seed=11)[0]})
    agree(*pair, limit=200)


def test_a_change_while_a_file_is_written_is_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, reference = SqliteStore.open(tmp_path / "index.db", create=True, limits=MaintenanceLimits()), MemoryStore()
    for each in (store, reference):
        fill(each)
    write = array_file.write_arrays

    def write_slowly(*args: object) -> int:
        other = SqliteStore.open(tmp_path / "index.db")
        for each in (other, reference):
            each.drop(["0001.md"])
            each.put_vectors("space", {key(2): vectors(1, seed=12)[0]})
        other.close()
        return write(*args)  # type: ignore[arg-type]

    store.close()
    store = SqliteStore.open(tmp_path / "index.db", limits=SOON)
    store.optimize()  # words first, so that the next file is one of vectors
    store.put_vectors("space", {key(n): row for n, row in enumerate(vectors(15, seed=13))})
    reference.put_vectors("space", {key(n): row for n, row in enumerate(vectors(15, seed=13))})
    monkeypatch.setattr(array_file, "write_arrays", write_slowly)
    store.optimize()
    monkeypatch.undo()
    agree(store, reference, limit=200)
    store.close()


def test_a_file_lost_while_another_is_written_hides_nothing(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for store in pair:
        store.put_vectors("space", {key(n): row for n, row in enumerate(vectors(15, seed=13))})
    write = array_file.write_arrays

    def write_slowly(*args: object) -> int:
        for file in files(tmp_path):
            file.unlink()
        other = SqliteStore.open(tmp_path / "index.db", limits=MaintenanceLimits())
        agree(other, pair[1])  # finds the loss and drops the files of the space
        other.close()
        return write(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(array_file, "write_arrays", write_slowly)
    pair[0].optimize()
    monkeypatch.undo()
    agree(*pair, limit=200)
    pair[0].optimize()
    agree(*pair, limit=200)
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("harm", ["lost", "cut", "empty"])
def test_a_lost_or_corrupt_file_is_rebuilt(pair: tuple[SqliteStore, MemoryStore], tmp_path: Path, harm: str) -> None:
    pair[0].close()
    (file,) = files(tmp_path)
    if harm == "lost":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[: 1000 if harm == "cut" else 0])
    store = SqliteStore.open(tmp_path / "index.db", limits=SOON)
    agree(store, pair[1])
    store.optimize()
    agree(store, pair[1])
    assert len(files(tmp_path)) == 1
    assert file not in files(tmp_path)
    store.close()


def test_everything_derived_may_be_thrown_away(pair: tuple[SqliteStore, MemoryStore], tmp_path: Path) -> None:
    pair[0].close()
    for file in (tmp_path / "index.db.segments").iterdir():
        file.unlink()
    store = SqliteStore.open(tmp_path / "index.db", limits=SOON)
    agree(store, pair[1])
    expected = pair[1].rank_lexical(words("text"), 20, Filters(), Bm25())
    assert store.rank_lexical(words("text"), 20, Filters(), Bm25()) == expected
    store.close()


def test_a_filter_that_lets_one_in_a_thousand_through_loses_nothing(tmp_path: Path) -> None:
    store, reference = SqliteStore.open(tmp_path / "index.db", create=True, limits=SOON), MemoryStore()
    for each in (store, reference):
        fill(each, 5000)
    store.optimize()
    rare = Filters(tags=("rare",))
    assert len(reference.rank_vectors("space", vectors(1)[0], 10, rare)) == 5
    agree(store, reference, rare, limit=3)
    agree(store, reference, rare, limit=10)
    for limit in (3, 10):
        expected = reference.rank_lexical(words("text md"), limit, rare, Bm25())
        assert store.rank_lexical(words("text md"), limit, rare, Bm25()) == expected
    store.close()


def test_quantised_search_finds_the_nearest(tmp_path: Path) -> None:
    rows = vectors(60_000, 128)
    ids = np.arange(len(rows))
    block = VectorBlock(ids.astype(np.uint32), ids.astype(np.uint64), rows)
    array_file.write_arrays(tmp_path / "file", *build_arrays(block, quantise=True))
    block = read_block(ArrayFile(tmp_path / "file"))
    found = 0
    queries = vectors(40, 128, seed=5)
    for query in queries:
        likely = block.select_likely(query, None, 50)
        assert likely is not None
        assert len(likely) < 0.1 * len(rows)
        found += len({*np.argsort(-(rows @ query))[:50].tolist()} & {*likely.tolist()})
    assert found >= 0.99 * 50 * len(queries)


def test_near_but_excluded_vectors_do_not_hide_others() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((3000, 64)).astype(np.float32)
    matrix[:200] = matrix[0] + 0.05 * rng.standard_normal((200, 64)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    rotation, ids = random_rotation(64), np.arange(3000)
    planes = quantise_vectors(matrix, rotation)
    block = VectorBlock(ids.astype(np.uint32), ids.astype(np.uint64), matrix, rotation, planes)
    excluded = np.zeros(3000, dtype=np.bool_)
    excluded[:200] = True
    rows, scores = block.find_candidates(matrix[0], excluded, 1)
    assert not excluded[rows].any()
    expected = np.argmax(np.where(excluded, -2.0, matrix @ matrix[0]))
    assert rows[np.argmax(scores)] == expected


def test_hamming_distances_give_products_of_levels() -> None:
    """A level of a vector is 2s + t, one of a query 4s + 2t + u, of signs that are 1 or -1."""
    dimension = 100
    matrix, query = vectors(20, dimension), vectors(1, dimension, seed=2)[0]
    rotation = random_rotation(dimension)
    spread = dimension**0.5
    rows = np.clip(2 * np.floor(matrix @ rotation.T * spread / 0.9957) + 1, -3, 3)
    other = np.clip(2 * np.floor(rotation @ query * spread / 0.5860) + 1, -7, 7)
    high, low = quantise_vectors(matrix, rotation)
    query_planes = quantise_query(query, rotation)
    counts = [[hamming_distances(words, plane) for plane in query_planes] for words in (high, low.T)]
    distance = sum(
        (2 - row) * 2 ** (2 - column) * counts[row][column].astype(np.int64) for row in (0, 1) for column in (0, 1, 2)
    )
    assert (3 * 7 * dimension - 2 * distance).tolist() == (rows @ other).astype(int).tolist()


def test_the_smallest_distances_are_found_with_all_ties() -> None:
    distances = np.array([5, 3, 9, 3, 7, 5, 65535], dtype=np.uint16)
    assert [smallest_indices(distances, number).tolist() for number in (0, 1, 3, 5, 7)] == [
        [],
        [1, 3],
        [0, 1, 3, 5],
        [0, 1, 3, 4, 5],
        [0, 1, 2, 3, 4, 5, 6],
    ]


def test_a_large_file_without_quantised_vectors_is_searched_and_then_rewritten(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path
) -> None:
    store, reference = pair
    store.close()
    (path,) = files(tmp_path)
    old = ArrayFile(path)
    codes = {"chunks": "I", "ids": "Q", "vectors": "f"}
    arrays = {name: (code, np.array(old.array(name))) for name, code in codes.items()}
    array_file.write_arrays(path, arrays, old.attributes)
    reopened = SqliteStore.open(tmp_path / "index.db", limits=SOON)
    agree(reopened, reference)
    assert files(tmp_path) == [path]
    assert not reopened.check().findings
    reopened.optimize()
    assert path not in files(tmp_path)
    assert "low plane" in ArrayFile(*files(tmp_path))
    agree(reopened, reference)
    assert reopened.repaired_files() == ()
    reopened.close()


def test_a_store_of_a_removed_index_leaves_the_files_of_the_next_one_alone(tmp_path: Path) -> None:
    file, entries = tmp_path / "index.db", [entry(f"docs/{n}.md", f"text number {n}") for n in range(40)]
    old = SqliteStore.open(file, create=True, limits=SOON)
    old.put(entries)
    old.optimize()
    for each in sorted(tmp_path.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    new = SqliteStore.open(file, create=True, limits=SOON)
    new.put(entries)
    new.optimize()
    named = set((tmp_path / "index.db.segments").iterdir())
    assert named
    old.optimize()
    assert named <= set((tmp_path / "index.db.segments").iterdir())
    assert new.rank_lexical(words("number"), 3, Filters(), Bm25())
    assert new.repaired_files() == ()
    old.close()
    new.close()
