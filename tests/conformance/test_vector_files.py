"""Vector files: deleted vectors, lost files, and the recall of the search by a few bits."""

from __future__ import annotations

import errno
from contextlib import closing
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import pytest

from waymeet.errors import WaymeetError
from waymeet.formulas.vector_codes import encode_vectors, rotate
from waymeet.settings import Bm25
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.segments import array_file
from waymeet.stores.segments.array_file import ArrayFile
from waymeet.stores.segments.quantization import hamming_distances, quantise_query, smallest_indices, split_codes
from waymeet.stores.segments.vectors import build_arrays, build_block, read_block
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
"""Vector files from the first vectors on, all with their bits apart."""
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
    store, reference = pair
    for each in pair:
        each.put_vectors("space", {key(n): row for n, row in enumerate(vectors(15, seed=13))})
    write = array_file.write_arrays

    def write_slowly(*args: object) -> int:
        for file in files(tmp_path):
            file.unlink()
        other = SqliteStore.open(tmp_path / "index.db", limits=MaintenanceLimits())
        assert other.counts().vectors == {"space": 15}  # those that are in the table
        assert [file.lost_vectors for file in other.repaired_files()] == [85]
        other.close()
        monkeypatch.undo()
        return write(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(array_file, "write_arrays", write_slowly)
    store.optimize()
    reference.drop_vectors({"space": [key(n) for n in range(15, 100)]}, {})
    agree(store, reference, limit=200)
    store.optimize()
    agree(store, reference, limit=200)
    assert len(files(tmp_path)) == 1
    assert not store.check().findings


@pytest.mark.parametrize("harm", ["lost", "cut", "empty", "flipped"])
def test_the_vectors_of_a_lost_or_corrupt_file_are_removed(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path, harm: str
) -> None:
    pair[0].put_vectors("space", {key(7): vectors(1, seed=3)[0]})
    pair[0].close()
    (file,) = files(tmp_path)
    content = file.read_bytes()
    if harm == "lost":
        file.unlink()
    else:
        flipped = content[:-5] + bytes([content[-5] ^ 16]) + content[-4:]
        file.write_bytes({"cut": content[:1000], "empty": b"", "flipped": flipped}[harm])
    store = SqliteStore.open(tmp_path / "index.db", limits=SOON)
    (hit,) = store.rank_vectors("space", vectors(1, seed=3)[0], 10, Filters())
    assert hit.chunk == key(7)
    assert store.coverage(["space"]) == (1, 100)
    (repaired,) = store.repaired_files()
    assert repaired.lost_vectors == 99
    assert len(store.chunks_without_vector(["space"], 200)) == 99
    assert not store.check().damaged
    fill(store)
    store.optimize()
    agree(store, pair[1])
    assert len(files(tmp_path)) == 1
    assert file not in files(tmp_path)
    assert not store.check().findings
    store.close()


def test_a_file_that_cannot_be_opened_is_not_given_up(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair[0].close()
    open_file = type(tmp_path).open

    def fail(path: Path, *args: Any) -> object:
        if path.suffix == ".vectors":
            raise OSError(errno.EMFILE, "Too many open files")
        return open_file(path, *args)

    monkeypatch.setattr(type(tmp_path), "open", fail)
    store = SqliteStore.open(tmp_path / "index.db", limits=SOON)
    with pytest.raises(WaymeetError, match="Too many open files"):
        store.rank_vectors("space", vectors(1)[0], 10, Filters())
    monkeypatch.undo()
    agree(store, pair[1])
    assert store.repaired_files() == ()
    store.close()


def test_a_vector_is_stored_once(pair: tuple[SqliteStore, MemoryStore], tmp_path: Path) -> None:
    """A vector is in the table until it is in a file."""
    store, _ = pair
    assert select(tmp_path, "SELECT COUNT(*) FROM vector_codes") == [(0,)]
    store.put_vectors("space", {key(3): vectors(1, seed=9)[0]})
    assert select(tmp_path, "SELECT COUNT(*) FROM vector_codes") == [(1,)]
    store.optimize()
    assert select(tmp_path, "SELECT COUNT(*) FROM vector_codes") == [(0,)]
    stored = sum(len(read_block(ArrayFile(file)).chunks) for file in files(tmp_path))
    assert stored - len(select(tmp_path, "SELECT * FROM deleted_vectors")) == 100


def test_a_single_small_file_does_not_keep_others_from_being_merged(tmp_path: Path) -> None:
    limits = MaintenanceLimits(max_buffered=30, min_segment=0)
    with closing(SqliteStore.open(tmp_path / "index.db", create=True, limits=limits)) as store:
        fill(store, 5)
        store.optimize()
        store.put([entry(f"{n:04}.md", "text") for n in range(5, 200)])
        for first in range(5, 200, 39):
            store.put_vectors("space", {key(n): row for n, row in enumerate(vectors(39), first)})
        assert len(files(tmp_path)) == 6
        store.optimize()
        assert sorted(len(read_block(ArrayFile(file)).chunks) for file in files(tmp_path)) == [5, 195]


def test_what_is_derived_may_be_thrown_away(pair: tuple[SqliteStore, MemoryStore], tmp_path: Path) -> None:
    pair[0].close()
    for file in (tmp_path / "index.db.segments").iterdir():
        if file.suffix != ".vectors":
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


def test_the_search_by_a_few_bits_finds_the_nearest(tmp_path: Path) -> None:
    rows = vectors(60_000, 128)
    ids = np.arange(len(rows), dtype=np.uint64)
    array_file.write_arrays(tmp_path / "file", *build_arrays(build_block(ids, ids, encode_vectors(rows)), split=True))
    block = read_block(ArrayFile(tmp_path / "file"))
    found = 0
    queries = vectors(40, 128, seed=5)
    for query, rotated in zip(queries, rotate(queries), strict=True):
        likely = block.select_likely(rotated, None, 50)
        assert likely is not None
        assert len(likely) < 0.1 * len(rows)
        found += len({*np.argsort(-(rows @ query))[:50].tolist()} & {*likely.tolist()})
    assert found >= 0.99 * 50 * len(queries)


@pytest.mark.parametrize("dimension", [3, 64, 100, 384])
def test_bits_that_are_stored_apart_are_put_together_again(tmp_path: Path, dimension: int) -> None:
    codes, ids = encode_vectors(vectors(50, dimension)), np.arange(50, dtype=np.uint64)
    block = build_block(ids, ids, codes)
    for split in (False, True):
        size = array_file.write_arrays(tmp_path / "file", *build_arrays(block, split=split))
        stored = read_block(ArrayFile(tmp_path / "file"))
        assert np.array_equal(stored.take(np.array([0, 7, 49])), codes[[0, 7, 49]])
        assert np.array_equal(stored.lengths, block.lengths)
        assert size < 1000 + 50 * (-(-dimension // 64) * 64 + 9)


def test_near_but_excluded_vectors_do_not_hide_others(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((3000, 64)).astype(np.float32)
    matrix[:200] = matrix[0] + 0.05 * rng.standard_normal((200, 64)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    ids = np.arange(3000, dtype=np.uint64)
    array_file.write_arrays(tmp_path / "file", *build_arrays(build_block(ids, ids, encode_vectors(matrix)), split=True))
    excluded = np.zeros(3000, dtype=np.bool_)
    excluded[:200] = True
    rows, scores = read_block(ArrayFile(tmp_path / "file")).find_candidates(rotate(matrix[:1])[0], excluded, 1)
    assert not excluded[rows].any()
    expected = np.argmax(np.where(excluded, -2.0, matrix @ matrix[0]))
    assert rows[np.argmax(scores)] == expected


def test_hamming_distances_give_products_of_levels() -> None:
    """A level of a code is 8s + 4t + 2u + v, one of a query 4s + 2t + u, of signs that are 1 or -1."""
    dimension = 100
    codes, query = encode_vectors(vectors(20, dimension)), rotate(vectors(1, dimension, seed=2))[0]
    levels = 2 * ((codes.astype(int) + 128) // 16) - 15
    other = np.clip(2 * np.floor(query * dimension**0.5 / 0.5860) + 1, -7, 7)
    bits, query_planes = split_codes(codes), quantise_query(query)
    planes = [bits.high, *(bits.middle[:, plane].T for plane in range(3))]
    counts = [[hamming_distances(words, plane) for plane in query_planes] for words in planes]
    distance = sum(
        2 ** (3 - row) * 2 ** (2 - column) * counts[row][column].astype(np.int64)
        for row in range(4)
        for column in range(3)
    )
    assert (15 * 7 * dimension - 2 * distance).tolist() == (levels @ other).astype(int).tolist()


def test_the_smallest_distances_are_found_with_all_ties() -> None:
    distances = np.array([5, 3, 9, 3, 7, 5, 65535], dtype=np.uint16)
    assert [smallest_indices(distances, number).tolist() for number in (0, 1, 3, 5, 7)] == [
        [],
        [1, 3],
        [0, 1, 3, 5],
        [0, 1, 3, 4, 5],
        [0, 1, 2, 3, 4, 5, 6],
    ]


def test_a_large_file_of_whole_codes_is_searched_and_then_rewritten(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path
) -> None:
    store, reference = pair
    store.close()
    (path,) = files(tmp_path)
    array_file.write_arrays(path, *build_arrays(read_block(ArrayFile(path)), split=False))
    reopened = SqliteStore.open(tmp_path / "index.db", limits=SOON)
    agree(reopened, reference)
    assert files(tmp_path) == [path]
    assert not reopened.check().findings
    reopened.optimize()
    assert path not in files(tmp_path)
    assert "high bits" in ArrayFile(*files(tmp_path))
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
