"""Power loss on a disk that writes in any order: unsynced writes are kept, lost or torn.

Every write and sync of the index file and its log is recorded while an index is brought up to date; then the disk is
put together as it may have looked at some moment, and must be a sound index.
"""

from __future__ import annotations

import os
import shutil
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import pytest
from support.index_process import LIMITS, bring_up_to_date
from support.random_tree import LONG, change, contents, dice, fresh_contents

from waymeet.stores.segments import array_file
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.check import STRAY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

RUNS = 20 if LONG else 1
POINTS = 30 if LONG else 10
_SECTOR = 512
_PAGES = 30


class Event(NamedTuple):
    """Something that was done to a file: written, cut to a length, synced, made (whole and synced), or removed."""

    what: str
    path: str
    at: int = 0
    data: bytes = b""


class _File(apsw.VFSFile):
    """A file that writes down what is done to it."""

    def __init__(self, below: str, name: Any, flags: list[int]) -> None:
        self._name = name if isinstance(name, str) else name.filename()
        super().__init__(below, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        super().xWrite(data, offset)
        Recording.events.append(Event("write", self._name, offset, bytes(data)))

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        super().xSync(flags)
        Recording.events.append(Event("sync", self._name))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        super().xTruncate(newsize)
        Recording.events.append(Event("cut", self._name, newsize))


class Recording(apsw.VFS):
    """A file system that writes down what is done to its files."""

    events: list[Event] = []  # noqa: RUF012 - there is one at a time

    def __init__(self, below: str) -> None:
        self._below = below
        super().__init__("recording", below, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802 - SQLite's name
        return _File(self._below, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - SQLite's name
        super().xDelete(filename, syncdir)
        Recording.events.append(Event("remove", filename))


@contextmanager
def recording() -> Iterator[list[Event]]:
    """Record the changes of files, those of segments as one event: they are synced, then renamed."""
    vfs = Recording(apsw.vfs_names()[0])
    Recording.events = []
    write, unlink = array_file.write_arrays, Path.unlink

    def write_and_record(path: Path, *args: Any) -> int:
        size = write(path, *args)
        Recording.events.append(Event("make", str(path), data=path.read_bytes()))
        return size

    def unlink_and_record(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok)
        Recording.events.append(Event("remove", str(path)))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(array_file, "write_arrays", write_and_record)
        patched.setattr(Path, "unlink", unlink_and_record)
        patched.setattr(apsw, "connection_hooks", [*apsw.connection_hooks, often])
        yield Recording.events
    vfs.unregister()


def often(connection: apsw.Connection) -> None:
    """Checkpoint often, so that there are moments at which one is half done."""
    connection.wal_autocheckpoint(_PAGES)


def crashed(events: list[Event], moment: int, rng: Random, place: Path, where: Path) -> None:
    """Apply the events up to a moment to a copy of the files, as a disk may have done."""
    synced = {event.path: number for number, event in enumerate(events[:moment]) if event.what == "sync"}
    for number, (what, path, at, data) in enumerate(events[:moment]):
        target = place / Path(path).relative_to(where)
        if what == "make":
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data)
        elif number < synced.get(path, -1) or rng.random() < 0.6:
            _apply(what, target, at, data if number < synced.get(path, -1) else _torn(data, rng))


def _torn(data: bytes, rng: Random) -> bytes:
    """Cut what is written after some sectors, now and then."""
    return data[: rng.randrange(0, len(data) + 1, _SECTOR)] if rng.random() < 0.3 else data


def _apply(what: str, target: Path, at: int, data: bytes) -> None:
    if what == "remove":
        os.unlink(target) if target.exists() else None  # noqa: PTH108 - that of Path is recorded
        return
    if what == "sync":
        return
    with open(target, "r+b" if target.exists() else "w+b") as file:  # noqa: PTH123 - likewise
        if what == "cut":
            file.truncate(at)
        else:
            file.seek(at)
            file.write(data)


def test_a_disk_that_writes_in_any_order(tmp_path: Path) -> None:
    rng = dice("torn")
    root, where, before, after = (tmp_path / name for name in ("root", "index", "before", "after"))
    differing = 0
    for _ in range(RUNS):
        change(root, rng, 40)
        with closing(SqliteStore.open(where / "index.db", create=True, limits=LIMITS)) as store:
            bring_up_to_date(root, store)
        shutil.rmtree(before, ignore_errors=True)
        shutil.copytree(where, before)
        change(root, rng, 40)
        with recording() as events, closing(SqliteStore.open(where / "index.db", limits=LIMITS)) as store:
            bring_up_to_date(root, store)
        now = fresh_contents(root)
        for _ in range(POINTS):
            shutil.rmtree(after, ignore_errors=True)
            shutil.copytree(before, after)
            crashed(events, rng.randrange(len(events) + 1), rng, after, where)
            differing += (after / "index.db").read_bytes() != (before / "index.db").read_bytes()
            with closing(SqliteStore.open(after / "index.db", limits=LIMITS)) as store:
                contents(store)
                assert {each.what for each in store.check().findings} <= {STRAY}
                bring_up_to_date(root, store)
                assert contents(store) == now
                assert not store.check().findings
    assert differing
