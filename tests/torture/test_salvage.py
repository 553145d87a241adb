"""Flipped bits in the tables: readable documents are saved, others are indexed again."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from support.index_process import LIMITS, bring_up_to_date
from support.random_tree import LONG, contents, dice, fresh_contents, write

from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.repair import check_index
from waymeet.stores.sqlite.database.connection import connect

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

ROUNDS = 600 if LONG else 40
AGAIN = 3
"""One in so many is indexed again, which takes longer than saving."""
_PAGE = 4096
_OWNERS = {
    "documents": "id",
    "document_terms": "document",
    "chunks": "document",
    "edges": "source",
    "link_texts": "id >> 32",
    "link_keys": "source",
    "names": "document",
}
"""Tables of which a document is made, and how each names it."""


class Index(NamedTuple):
    """An index to be damaged in copies."""

    root: Path
    whole: Path
    file: Path
    rows: dict[str, set[tuple[Any, ...]]]
    contents: dict[str, Any]


def rows(file: Path) -> dict[str, set[tuple[Any, ...]]]:
    """Read everything that is not derived, each row with its document first where it has one."""
    with closing(connect(file, 5.0)) as connection:
        found = {
            table: set(connection.execute(f"SELECT {owner}, * FROM {table}"))  # noqa: S608 - constants
            for table, owner in _OWNERS.items()
            if table != "edges"
        }
        columns = "source, ordinal, k.name, terms"
        found["edges"] = set(connection.execute(f"SELECT {columns} FROM edges JOIN edge_kinds k ON k.id = kind"))  # noqa: S608 - a constant
        texts = "SELECT c.document, t.* FROM texts t JOIN chunks c ON c.id = t.chunk"
        found["texts"] = set(connection.execute(texts))
        found["vectors"] = set(connection.execute("SELECT * FROM vectors"))
        found["metadata"] = set(connection.execute("SELECT * FROM metadata"))
        return found


@pytest.fixture
def index(tmp_path: Path) -> Index:
    root, whole, rng = tmp_path / "root", tmp_path / "whole", dice("saved")
    for number in range(60):
        write(root, rng, number)
    whole.mkdir()
    with closing(SqliteStore.open(whole / "index.db", create=True, limits=LIMITS)) as store:
        bring_up_to_date(root, store)
    return Index(root, whole, tmp_path / "copy" / "index.db", rows(whole / "index.db"), fresh_contents(root))


def hurt(index: Index, rng: Random, flips: int, start: int = 0) -> None:
    """Flip bits in a new copy."""
    shutil.rmtree(index.file.parent, ignore_errors=True)
    shutil.copytree(index.whole, index.file.parent)
    content = bytearray(index.file.read_bytes())
    for _ in range(flips):
        content[rng.randrange(start, len(content))] ^= 1 << rng.randrange(8)
    index.file.write_bytes(content)


def compare(index: Index) -> int:
    """Compare the saved rows with the original ones, and count the lost documents."""
    now = rows(index.file)
    kept = {number for number, *_ in now["documents"]}
    for table in (*_OWNERS, "texts"):
        assert now[table] == {row for row in index.rows[table] if row[0] in kept}, table
    assert now["vectors"] <= index.rows["vectors"]
    assert now["metadata"] <= index.rows["metadata"]
    return len(index.rows["documents"]) - len(kept)


@pytest.mark.parametrize("part", range(2))
def test_what_can_be_read_is_saved(index: Index, part: int) -> None:
    rng = dice(f"salvage {part}")
    outcomes: Counter[str] = Counter()
    for number in range(ROUNDS // 2):
        hurt(index, rng, rng.choice((1, 1, 1, 2, 8)), start=_PAGE)
        verdict = check_index(index.file, repair=True)
        assert verdict.findings
        assert not verdict.damaged, verdict
        assert not check_index(index.file, repair=False).findings
        message = verdict.findings[-1].what
        if "replaced by an empty index" in message:
            outcomes["given up"] += 1
        else:
            lost = compare(index)
            gone, of = (int(number) for number in message.split(" documents")[0].split(" of "))
            assert of - gone == len(index.rows["documents"]) - lost, message
            assert gone <= lost, message  # all that could be counted
            assert verdict.run_index or not lost
            outcomes["saved all" if not lost else "saved some"] += 1
        if number % AGAIN == 0:
            with closing(SqliteStore.open(index.file, limits=LIMITS)) as store:
                bring_up_to_date(index.root, store)
                assert contents(store) == index.contents
                assert not store.check().findings
    assert outcomes["saved all"]
    assert outcomes["saved some"]
    assert outcomes["given up"] < ROUNDS // 8, outcomes


def test_vectors_are_not_made_again(index: Index) -> None:
    hurt(index, dice("vectors"), 0)
    with closing(connect(index.file, 5.0)) as connection:
        # The page of a secondary index: all it says can be worked out.
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'edges_by_target'").get
    content = bytearray(index.file.read_bytes())
    content[(page - 1) * _PAGE + 200] ^= 4
    index.file.write_bytes(content)
    verdict = check_index(index.file, repair=True)
    assert verdict.findings[-1].what.startswith(f"0 of {len(index.rows['documents'])} documents could not be saved")
    assert not verdict.run_index
    assert rows(index.file) == index.rows
    assert {path.name for path in index.file.parent.glob("*.damaged-*")} == {"index.db.damaged-1"}


def test_a_damaged_layout_is_put_aside(index: Index) -> None:
    hurt(index, dice("layout"), 0)
    content = bytearray(index.file.read_bytes())
    content[_PAGE // 2] ^= 1
    index.file.write_bytes(content)
    verdict = check_index(index.file, repair=True)
    assert verdict.findings[-1].what == "moved to index.db.damaged-1 and replaced by an empty index"
    assert not verdict.damaged
    with closing(SqliteStore.open(index.file, limits=LIMITS)) as store:
        bring_up_to_date(index.root, store)
        assert contents(store) == index.contents
