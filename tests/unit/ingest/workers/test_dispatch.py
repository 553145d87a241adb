"""Parsing in worker processes: the same outcomes in the same order, also after a crash."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from waymeet.ingest.index import index
from waymeet.ingest.workers import dispatch
from waymeet.ingest.workers.dispatch import run_tasks
from waymeet.ingest.workers.supervisor import Supervisor
from waymeet.ingest.workers.task import ParseRules, Task, run_task
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore

pytestmark = pytest.mark.slow

PAGES = 120


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder whose files are worth a worker, with some that are rejected."""
    monkeypatch.setattr(dispatch, "MIN_PARALLEL_FILES", 2)
    monkeypatch.setattr(dispatch, "_cores", lambda: 3)
    folder = tmp_path / "root"
    folder.mkdir()
    for number in range(PAGES):
        links = f"[[page{number + 1}]]"
        (folder / f"page{number}.md").write_text(f"# Page {number}\n\nWord{number} and ü 検索, see {links}.\n")
    (folder / "binary.md").write_bytes(bytes(range(256)) * 20)
    return folder


def tasks(root: Path) -> list[Task]:
    return [*(Task(path.name) for path in sorted(root.iterdir())), Task("gone.md")]


def rules(root: Path) -> ParseRules:
    return ParseRules(str(root), 2_000_000, Settings().chunking)


def children() -> set[int]:
    """Return the child processes of this one."""
    processes = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
            if parent == os.getpid():
                processes.add(int(status.parent.name))
    return processes


def test_outcomes_are_those_of_one_process_in_the_same_order(root: Path) -> None:
    all_tasks = tasks(root)
    assert list(run_tasks(all_tasks, rules(root))) == [run_task(task, rules(root)) for task in all_tasks]


def test_an_index_is_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many, one = MemoryStore(), MemoryStore()
    report = index(root, many, Settings())
    monkeypatch.setattr(dispatch, "MIN_PARALLEL_FILES", 10**9)
    assert index(root, one, Settings()).skipped == report.skipped
    ids = sorted(one.fingerprints())
    assert many.fingerprints() == one.fingerprints()
    assert many.chunks_of(ids) == one.chunks_of(ids)
    files = PAGES + 1  # the binary file by its path
    assert (report.added, index(root, many, Settings()).unchanged) == (files, files)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_worker_may_die(root: Path) -> None:
    before, all_tasks = children(), tasks(root)
    outcomes = []
    for number, outcome in enumerate(run_tasks(all_tasks, rules(root))):
        if number == 20:
            for child in children() - before:
                os.kill(child, signal.SIGKILL)
        outcomes.append(outcome)
    assert outcomes == [run_task(task, rules(root)) for task in all_tasks]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_no_process_is_left_behind(root: Path) -> None:
    before = children()

    def interrupted(done: int, *_: object) -> None:
        if done == 10:
            assert children() - before
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index(root, MemoryStore(), Settings(), interrupted)
    assert children() == before


def test_without_workers_the_work_is_done_here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert len(list(run_tasks(tasks(root), rules(root)))) == PAGES + 2
    monkeypatch.setattr(sys, "executable", "")
    assert len(list(run_tasks(tasks(root), rules(root)))) == PAGES + 2


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_a_name_with_half_a_character(root: Path) -> None:
    name = os.fsdecode(b"half\xff.md")
    (root / name).write_text("# Half\n")
    outcomes = {outcome.path: outcome for outcome in run_tasks(tasks(root), rules(root))}
    assert outcomes[name].built is not None or outcomes[name].reason


def test_a_module_in_the_folder_is_not_imported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "msgspec.py").write_text("import os; os._exit(7)\n")
    monkeypatch.chdir(root)
    worker = Supervisor(rules(root))
    worker.submit([Task("page1.md")])
    assert worker.collect().built is not None
    assert worker._process is not None
    worker.end()
