"""Disk use is bounded for any number of runs and any duration of a snapshot."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING

from support.index_process import LIMITS, bring_up_to_date
from support.random_tree import LONG, contents, dice, fresh_contents, write

from waymeet.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 500 if LONG else 12
PAGES = 60
CHANGED = 12
WAL = 64 << 20
GROWN = 1.5


def size(file: Path, *, log: bool = True) -> int:
    """Add up the index file and what is derived from it, with or without its log."""
    derived = sum(path.stat().st_size for path in file.with_name(f"{file.name}.segments").iterdir())
    wal = file.with_name(f"{file.name}-wal")
    return file.stat().st_size + derived + (wal.stat().st_size if log and wal.exists() else 0)


def test_many_runs_beside_a_reader_that_stays(tmp_path: Path) -> None:
    rng = dice("bounded")
    root, file = tmp_path / "root", tmp_path / "index.db"
    for number in range(PAGES):
        write(root, rng, number)
    with closing(SqliteStore.open(file, create=True, limits=LIMITS)) as store:
        bring_up_to_date(root, store)
        before = contents(store)
        with closing(SqliteStore.open(file, limits=LIMITS)) as reader:
            with reader.snapshot():
                assert contents(reader) == before
                for _ in range(ROUNDS):
                    for number in rng.sample(range(PAGES), CHANGED):
                        write(root, rng, number)
                    bring_up_to_date(root, store)
                assert contents(reader) == before
            # The reader has ended: the following runs release what it pinned.
            for _ in range(3):
                write(root, rng, 0)
                bring_up_to_date(root, store)
        wal = file.with_name(f"{file.name}-wal")
        assert wal.stat().st_size <= WAL
        assert contents(store) == fresh_contents(root)
        assert not store.check().findings
    anew = tmp_path / "anew" / "index.db"
    with closing(SqliteStore.open(anew, create=True, limits=LIMITS)) as store:
        bring_up_to_date(root, store)
    assert not wal.exists()  # the last to leave puts everything into the file
    assert size(file) <= GROWN * size(anew), (size(file), size(anew))
    shutil.rmtree(anew.parent)


def test_many_runs_leave_no_files_behind(tmp_path: Path) -> None:
    rng = dice("files")
    root, file = tmp_path / "root", tmp_path / "index.db"
    most = 0
    for _ in range(ROUNDS):
        for number in rng.sample(range(PAGES), CHANGED):
            write(root, rng, number)
        with closing(SqliteStore.open(file, create=True, limits=LIMITS)) as store:
            bring_up_to_date(root, store)
        most = max(most, sum(1 for _ in file.with_name("index.db.segments").iterdir()))
    assert most < 30  # a few for words, for vectors and for links, for any number of runs
