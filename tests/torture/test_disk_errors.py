"""Full and failing disks: one clear line, the old generation is served, and work resumes."""

from __future__ import annotations

import errno
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from support.index_process import LIMITS, bring_up_to_date
from support.random_tree import LONG, change, contents, dice, fresh_contents

from waymeet.errors import IndexUnavailableError, WaymeetError
from waymeet.stores.segments import array_file
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.check import STRAY
from waymeet.stores.sqlite.database.connection import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[None]:
    """Mount a file system of some size, where that is allowed."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("THERE IS NO mount HERE: a full disk is not tested")
    if mounted.returncode:
        pytest.skip(f"MOUNTING IS NOT ALLOWED HERE: a full disk is not tested ({mounted.stderr.strip()})")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def waymeet(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "waymeet", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_full_disk(tmp_path: Path) -> None:
    root, disk = tmp_path / "root", tmp_path / "disk"
    rng = dice("disk")
    change(root, rng, 30)
    with small_disk(disk, "1m"):
        where = ("-C", root, "--index", disk / "index.db")
        assert waymeet("index", *where).returncode == 0
        for number in range(60):
            words = " ".join(f"word{rng.randrange(10**6)}" for _ in range(900))
            (root / f"large{number}.md").write_text(f"# Large\n\n{words}\n")
        for _ in range(2):
            full = waymeet("index", *where)
            assert full.returncode == 3, full
            assert "no space left" in full.stderr
            assert "Traceback" not in full.stderr
            assert len(full.stderr.strip().splitlines()) == 2  # the cause, and what to do
            found = waymeet("search", "merge segment", "--no-refresh", *where)
            assert found.returncode == 0, found
            assert "folder" in found.stdout
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        assert waymeet("index", *where).returncode == 0
        checked = waymeet("check", *where)
        assert checked.returncode == 0, checked
        with closing(SqliteStore.open(disk / "index.db")) as store:
            bring_up_to_date(root, store)
            assert contents(store) == fresh_contents(root)


class _File(apsw.VFSFile):
    """A file that fails at the n-th call."""

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        Failing.count()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        Failing.count()
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        Failing.count()
        super().xTruncate(newsize)


class Failing(apsw.VFS):
    """A file system whose n-th write fails."""

    left = 10**9
    error: type[apsw.Error] = apsw.IOError

    def __init__(self) -> None:
        self.name = "failing"
        self.base = apsw.vfs_names()[0]
        super().__init__(self.name, self.base, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802 - SQLite's name
        return _File(self.base, name, flags)

    @classmethod
    def count(cls) -> None:
        cls.left -= 1
        if cls.left == 0:
            raise cls.error("the disk fails")


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[type[Failing]]:
    connect(tmp_path / "any", 1.0, create=True).close()  # checksums come below, as in earnest
    vfs = Failing()
    yield Failing
    Failing.left = 10**9
    vfs.unregister()


def _fails(root: Path, file: Path) -> bool:
    """Index, and return whether it failed with one of our errors."""
    try:
        with closing(SqliteStore.open(file, limits=LIMITS)) as store:
            bring_up_to_date(root, store)
    except IndexUnavailableError as error:
        return "\n" not in error.message
    return False


@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError])
def test_every_write_may_fail(tmp_path: Path, failing: type[Failing], error: type[apsw.Error]) -> None:
    rng = dice("vfs")
    root, file = tmp_path / "root", tmp_path / "index.db"
    change(root, rng, 30)
    with closing(SqliteStore.open(file, create=True, limits=LIMITS)) as store:
        bring_up_to_date(root, store)
    failed = 0
    failing.error = error
    for _ in range(300 if LONG else 30):
        change(root, rng, 8)
        with closing(SqliteStore.open(file, limits=LIMITS)) as reader, reader.snapshot():
            before = contents(reader)
            failing.left = rng.randrange(1, 120)
            failed += _fails(root, file)
            failing.left = 10**9
            assert contents(reader) == before
        with closing(SqliteStore.open(file, limits=LIMITS)) as store:
            assert {each.what for each in store.check().findings} <= {STRAY}
            bring_up_to_date(root, store)
            assert contents(store) == fresh_contents(root)
    assert failed > 10


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_segment_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    root, file = tmp_path / "root", tmp_path / "index.db"
    change(root, dice("segment"), 30)

    def fails(*_: object, **__: object) -> int:
        raise OSError(number, "the disk fails", "some.segment")

    with closing(SqliteStore.open(file, create=True, limits=LIMITS)) as store:
        with monkeypatch.context() as patched:
            patched.setattr(array_file, "write_arrays", fails)
            with pytest.raises(WaymeetError, match=r"no space left|the disk fails"):
                bring_up_to_date(root, store)
        assert store.counts().documents > 0
        bring_up_to_date(root, store)
        assert contents(store) == fresh_contents(root)
        assert not store.check().findings
