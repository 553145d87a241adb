"""Many processes on one index: nobody fails, nobody sees a mix of generations, nobody sees time run backwards."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest
from support.random_tree import LONG
from support.store_process import write

from waymeet.errors import BusyIndexError
from waymeet.ingest.lock import index_lock
from waymeet.project import Project
from waymeet.project.indexing import index_all
from waymeet.stores.sqlite import SqliteStore

CROWD = [sys.executable, str(Path(__file__).parents[1] / "support" / "store_process.py")]


def started(*args: object) -> subprocess.Popen[str]:
    command = [*CROWD, *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def told(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=1500)
    return out.strip()


def test_eight_readers_and_a_writer(tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    write(str(file), "first", 1)
    readers = [started("read", file) for _ in range(8)]
    writer = started("write", file, "main", 2000 if LONG else 150)
    assert told(writer).startswith("wrote")
    answers = [told(reader) for reader in readers]
    assert all(answer.startswith("read") for answer in answers), answers
    with closing(SqliteStore.open(file)) as store:
        assert not store.check().findings


def test_four_writers_at_once(tmp_path: Path) -> None:
    file, rounds = tmp_path / "index.db", 200 if LONG else 30
    writers = [started("write", file, name, rounds) for name in ("main", "b", "c", "d")]
    assert [told(writer) for writer in writers] == [f"wrote {rounds}"] * 4
    with closing(SqliteStore.open(file)) as store:
        known = store.fingerprints()
        for name in ("main", "b", "c", "d"):
            assert all(f"{name}/kept{n}.md" in known for n in range(1, rounds + 1))
        assert not store.check().findings


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "page.md").write_text("# Page\n\nsomething to find\n")
    return Project.open(tmp_path / "root", index=tmp_path / "index.db")


def test_runs_take_turns(project: Project, tmp_path: Path) -> None:
    waiting, released = Event(), Event()
    reports = []

    def other() -> None:
        with Project.open(tmp_path / "root", index=tmp_path / "index.db") as same:
            reports.append(same.index(waiting=waiting.set))
            assert released.is_set()

    with index_lock(project.index_path, wait=True):
        thread = Thread(target=other)
        thread.start()
        assert waiting.wait(20)
        with pytest.raises(BusyIndexError), index_lock(project.index_path, wait=False):
            pass
        index_all(
            project.root, project._open_store(create=True), project.settings
        )  # what the holder of the turn does, the other need not do again
        released.set()
    thread.join(20)
    project.close()
    assert [(report.added, report.unchanged) for report in reports] == [(0, 1)]


def test_a_search_does_not_wait_for_a_run(project: Project) -> None:
    project.index()
    (project.root / "new.md").write_text("# New\n\nsomething else to find\n")
    with index_lock(project.index_path, wait=True):
        answer = project.search("find")
    assert [hit.document for hit in answer.hits] == ["page.md"]
    assert [(each.stage, each.code) for each in answer.degraded if each.stage == "freshness"] == [
        ("freshness", "behind")
    ]
    assert {hit.document for hit in project.search("find").hits} == {"page.md", "new.md"}
    project.close()


def test_a_killed_run_gives_up_its_turn(project: Project) -> None:
    code = (
        "import sys, time; from pathlib import Path; from waymeet.ingest.lock import index_lock\n"
        "with index_lock(Path(sys.argv[1]), wait=True): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, project.index_path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        holder.kill()
    assert project.index().added == 1
    project.close()
