"""A command that takes long says so on standard error, also in a pipe; `--no-refresh` does not wait for others."""

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from threading import Event, Thread

import pytest
from interfaces.conftest import Run

from waymeet import Project
from waymeet.ingest.lock import index_lock
from waymeet.interfaces.cli.slow_notice import SlowNotice, say_if_slow
from waymeet.settings import Terminal
from waymeet.stores.sqlite import SqliteStore


class Clock:
    """Timers that run when a test says so."""

    def __init__(self) -> None:
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.cancelled = 0

    def start(self, seconds: float, function: Callable[[], None]) -> Callable[[], None]:
        self.timers.append((seconds, function))
        return self.cancel

    def cancel(self) -> None:
        self.cancelled += 1

    def run(self) -> float:
        seconds, function = self.timers.pop()
        function()
        return seconds


def test_a_line_after_two_seconds_and_then_now_and_again(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with SlowNotice("Indexing …", Terminal().notice_seconds, clock.start) as notice:
        assert clock.run() == 2.0
        assert capsys.readouterr().err == "Indexing …\n"
        notice.progress("Indexing")(3, 40, "a.md")
        assert clock.run() == 30.0
        assert capsys.readouterr().err == "Indexing: 3 of 40 so far.\n"
        notice.progress("Indexing")(0, 0, "Another process is indexing.")
        clock.run()
        assert capsys.readouterr().err == "Another process is indexing.\n"
        last = clock.timers[-1][1]
    assert clock.cancelled == 1
    last()  # a timer that ran just before it was cancelled
    assert capsys.readouterr() == ("", "")


def test_no_line_at_all() -> None:
    clock = Clock()
    with SlowNotice("Indexing …", 0.0, clock.start):
        assert not clock.timers


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_without_a_terminal(is_terminal: bool) -> None:
    written = Event()

    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return is_terminal

        def write(self, text: str) -> int:
            written.set()
            return super().write(text)

    with redirect_stderr(Stream()), say_if_slow("Searching …", Terminal(notice_seconds=0.001)):
        assert written.wait(0.2 if is_terminal else 60.0) is not is_terminal


def hold(index: Path, until: Event) -> Thread:
    """Hold the lock of an index in a thread until an event, as an indexer does."""
    held = Event()

    def work() -> None:
        with index_lock(index, wait=True):
            held.set()
            until.wait(60.0)

    thread = Thread(target=work)
    thread.start()
    assert held.wait(60.0)
    return thread


def test_a_piped_search_says_that_it_waits_for_an_indexer(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, done = Project.open(project).index_path, Event()
    texts: list[str] = []
    progress = SlowNotice.progress

    def watch(notice: SlowNotice, title: str) -> Callable[[int, int, str], None]:
        report = progress(notice, title)

        def watched(finished: int, total: int, item: str) -> None:
            report(finished, total, item)
            texts.append(notice.text)
            done.set()

        return watched

    monkeypatch.setattr(SlowNotice, "progress", watch)
    indexer = hold(index, done)
    assert run("search", "rotate keys").code == 0
    indexer.join()
    assert texts[0] == "Another process is indexing this project; waiting for it to finish."
    assert not sys.stderr.isatty()


def test_without_a_refresh_an_unfinished_index_is_searched(project: Path, run: Run) -> None:
    index, done = Project.open(project).index_path, Event()
    run("index")
    store = SqliteStore.open(index)
    store.set_metadata("indexed_at", "")  # as during the first run
    store.close()
    indexer = hold(index, done)
    try:
        found = run("search", "rotate keys", "--json", "--no-refresh")
    finally:
        done.set()
        indexer.join()
    assert found.code == 0
    assert {"not_checked", "incomplete"} <= {each["code"] for each in json.loads(found.out)["degraded"]}


def test_without_a_refresh_a_missing_index_is_not_waited_for(project: Path, run: Run) -> None:
    done = Event()
    indexer = hold(Project.open(project).index_path, done)
    try:
        refused = run("search", "rotate keys", "--no-refresh")
    finally:
        done.set()
        indexer.join()
    assert refused.code == 3
    assert "is being indexed for the first time by another process" in refused.err
    assert "without --no-refresh" in refused.err


def test_a_pasted_trace_is_not_refreshed_either(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index")
    (project / "src/users.py").write_text("def get_user_by_id(user_id):\n    raise ValueError\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO('  File "src/users.py", line 1, in get_user_by_id\n'))
    found = json.loads(run("search", "-", "--json", "--no-refresh").out)
    assert "not_checked" in {each["code"] for each in found["degraded"]}
    assert "src/users.py" in json.loads(run("status", "--json").out)["changes"]


def test_eval_says_what_it_does(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        page = project / f"docs/topic{number}.md"
        page.write_text(f"# Topic {number} of the manual\n\nSee [the setup of keys {number}](setup.md).\n", "utf-8")
    titles: set[str] = set()
    monkeypatch.setattr(SlowNotice, "progress", lambda _, title: lambda *_: titles.add(title))
    assert run("eval", "--mine", "--most", "5").code == 0
    assert {"Indexing", "Querying"} <= titles
