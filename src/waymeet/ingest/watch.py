"""Watching: when to look again, so that an index keeps up with its files.

What the system tells of changes is a hint and no more: it only decides when to look. The look itself compares all files
with the index, so that a hint that got lost costs time and never truth.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from time import monotonic, time
from typing import NamedTuple, Protocol, TypeVar

from msgspec import Struct

from waymeet.errors import WaymeetError
from waymeet.ingest.embed.batches import EmbeddingReport
from waymeet.ingest.index import IndexReport
from waymeet.settings import Watch

_PATIENCE = 3
"""How many times the debounce changes may wait while more keep coming."""
_REST = 10
"""How many times as long as a look takes to rest before the next, where there are no hints."""
_GIT_SECONDS = 30.0
"""How long to wait for git to finish a checkout."""
_SLICE = 1.0
"""How long, in seconds, a request to stop may wait."""
_STEP_MS, _GROUP_MS, _PULSE_MS = 100, 200, 1000
_REMOTE = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p drvfs vboxsf fuse.sshfs fuse.rclone afs ceph glusterfs virtiofs".split()
)
"""File systems that other machines change without a hint."""


class WatchEvent(Struct, frozen=True):
    """Something that happened while watching: a run, or what kept one from being made."""

    report: IndexReport | None = None
    error: str = ""
    hint: str = ""
    code: str = ""
    """`polling` or `failed`, if there was trouble; `recovered` when it is over."""


class WatchPace(NamedTuple):
    """How often to look, and when not to."""

    settings: Watch
    stopped: Callable[[], bool] = lambda: False
    busy: Callable[[], bool] = lambda: False
    """Whether many changes are under way that belong together."""


class ChangeHints(Protocol):
    """Tells that something may have changed."""

    listening: bool
    """Whether changes will be told of."""
    error: str
    """Why not, where that is worth knowing."""

    def wait(self, seconds: float) -> bool:
        """Wait for a hint, and say whether one came."""
        ...

    def renew(self) -> None:
        """Listen again if what was listened to is not there any more."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...


def watch(
    look: Callable[[], IndexReport | None], told: Callable[[WatchEvent], None], hints: ChangeHints, pace: WatchPace
) -> None:
    """Look whenever that may be of use, and tell what came of it, until stopped; trouble is told once."""
    trouble = polling = ""
    for _ in moments(hints, pace):
        try:
            report = look()
        except (WaymeetError, OSError) as error:
            message, hint = (error.message, error.hint) if isinstance(error, WaymeetError) else (f"{error}.", "")
            if message != trouble:
                told(WatchEvent(error=message, hint=hint, code="failed"))
            trouble = message
        else:
            if report or trouble:
                told(WatchEvent(report, code="recovered" if trouble else ""))
            trouble = ""
        hints.renew()
        if hints.error != polling and hints.error:
            every = f"so all files are looked at every {pace.settings.poll_seconds:g} s or less often"
            told(WatchEvent(error=f"Changes cannot be listened for, {every}: {hints.error}.", code="polling"))
        polling = hints.error


def moments(hints: ChangeHints, pace: WatchPace) -> Iterator[None]:
    """Yield whenever it is time to look: at once, when a burst of hints has passed, and every so often without any."""
    settings = pace.settings
    while not pace.stopped():
        started = monotonic()
        yield
        now = monotonic()
        poll = max(settings.poll_seconds, (now - started) * _REST)  # a large project must not keep a core busy
        end = now + (settings.rescan_seconds if hints.listening else poll)
        while not pace.stopped() and (left := end - monotonic()) > 0:
            if hints.wait(min(left, _SLICE)):
                _settle(hints, settings.debounce_seconds, pace.busy)
                break


def _settle(hints: ChangeHints, debounce: float, busy: Callable[[], bool]) -> None:
    """Let a burst of changes pass, so that it is taken in as one; longer than a little only while git is at work."""
    end = monotonic() + debounce * _PATIENCE
    while hints.wait(debounce) and monotonic() < end:
        pass
    end = monotonic() + _GIT_SECONDS
    while busy() and monotonic() < end:
        hints.wait(debounce or _SLICE)


def is_git_checkout_running(root: str) -> bool:
    """Tell whether git is changing the files of a project just now; a lock that was left behind says nothing."""
    try:
        return time() - Path(root, ".git", "index.lock").stat().st_mtime < _GIT_SECONDS
    except OSError:
        return False


class SystemHints:
    """Listens to what the operating system tells of changes below some folders."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.listening = False
        self.error = ""
        self._folders = tuple(folders)
        self._told = Event()
        self._ended = Event()
        self._thread: Thread | None = None
        self._there: tuple[object, ...] = ()
        self.renew()

    def wait(self, seconds: float) -> bool:
        """Wait for a hint, and say whether one came."""
        came = self._told.wait(seconds)
        if came:  # one that comes right now is for the next time
            self._told.clear()
        return came

    def renew(self) -> None:
        """Listen again if a folder was replaced, came back or went away."""
        there = tuple(map(_identity, self._folders))
        if there == self._there:
            return
        self.close()
        self._there = there
        folders = [folder for folder, identity in zip(self._folders, there, strict=True) if identity]
        remote = next((kind for folder in folders if (kind := _file_system(folder)) in _REMOTE), "")
        self.error = f"a {remote} drive does not tell of what other machines change" if remote else ""
        self.listening = there[0] is not None and not remote  # other roots that are gone can wait for the next rescan
        if self.listening:
            self._ended = Event()
            self._thread = Thread(target=self._listen, args=(folders, self._ended), daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._ended.set()
        if self._thread:
            self._thread.join()
            self._thread = None

    def _listen(self, folders: Sequence[str], ended: Event) -> None:
        from watchfiles import watch as listen  # noqa: PLC0415 - only those who watch pay for it

        first = True
        try:
            for changes in listen(
                *folders,
                watch_filter=_worth_a_look,
                debounce=_GROUP_MS,
                step=_STEP_MS,
                stop_event=ended,
                rust_timeout=_PULSE_MS,
                yield_on_timeout=True,
                raise_interrupt=False,
                force_polling=False,
                ignore_permission_denied=True,
            ):
                if changes or first:  # the first time it listens at last: what happened until then was not told
                    first = False
                    self._told.set()
        except (OSError, RuntimeError) as error:  # too many folders for the system's limit, say
            self.error = str(error)
        finally:
            if not ended.is_set():
                self.listening = False
                self._told.set()


def _worth_a_look(_change: object, path: str) -> bool:
    """Tell whether a change can matter: what git keeps for itself cannot, but for its list of ignored files."""
    return f"{os.sep}.git{os.sep}" not in path or path.endswith("exclude")


def _identity(folder: str) -> object:
    """Tell a folder from another one of the same name; None if it is not there."""
    try:
        state = Path(folder).stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def _file_system(folder: str) -> str:
    """Name the kind of file system that a folder lies on; empty where that cannot be told."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fitting = [
        (len(at), kind)
        for _, at, kind, *_ in map(str.split, mounts.splitlines())
        if folder == at or folder.startswith(at if at.endswith("/") else f"{at}/")
    ]
    return max(fitting, default=(0, ""))[1]


Found = TypeVar("Found")

_JOIN_SECONDS = 5.0
"""Seconds that whoever ends the loop waits for the work that is under way; it loses a batch at most."""


def watch_and_embed(
    look: Callable[[], IndexReport | None],
    embed: Callable[[Callable[[], bool]], EmbeddingReport],
    told: Callable[[WatchEvent], None],
    hints: ChangeHints,
    pace: WatchPace,
) -> None:
    """Watch, and embed beside it what was taken in, so that no change waits for a model; trouble is told once."""
    last = ""

    def tell(trouble: str, hint: str) -> None:
        nonlocal last
        if trouble != last and trouble:
            told(WatchEvent(error=trouble, hint=hint, code="failed"))
        last = trouble

    def task(ended: Callable[[], bool]) -> None:
        came = embed(ended)
        tell(came.error, came.hint)

    beside = Alongside(task, lambda error: tell(error.message, error.hint))
    try:
        watch(lambda: beside.then(look()), told, hints, pace)
    finally:
        hints.close()
        beside.close()


class Alongside:
    """A thread with one task."""

    def __init__(self, task: Callable[[Callable[[], bool]], None], failed: Callable[[WaymeetError], None]) -> None:
        """Take a task, which is told how to find out that it should stop, and somebody to tell of its failures."""
        self._task = task
        self._failed = failed
        self._asked = Event()
        self._ended = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def then(self, found: Found) -> Found:
        """Have the task done once more, and give back what was found; asking often while it is done is asking once."""
        self._asked.set()
        return found

    def close(self) -> None:
        """End it, at the task's next opportunity."""
        self._ended.set()
        self._asked.set()
        self._thread.join(_JOIN_SECONDS)

    def _work(self) -> None:
        while self._asked.wait() and not self._ended.is_set():
            self._asked.clear()
            try:
                self._task(self._ended.is_set)
            except WaymeetError as error:
                self._failed(error)
