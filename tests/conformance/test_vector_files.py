"""Vectors in files beside the truth: what is dead in them, what heals, and what a first look at signs may miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest

from waymeet.settings import Bm25
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.segments import array_file
from waymeet.stores.segments.array_file import Container
from waymeet.stores.segments.quantization import asked, differing, fewest, rotation, signs
from waymeet.stores.segments.vectors import Part, arrays, opened
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters

from .make import entry, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from waymeet.ports import Store

SOON = MaintenanceLimits(loose=20, few=0, largest=10_000, exact=0, by_hand=-1, by_hand_anyway=-1)
"""Files from the first vectors on, all with signs."""
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
    store, reference = SqliteStore.open(tmp_path / "index.db", create=True, effort=SOON), MemoryStore()
    for each in (store, reference):
        fill(each)
    store.optimize()
    yield store, reference
    store.close()


def agree(store: Store, reference: Store, filters: Filters | None = None, limit: int = 30) -> None:
    for question in vectors(5, seed=2):
        expected = reference.rank_vectors("space", question, limit, filters or Filters())
        assert store.rank_vectors("space", question, limit, filters or Filters()) == expected


def files(folder: Path) -> list[Path]:
    return sorted((folder / "index.db.segments").glob("*.vectors"))


def books(folder: Path, sql: str) -> list[object]:
    connection = apsw.Connection(str(folder / "index.db"))
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def test_vectors_lie_in_a_file_once_shelved(pair: tuple[SqliteStore, MemoryStore], tmp_path: Path) -> None:
    agree(*pair)
    (file,) = files(tmp_path)
    assert Container(file).whole()
    assert len(opened(Container(file)).chunks) == 100


def test_replaced_and_removed_vectors_are_dead_and_then_gone(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path
) -> None:
    for store in pair:
        store.put_vectors("space", {key(3): vectors(1, seed=9)[0]})
        store.put_vectors("space", {key(3): vectors(1, seed=10)[0]})
        store.put([entry("0004.md", "rewritten")])
        store.drop(["0005.md"])
    agree(*pair, limit=200)
    assert len(books(tmp_path, "SELECT * FROM deleted_vectors")) == 3
    for store in pair:
        store.drop([f"{n:04}.md" for n in range(50, 90)])
    agree(*pair, limit=200)
    pair[0].optimize()
    agree(*pair, limit=200)
    (file,) = files(tmp_path)
    assert books(tmp_path, "SELECT * FROM deleted_vectors") == []
    assert len(opened(Container(file)).chunks) == 58


def test_a_number_is_not_given_again(pair: tuple[SqliteStore, MemoryStore]) -> None:
    for store in pair:  # the last vector goes, and another comes in its place
        store.drop(["0099.md"])
        store.put([entry("new.md", "text")])
        store.put_vectors("space", {"new.md#L1-L1": vectors(1, seed=11)[0]})
    agree(*pair, limit=200)


def test_a_change_while_a_file_is_written_is_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, reference = SqliteStore.open(tmp_path / "index.db", create=True, effort=MaintenanceLimits()), MemoryStore()
    for each in (store, reference):
        fill(each)
    write = array_file.write

    def write_slowly(*args: object) -> int:
        other = SqliteStore.open(tmp_path / "index.db")
        for each in (other, reference):
            each.drop(["0001.md"])
            each.put_vectors("space", {key(2): vectors(1, seed=12)[0]})
        other.close()
        return write(*args)  # type: ignore[arg-type]

    store.close()
    store = SqliteStore.open(tmp_path / "index.db", effort=SOON)
    store.optimize()  # words first, so that the next file is one of vectors
    store.put_vectors("space", {key(n): row for n, row in enumerate(vectors(15, seed=13))})
    reference.put_vectors("space", {key(n): row for n, row in enumerate(vectors(15, seed=13))})
    monkeypatch.setattr(array_file, "write", write_slowly)
    store.optimize()
    monkeypatch.undo()
    agree(store, reference, limit=200)
    store.close()


def test_a_file_lost_while_another_is_written_hides_nothing(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for store in pair:
        store.put_vectors("space", {key(n): row for n, row in enumerate(vectors(15, seed=13))})
    write = array_file.write

    def write_slowly(*args: object) -> int:
        for file in files(tmp_path):
            file.unlink()
        other = SqliteStore.open(tmp_path / "index.db", effort=MaintenanceLimits())
        agree(other, pair[1])  # finds the loss and takes the space off its files
        other.close()
        return write(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(array_file, "write", write_slowly)
    pair[0].optimize()
    monkeypatch.undo()
    agree(*pair, limit=200)
    pair[0].optimize()
    agree(*pair, limit=200)
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("harm", ["lost", "cut", "empty"])
def test_a_lost_or_broken_file_heals(pair: tuple[SqliteStore, MemoryStore], tmp_path: Path, harm: str) -> None:
    pair[0].close()
    (file,) = files(tmp_path)
    if harm == "lost":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[: 1000 if harm == "cut" else 0])
    store = SqliteStore.open(tmp_path / "index.db", effort=SOON)
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
    store = SqliteStore.open(tmp_path / "index.db", effort=SOON)
    agree(store, pair[1])
    expected = pair[1].rank_lexical(words("text"), 20, Filters(), Bm25())
    assert store.rank_lexical(words("text"), 20, Filters(), Bm25()) == expected
    store.close()


def test_a_filter_that_lets_one_in_a_thousand_through_loses_nothing(tmp_path: Path) -> None:
    store, reference = SqliteStore.open(tmp_path / "index.db", create=True, effort=SOON), MemoryStore()
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


def test_a_first_look_at_signs_finds_what_is_near(tmp_path: Path) -> None:
    rows = vectors(60_000, 128)
    numbers = np.arange(len(rows))
    made, facts = arrays(Part(numbers.astype(np.uint32), numbers.astype(np.uint64), rows), with_signs=True)
    array_file.write(tmp_path / "file", made, facts)
    part = opened(Container(tmp_path / "file"))
    found = 0
    questions = vectors(40, 128, seed=5)
    for question in questions:
        likely = part.likely(question, None, 50)
        assert likely is not None
        assert len(likely) < 0.1 * len(rows)
        found += len({*np.argsort(-(rows @ question))[:50].tolist()} & {*likely.tolist()})
    assert found >= 0.99 * 50 * len(questions)


def test_what_is_near_but_barred_does_not_hide_what_is_not() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((3000, 64)).astype(np.float32)
    matrix[:200] = matrix[0] + 0.05 * rng.standard_normal((200, 64)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    turn = rotation(64)
    part = Part(np.arange(3000, dtype=np.uint32), np.arange(3000, dtype=np.uint64), matrix, turn, signs(matrix, turn))
    barring = np.zeros(3000, dtype=np.bool_)
    barring[:200] = True
    rows, scores = part.near(matrix[0], barring, 1)
    assert not barring[rows].any()
    expected = np.argmax(np.where(barring, -2.0, matrix @ matrix[0]))
    assert rows[np.argmax(scores)] == expected


def test_counting_signs_that_differ_gives_products_of_levels() -> None:
    """A level of a vector is 2s + t, one of a question 4s + 2t + u, of signs that are 1 or -1."""
    dimension = 100
    matrix, question = vectors(20, dimension), vectors(1, dimension, seed=2)[0]
    turn = rotation(dimension)
    spread = dimension**0.5
    rows = np.clip(2 * np.floor(matrix @ turn.T * spread / 0.9957) + 1, -3, 3)
    other = np.clip(2 * np.floor(turn @ question * spread / 0.5860) + 1, -7, 7)
    first, second = signs(matrix, turn)
    counts = [[differing(words, each) for each in asked(question, turn)] for words in (first, second.T)]
    away = sum(
        (2 - row) * 2 ** (2 - column) * counts[row][column].astype(np.int64) for row in (0, 1) for column in (0, 1, 2)
    )
    assert (3 * 7 * dimension - 2 * away).tolist() == (rows @ other).astype(int).tolist()


def test_the_lowest_counts_are_found_with_all_ties() -> None:
    counts = np.array([5, 3, 9, 3, 7, 5, 65535], dtype=np.uint16)
    assert [fewest(counts, wanted).tolist() for wanted in (0, 1, 3, 5, 7)] == [
        [],
        [1, 3],
        [0, 1, 3, 5],
        [0, 1, 3, 4, 5],
        [0, 1, 2, 3, 4, 5, 6],
    ]


def test_a_file_with_signs_of_an_earlier_form_answers_and_is_written_anew(
    pair: tuple[SqliteStore, MemoryStore], tmp_path: Path
) -> None:
    store, reference = pair
    store.close()
    (path,) = files(tmp_path)
    old = Container(path)
    kinds = {"chunks": "I", "numbers": "Q", "vectors": "f", "turn": "f", "first signs": "Q"}
    kept = {name.removeprefix("first "): (kind, np.array(old.numbers(name))) for name, kind in kinds.items()}
    array_file.write(path, kept, old.facts)
    with_old = SqliteStore.open(tmp_path / "index.db", effort=SOON)
    agree(with_old, reference)
    assert files(tmp_path) == [path]
    assert not with_old.check().findings
    with_old.optimize()
    assert path not in files(tmp_path)
    assert "second signs" in Container(*files(tmp_path))
    agree(with_old, reference)
    assert with_old.repaired_files() == ()
    with_old.close()


def test_a_store_of_a_removed_index_leaves_the_files_of_the_next_one_alone(tmp_path: Path) -> None:
    file, entries = tmp_path / "index.db", [entry(f"docs/{n}.md", f"text number {n}") for n in range(40)]
    old = SqliteStore.open(file, create=True, effort=SOON)
    old.put(entries)
    old.optimize()
    for each in sorted(tmp_path.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    new = SqliteStore.open(file, create=True, effort=SOON)
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
