"""Searches that need not compare all files with the index, and never miss a change."""

import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from types import SimpleNamespace

import pytest

from waymeet import Project
from waymeet.ingest.discover import file_states, file_systems, folder_events
from waymeet.ingest.discover.changes import find_changes
from waymeet.ingest.discover.file_systems import file_system, is_local
from waymeet.project import freshness, unchanged

Change = Callable[[Path], object]


class Compared:
    """A project with the number of comparisons of its files with the index."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, *, is_cold: bool = False) -> None:
        self.project = Project.open(root)
        self.project.index()
        self.number = 0
        self._is_cold = is_cold
        original = freshness.find_quick_changes

        def count(*args: object) -> object:
            self.number += 1
            return original(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(freshness, "find_quick_changes", count)

    def search(self, query: str = "keys") -> list[str]:
        """Name the files that a query finds."""
        if self._is_cold:
            self.project.close()
            self.project = Project.open(self.project.root)
        return [hit.document for hit in self.project.search(query).hits]

    def settle(self) -> int:
        """Search until files are not compared any more, and return the number of comparisons."""
        while True:
            before = self.number
            self.search(), self.search(), self.search()
            if self.number == before:
                return before
            sleep(0.06)  # files that were written just before a comparison are compared again

    def differs(self) -> bool:
        """Return whether files and index differ."""
        store, settings = self.project.refreshed_store(refresh=False)[0], self.project.index_settings
        changes = find_changes(self.project.root, store, settings, lambda: False)
        return changes is None or changes.number > 0


@pytest.fixture(params=["watched", "recorded", "cold"])
def compared(project: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Compared]:
    """Search a project so often that a search need not compare its files.

    Its folders are watched, or the state of its files is recorded, with or without a new process for each search.
    """
    if sys.platform != "linux" or not is_local(str(project)):
        pytest.skip(f"changes of {file_system(str(project)) or sys.platform} may go unreported")
    if request.param == "watched":
        monkeypatch.setattr(file_states, "read_states", lambda _: None)
    else:
        monkeypatch.setattr(folder_events, "open_folder_events", lambda _: None)
    (project / ".git/info").mkdir(parents=True)
    compared = Compared(project, monkeypatch, is_cold=request.param == "cold")
    compared.settle()
    yield compared
    compared.project.close()


def _count_checks(monkeypatch: pytest.MonkeyPatch) -> list[file_states.FileStates]:
    """List the records by which files were looked at, from now on."""
    checks, original = list[file_states.FileStates](), file_states.FileStates.are_unchanged

    def check(states: file_states.FileStates) -> bool:
        checks.append(states)
        return original(states)

    monkeypatch.setattr(file_states.FileStates, "are_unchanged", check)
    return checks


def _write(path: str, text: str) -> Change:
    def write(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")

    return write


def _rewrite_with_the_same_size_and_time(root: Path) -> None:
    path = root / "docs/setup.md"
    state = path.stat()
    path.write_bytes(path.read_bytes().replace(b"keys", b"lock"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def _replace_folder(root: Path) -> None:
    (root / "docs").rename(root.parent / "away")
    (root / "docs").mkdir()
    (root / "docs/other.md").write_text("# Other keys\n", encoding="utf-8")


def _replace_root(root: Path) -> None:
    shutil.copytree(root, root.parent / "copy")
    root.rename(root.parent / "away")
    (root.parent / "copy").rename(root)
    (root / "docs/setup.md").write_text("# Setup\n", encoding="utf-8")


CHANGES: dict[str, Change] = {
    "a new file": _write("new.md", "# New keys\n"),
    "a file in a new folder": _write("a/b/c/new.md", "# New keys\n"),
    "a changed file": _write("docs/setup.md", "# Setup\n\nNothing to rotate.\n"),
    "the same size and time": _rewrite_with_the_same_size_and_time,
    "a removed file": lambda root: (root / "docs/setup.md").unlink(),
    "a renamed file": lambda root: (root / "docs/setup.md").rename(root / "docs/moved.md"),
    "a renamed folder": lambda root: (root / "docs").rename(root / "texts"),
    "a removed folder": lambda root: shutil.rmtree(root / "docs"),
    "a replaced folder": _replace_folder,
    "a replaced root": _replace_root,
    "ignored from now on": _write(".gitignore", "setup.md\n"),
    "ignored in the git folder": _write(".git/info/exclude", "setup.md\n"),
    "ignored by the user": lambda root: _write("config/git/ignore", "setup.md\n")(root.parent),
    "a shorter file": lambda root: os.truncate(root / "docs/setup.md", 8),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_next_search_sees_every_change(compared: Compared, name: str) -> None:
    before, number = compared.search(), compared.number
    CHANGES[name](compared.project.root)
    after = compared.search()
    assert after != before
    assert not compared.differs()
    assert compared.number == number + 1


def test_the_next_search_sees_any_sequence_of_changes(compared: Compared) -> None:
    chance, root = random.Random(7), compared.project.root  # noqa: S311 - repeatable, not secret
    for number in range(40):
        folder = root / chance.choice(["", "docs", "docs/deep", "docs/deep/deeper", "x/y"])
        files = [path for path in root.rglob("*.md") if path.is_file()]
        match chance.randrange(5):
            case 0 if len(files) > 4:
                chance.choice(files).unlink()
            case 1 if files:
                folder.mkdir(parents=True, exist_ok=True)
                chance.choice(files).replace(folder / f"moved{number}.md")
            case 2 if files:
                chance.choice(files).write_text(f"# Changed {number}\n", encoding="utf-8")
            case 3:
                pass
            case _:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"page{number}.md").write_text(f"# Page {number}\n", encoding="utf-8")
        compared.search()
        assert not compared.differs(), number


def test_a_write_during_the_comparison_is_seen_later(compared: Compared, monkeypatch: pytest.MonkeyPatch) -> None:
    original = os.scandir
    page = compared.project.root / "docs/setup.md"

    def write_first(path: str) -> object:
        if path.endswith("/src/"):  # after docs/ was listed
            page.write_text("# Setup\n\nWritten meanwhile, without them.\n", encoding="utf-8")
        return original(path)

    (compared.project.root / "new.md").write_text("# New keys\n", encoding="utf-8")
    with monkeypatch.context() as context:
        context.setattr(os, "scandir", write_first)
        compared.search()
    assert "docs/setup.md" not in compared.search()
    assert not compared.differs()


def test_a_change_by_another_process_counts(compared: Compared) -> None:
    code = "import sys; open(sys.argv[1], 'w').write('# Written elsewhere: keys')"
    subprocess.run([sys.executable, "-c", code, str(compared.project.root / "else.md")], check=True)
    assert "else.md" in compared.search()


def test_an_extra_root_counts(compared: Compared) -> None:
    extra = compared.project.root.parent / "extra"
    extra.mkdir()
    (extra / "one.md").write_text("# One\n", encoding="utf-8")
    compared.project.add_root("extra", extra)
    compared.settle()
    assert "extra:/two.md" not in compared.search()
    (extra / "two.md").write_text("# Two keys\n", encoding="utf-8")
    assert "extra:/two.md" in compared.search()


def test_an_empty_extra_root_counts(compared: Compared) -> None:
    extra = compared.project.root.parent / "extra"
    extra.mkdir()
    compared.project.add_root("extra", extra)
    for _ in range(3):
        compared.search()
    (extra / "two.md").write_text("# Two keys\n", encoding="utf-8")
    assert "extra:/two.md" in compared.search()


def test_another_indexing_run_ends_the_trust(compared: Compared) -> None:
    number = compared.number
    (compared.project.root / "docs/setup.md").touch()
    with Project.open(compared.project.root) as other:
        other.index()
    assert "docs/setup.md" in compared.search()
    assert compared.number == number + 1


def test_folders_are_watched_for_a_limited_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr("waymeet.project.unchanged.monotonic", lambda: clock.now)
    compared, checks = Compared(project, monkeypatch), _count_checks(monkeypatch)
    number = compared.settle() + len(checks)
    compared.search()
    assert compared.number + len(checks) == number
    clock.now += compared.project.settings.watch.rescan_seconds
    compared.search(), compared.search()
    assert compared.number + len(checks) == number + 1
    compared.project.close()


@pytest.mark.parametrize("obstacle", ["another system", "a network drive"])
def test_elsewhere_each_search_compares(project: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str) -> None:
    if obstacle == "another system":
        monkeypatch.setattr(unchanged, "sys", SimpleNamespace(platform="darwin"))
    else:
        monkeypatch.setattr(file_systems, "is_local", lambda _: False)
    compared = Compared(project, monkeypatch)
    for _ in range(4):
        assert "docs/setup.md" in compared.search()
    assert compared.number == 4
    compared.project.close()


@pytest.mark.parametrize("obstacle", ["watchers", "folders", "own watchers", "own folders"])
def test_with_too_many_watchers_files_are_looked_at(
    project: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    inotify = pytest.importorskip("inotify_simple")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    match obstacle:
        case "watchers":
            monkeypatch.setattr(inotify, "INotify", refuse)
        case "folders":
            monkeypatch.setattr(inotify.INotify, "add_watch", refuse)
        case "own watchers":
            monkeypatch.setattr(folder_events, "_MAX_QUEUES", 0)
        case _:
            monkeypatch.setattr(folder_events, "_max_folders", lambda: 1)
    compared, checks = Compared(project, monkeypatch), _count_checks(monkeypatch)
    compared.settle()
    number = len(checks)
    compared.search(), compared.search()
    assert len(checks) == number + 2
    compared.project.close()


@pytest.mark.parametrize("damage", [b"", b"abc", b"0000" + b"x" * 100])
def test_a_damaged_record_is_replaced(project: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes) -> None:
    compared = Compared(project, monkeypatch, is_cold=True)
    number, index = compared.settle(), compared.project.index_path
    index.with_name(f"{index.name}.files").write_bytes(damage)
    assert "docs/setup.md" in compared.search()
    assert compared.number == number + 1
    compared.search()
    assert compared.number == number + 1
    compared.project.close()


def test_a_record_that_cannot_be_written_is_left_out(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Compared(project, monkeypatch, is_cold=True)
    index = compared.project.index_path
    index.with_name(f"{index.name}.files").mkdir()
    for _ in range(3):
        assert "docs/setup.md" in compared.search()
    assert not list(index.parent.glob("*.new"))
    compared.project.close()


def test_one_search_watches_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Compared(project, monkeypatch)
    monkeypatch.setattr(folder_events, "open_folder_events", lambda _: pytest.fail("watched"))
    compared.search()
    compared.project.close()
