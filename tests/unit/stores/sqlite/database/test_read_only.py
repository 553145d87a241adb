"""Index files that can be read but not written, with and without a write-ahead log."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from conformance.make import entry

from waymeet.errors import IndexUnavailableError
from waymeet.stores.sqlite import SqliteStore


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Make an index in a folder of its own."""
    path = tmp_path / "kept" / "index.db"
    with closing(SqliteStore.open(path, create=True)) as store:
        store.put([entry("a.md", "first")])
    return path


class Permissions:
    """Whether files can be written."""

    writable = True


@pytest.fixture
def permissions(monkeypatch: pytest.MonkeyPatch) -> Permissions:
    """Let a test say when nothing can be written: the superuser, who may run it, always can."""
    given, access = Permissions(), os.access
    monkeypatch.setattr(os, "access", lambda path, mode: access(path, mode) and given.writable)
    return given


def files(index: Path) -> dict[str, tuple[int, int]]:
    """Give size and time of all files beside an index."""
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in index.parent.iterdir()}


def leave_log(index: Path, *, with_shared_memory: bool) -> None:
    """Add a document that is in the write-ahead log only, as a power failure would leave it."""
    copy = index.with_name("copy")
    with closing(SqliteStore.open(index)) as store:
        store.put([entry("b.md", "second")])
        for suffix in ("", "-wal", "-shm"):
            shutil.copy(f"{index}{suffix}", f"{copy}{suffix}")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{copy}{suffix}").replace(f"{index}{suffix}")
    if not with_shared_memory:
        Path(f"{index}-shm").unlink()


def documents(index: Path) -> int:
    with closing(SqliteStore.open(index)) as store:
        return store.counts().documents


def test_it_is_read_without_a_log(index: Path, permissions: Permissions) -> None:
    permissions.writable = False
    before = files(index)
    assert documents(index) == 1
    assert files(index) == before


@pytest.mark.parametrize("with_shared_memory", [False, True])
def test_its_log_is_read_too(index: Path, permissions: Permissions, with_shared_memory: bool) -> None:
    leave_log(index, with_shared_memory=with_shared_memory)
    permissions.writable = False
    before = files(index)
    assert documents(index) == 2
    assert {name: size for name, (size, _) in files(index).items()} == {
        name: size for name, (size, _) in before.items()
    }


def test_a_change_is_refused_with_its_cause(index: Path, permissions: Permissions) -> None:
    permissions.writable = False
    with (
        closing(SqliteStore.open(index)) as store,
        pytest.raises(IndexUnavailableError, match="can be read, but not written") as caught,
    ):
        store.put([entry("b.md", "second")])
    assert "--index" in caught.value.hint
    with closing(SqliteStore.open(index)) as store:
        assert not store.check().findings
        with pytest.raises(IndexUnavailableError, match="can be read, but not written"):
            store.check(repair=True)


def test_what_another_user_writes_is_seen(index: Path, permissions: Permissions) -> None:
    permissions.writable = False
    with closing(SqliteStore.open(index)) as reader:
        assert reader.counts().documents == 1
        permissions.writable = True
        with closing(SqliteStore.open(index)) as writer:
            writer.put([entry("b.md", "second")])
            permissions.writable = False
            assert reader.counts().documents == 2, "the writer has the file open"
        assert reader.counts().documents == 2, "and has closed it"


def test_an_older_format_is_not_emptied(index: Path, permissions: Permissions) -> None:
    with closing(apsw.Connection(str(index))) as opened:
        opened.execute("PRAGMA user_version = 1")
    permissions.writable = False
    with pytest.raises(IndexUnavailableError, match="earlier version"):
        SqliteStore.open(index)
