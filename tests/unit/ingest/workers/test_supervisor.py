"""A file that crashes a worker is indexed as plain text or by its path, and no other file is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from waymeet.ingest.discover.changes import find_changes
from waymeet.ingest.index import index
from waymeet.ingest.workers.dispatch import run_tasks
from waymeet.ingest.workers.supervisor import Supervisor
from waymeet.ingest.workers.task import Outcome, ParseRules, Task
from waymeet.settings import Ingest, Settings
from waymeet.stores.memory.store import MemoryStore

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")]

BAD = """
import os, signal, sys
if sys.argv[0] == "-c":
    import waymeet.ingest.workers.task as task
    make = task.build_entry
    def making(path, *rest, plain):
        if "always" in path or not plain:
            if "segfault" in path:
                os.kill(os.getpid(), signal.SIGSEGV)
            if "hang" in path:
                while True: pass
            if "hog" in path:
                [bytes(1_000_000) for _ in range(10_000)]
            if "exit" in path:
                os._exit(3)
            if "killed" in path and not os.path.exists(os.environ["ONCE"]):
                open(os.environ["ONCE"], "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
        if "babble" in path:
            os.write(2, b"noise on the terminal")
            print("noise in the messages")
        return make(path, *rest, plain=plain)
    task.build_entry = making
"""
"""A parser that does what a broken one might, in worker processes only."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(BAD)
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("ONCE", str(tmp_path / "once"))
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def write(root: Path, *names: str) -> list[Task]:
    for name in names:
        (root / name).write_text(f"# Title\n\nThe text of {name}.\n")
    return [Task(name) for name in names]


def rules(root: Path, seconds: float = 0.2, megabytes: int = 200) -> ParseRules:
    return ParseRules(str(root), 2_000_000, Settings().chunking, seconds=seconds, megabytes=megabytes)


def messages(done: Outcome) -> tuple[str, ...]:
    return done.built.warnings if done.built else (done.reason,)


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("segfault", "crashes its parser (SIGSEGV)"),
        ("hang", "takes more than 0.2 s to parse"),
        ("hog", "takes more than 200 MB to parse"),
        ("exit", "crashes its parser (exit code 3)"),
    ],
)
def test_the_culprit_is_found_and_the_rest_is_as_ever(root: Path, what: str, reason: str) -> None:
    tasks = write(root, "a.md", f"{what}.md", "b.md", f"{what}-always.md", "c.md")
    supervisor = Supervisor(rules(root))
    supervisor.submit(tasks[:4])
    supervisor.submit(tasks[4:])
    done = [supervisor.collect() for _ in tasks]
    supervisor.end()
    assert [each.path for each in done] == [task.path for task in tasks]
    assert [messages(each) for each in done] == [(), (f"{reason}: it is searched as plain text",), (), (reason,), ()]
    rejected = done[3]
    assert rejected.is_path_only
    assert rejected.fingerprint is not None
    assert rejected.fingerprint.size == (root / rejected.path).stat().st_size


def test_a_file_is_tried_again_after_a_kill_from_outside(root: Path) -> None:
    (task,) = write(root, "killed.md")
    supervisor = Supervisor(rules(root))
    supervisor.submit([task])
    assert messages(supervisor.collect()) == ()
    supervisor.end()


def test_what_a_parser_prints_goes_nowhere(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    supervisor = Supervisor(rules(root))
    supervisor.submit(write(root, "babble.md"))
    assert supervisor.collect().built
    supervisor.end()
    assert capfd.readouterr() == ("", "")


def test_many_files_with_bad_ones_among_them(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waymeet.ingest.workers.dispatch.MIN_PARALLEL_FILES", 2)
    monkeypatch.setattr("waymeet.ingest.workers.dispatch._cores", lambda: 2)
    bad = {20: "segfault-always", 21: "hang-always", 90: "exit"}
    tasks = write(root, *(f"{number}-{bad.get(number, 'page')}.md" for number in range(100)))
    done = list(run_tasks(tasks, rules(root)))
    assert [each.path for each in done] == [task.path for task in tasks]
    assert [number for number, each in enumerate(done) if messages(each)] == sorted(bad)


def test_a_refused_file_is_remembered_and_tried_again_when_asked_for(root: Path) -> None:
    write(root, "fine.md")
    (root / "hang-always.py").write_text("# x\n" * 5_000)
    os.utime(root / "hang-always.py", ns=(10**18, 10**18))
    store, settings = MemoryStore(), Settings(ingest=Ingest(parse_seconds=0.1))
    for _ in range(2):
        report = index(root, store, settings)
        assert [(each.path, each.reason) for each in report.skipped] == [
            ("hang-always.py", "takes more than 0.1 s to parse")
        ]
        look = find_changes(root, store, settings, lambda: False)
        assert look is not None
        assert "hang-always.py" not in look.found
        assert "hang-always.py" in store.fingerprints()
    (root / "hang-always.py").rename(root / "fine.py")
    assert index(root, store, settings).skipped == ()


def test_few_small_files_need_no_process(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    assert all(each.built for each in run_tasks(write(root, "a.md", "b.py", "c.txt", "hang.md"), rules(root)))


def test_without_a_process_a_large_file_is_searched_as_plain_text(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    (root / "large.py").write_text("x = 1\n" * 9_000)
    (root / "book.pdf").write_bytes(b"%PDF-1.7")
    plain, refused = run_tasks([Task("large.py"), Task("book.pdf")], rules(root))
    assert messages(plain) == ("no worker process could be started for it: it is searched as plain text",)
    assert messages(refused) == ("no worker process could be started for it",)


def test_a_worker_does_not_outlive_its_supervisor(root: Path) -> None:
    write(root, "hang-always.md")
    (root / "hang-always.py").write_text("# x\n" * 5_000)
    program = f"""
import sys
from waymeet.ingest.workers.supervisor import Supervisor
from waymeet.ingest.workers.task import ParseRules, Task
from waymeet.settings import Chunking
supervisor = Supervisor(ParseRules({str(root)!r}, 2_000_000, Chunking(), seconds=2.0))
supervisor.submit([Task("hang-always.md"), Task("hang-always.py")])
print(supervisor._process._process.pid, flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    for _ in range(600):
        if not _is_alive(worker):
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker is still there")


def _is_alive(process: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
