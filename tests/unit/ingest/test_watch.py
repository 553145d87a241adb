"""When a watch compares the files, and which events it reports."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from waymeet.errors import NotFoundError
from waymeet.ingest import watch as watching
from waymeet.ingest.index import IndexReport
from waymeet.ingest.watch import SystemHints, WatchEvent, WatchPace, is_git_checkout_running, refresh_times, watch
from waymeet.project import Project
from waymeet.settings import Watch

pytestmark = pytest.mark.slow

QUICK = Watch(debounce_seconds=0.0, rescan_seconds=5.0, poll_seconds=0.0)
REPORT = IndexReport(1, 1, 0, 0, 0, (), 0, (), 0.0)


class Script:
    """Hints from a script: True for one, False for none in the time to wait."""

    def __init__(self, *coming: bool) -> None:
        self.listening = True
        self.error = ""
        self.coming = list(coming)
        self.waits: list[float] = []
        self.renewed = 0

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return self.coming.pop(0) if self.coming else False

    def renew(self) -> None:
        self.renewed += 1

    def close(self) -> None:
        pass


def looks(hints: Script, pace: WatchPace, number: int) -> None:
    """Wait for so many refresh_times to look."""
    coming = refresh_times(hints, pace)
    for _ in range(number):
        next(coming)


def test_a_burst_is_one_look() -> None:
    hints = Script(True, True, True, True, False, True, False)
    looks(hints, WatchPace(Watch(debounce_seconds=10.0, rescan_seconds=100.0)), 3)
    assert hints.coming == []
    assert hints.waits == [1.0, 10.0, 10.0, 10.0, 10.0, 1.0, 10.0]


def test_changes_without_end_do_not_wait_for_ever() -> None:
    hints = Script(*[True] * 50)
    looks(hints, WatchPace(QUICK), 3)
    assert 40 < len(hints.coming) < 50


def test_without_hints_it_looks_every_so_often() -> None:
    hints = Script()
    looks(hints, WatchPace(Watch(rescan_seconds=0.0)), 4)
    assert hints.waits == []
    hints.listening = False
    looks(hints, WatchPace(Watch(rescan_seconds=1e6, poll_seconds=0.0)), 4)
    assert all(wait < 1.0 for wait in hints.waits)


def test_git_is_given_time_to_finish(tmp_path: Path) -> None:
    busy = iter([True, True, False])
    hints = Script(True, False, False, False)
    looks(hints, WatchPace(Watch(debounce_seconds=7.0), busy=lambda: next(busy)), 2)
    assert hints.waits == [1.0, 7.0, 7.0, 7.0]
    assert not is_git_checkout_running(str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/index.lock").touch()
    assert is_git_checkout_running(str(tmp_path))
    os.utime(tmp_path / ".git/index.lock", (1, 1))
    assert not is_git_checkout_running(str(tmp_path))


def watch_events(hints: Script, *outcomes: IndexReport | Exception | None) -> list[WatchEvent]:
    """Watch until there is nothing more to see."""
    coming, events = list(outcomes), list[WatchEvent]()

    def look() -> IndexReport | None:
        outcome = coming.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    pace = WatchPace(Watch(rescan_seconds=0.0, poll_seconds=0.5), stopped=lambda: not coming)
    watch(look, events.append, hints, pace)
    return events


def test_an_error_is_reported_once_and_when_it_is_over() -> None:
    gone = NotFoundError("It is gone.", "Look for it.")
    events = watch_events(Script(), REPORT, None, gone, gone, OSError("No space"), None, None, gone, REPORT)
    assert events == [
        WatchEvent(REPORT),
        WatchEvent(error="It is gone.", hint="Look for it.", code="failed"),
        WatchEvent(error="No space.", code="failed"),
        WatchEvent(code="recovered"),
        WatchEvent(error="It is gone.", hint="Look for it.", code="failed"),
        WatchEvent(REPORT, code="recovered"),
    ]


def test_missing_file_events_are_reported() -> None:
    hints = Script()
    hints.error = "the limit is reached"
    (event,) = watch_events(hints, None, None, None)
    assert event.code == "polling"
    assert "the limit is reached." in event.error


# --- with the system -----------------------------------------------------------------------------------------------


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_system_reports_changes_and_a_new_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    hints = SystemHints([str(root)])
    try:
        assert hints.wait(60)  # it listens now
        (root / "a.md").write_text("x")
        assert hints.wait(60)
        root.rename(tmp_path / "away")
        hints.renew()
        assert (hints.listening, hints.error) == (False, "")
        root.mkdir()
        hints.renew()
        assert hints.listening
        until(lambda: hints.wait(0.1))
        (root / "b.md").write_text("x")
        assert hints.wait(60)
    finally:
        hints.close()


def test_files_of_git_itself_are_not_relevant() -> None:
    paths = ("/p/.git/index", "/p/.git/info/exclude", "/p/sub/.git", "/p/a.md")
    assert [watching._is_relevant(None, path) for path in paths] == [False, True, True, True]


def test_a_listener_that_fails_lets_files_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", fail)
    hints = SystemHints([str(tmp_path)])
    assert hints.wait(60)
    until(lambda: not hints.listening)
    assert "limit" in hints.error
    hints.close()


def test_a_network_drive_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "file_system", lambda _: "nfs4")
    hints = SystemHints([str(tmp_path)])
    assert (hints.listening, "nfs4" in hints.error) == (False, True)


def test_a_project_is_watched(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_text("# Apples\n")
    events, ended = list[WatchEvent](), Event()
    flags = ("watch.debounce_seconds=0.01", "watch.poll_seconds=0.05")
    with Project.open(root, index=tmp_path / "index.db", flags=flags) as project:
        project.index()
        thread = Thread(target=lambda: project.watch(events.append, stopped=ended.is_set))
        thread.start()
        (root / "b.md").write_text("# Bananas\n")
        until(lambda: any(each.report and each.report.added == 1 for each in events))
        (root / ".gitignore").write_text("a.md\n")
        until(lambda: any(each.report and each.report.removed == 1 for each in events))
        root.rename(tmp_path / "away")
        until(lambda: events[-1].code == "failed")
        with Project.open(root, index=tmp_path / "index.db") as reader:  # the turn is free, and the index answers
            answer = reader.search("bananas")
        assert [hit.document for hit in answer.hits] == ["b.md"]
        assert "root_missing" in [each.code for each in answer.degraded]
        (tmp_path / "away").rename(root)
        until(lambda: events[-1].code == "recovered")
        (root / "b.md").rename(root / "c.md")
        until(lambda: any(each.report and each.report.renamed == (("b.md", "c.md"),) for each in events))
        (root / "waymeet.toml").write_text('[ingest]\nignore = ["c.md"]\n')
        until(lambda: any(each.report and each.report.removed == 1 and not each.report.renamed for each in events[-1:]))
        ended.set()
        thread.join()


def test_a_watch_that_is_interrupted_before_it_listens_can_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come between the creation of the thread and its start."""
    hints = SystemHints([str(tmp_path)])
    hints.close()

    def interrupt(_thread: Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Thread, "start", interrupt)
    hints._identities = ()
    with pytest.raises(KeyboardInterrupt):
        hints.renew()
    hints.close()
