"""Watching of folders: index changed files, and embed them in a background thread.

Events of the operating system only decide when to compare the files with the index. Each comparison covers all files,
so that a lost event delays an update and never loses it.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from time import monotonic, time
from typing import NamedTuple, Protocol

from msgspec import Struct

from waymeet.errors import WaymeetError
from waymeet.ingest.discover.file_systems import NETWORK_FILE_SYSTEMS, file_system
from waymeet.ingest.embed.batches import EmbeddingReport
from waymeet.ingest.index import IndexReport
from waymeet.paths import file_identity
from waymeet.settings import Watch

_MAX_DEBOUNCE_FACTOR = 3
"""Longest delay of a comparison during a burst of changes, as a multiple of the debounce time."""
_POLL_FACTOR = 10
"""Shortest pause between two comparisons without events, as a multiple of their duration."""
_GIT_SECONDS = 30.0
"""Longest time to wait for git to finish a checkout."""
_STOP_SECONDS = 1.0
"""Longest time until a request to stop is noticed."""
_JOIN_SECONDS = 5.0
"""Time to wait for the background task at the end; at most one batch is lost."""
_STEP_MS, _GROUP_MS, _TIMEOUT_MS = 100, 200, 1000


class WatchEvent(Struct, frozen=True):
    """An indexing run while watching, or the error that prevented one."""

    report: IndexReport | None = None
    error: str = ""
    hint: str = ""
    code: str = ""
    """`polling` or `failed` after an error; `recovered` for the first success after one."""


class WatchPace(NamedTuple):
    """When to compare files, when to wait and when to stop."""

    settings: Watch
    stopped: Callable[[], bool] = lambda: False
    busy: Callable[[], bool] = lambda: False
    """Whether many related changes are being made, such as a checkout."""


class ChangeHints(Protocol):
    """Source of hints that files may have changed."""

    listening: bool
    """Whether hints will come."""
    error: str
    """Why no hints will come; empty if they will, or if the reason is temporary."""

    def wait(self, seconds: float) -> bool:
        """Wait for a hint and return whether one came."""
        ...

    def renew(self) -> None:
        """Listen again if a folder was replaced."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...


def watch(
    refresh: Callable[[], IndexReport | None],
    notify: Callable[[WatchEvent], None],
    hints: ChangeHints,
    pace: WatchPace,
) -> None:
    """Refresh the index after changes until stopped, and notify of runs and new errors."""
    last_error = last_hints_error = ""
    for _ in refresh_times(hints, pace):
        try:
            report = refresh()
        except (WaymeetError, OSError) as error:
            message, hint = (error.message, error.hint) if isinstance(error, WaymeetError) else (f"{error}.", "")
            if message != last_error:
                notify(WatchEvent(error=message, hint=hint, code="failed"))
            last_error = message
        else:
            if report or last_error:
                notify(WatchEvent(report, code="recovered" if last_error else ""))
            last_error = ""
        hints.renew()
        if hints.error != last_hints_error and hints.error:
            seconds = f"{pace.settings.poll_seconds:g} s"
            message = (
                f"File changes are not reported: {hints.error}. All files are compared every {seconds} or less often."
            )
            notify(WatchEvent(error=message, code="polling"))
        last_hints_error = hints.error


def refresh_times(hints: ChangeHints, pace: WatchPace) -> Iterator[None]:
    """Yield when a refresh is due: at once, after each burst of hints, and at intervals."""
    settings = pace.settings
    while not pace.stopped():
        started = monotonic()
        yield
        now = monotonic()
        poll = max(settings.poll_seconds, (now - started) * _POLL_FACTOR)  # a large project must not keep a core busy
        end = now + (settings.rescan_seconds if hints.listening else poll)
        while not pace.stopped() and (left := end - monotonic()) > 0:
            if hints.wait(min(left, _STOP_SECONDS)):
                _wait_for_quiet(hints, settings.debounce_seconds, pace.busy)
                break


def _wait_for_quiet(hints: ChangeHints, debounce: float, busy: Callable[[], bool]) -> None:
    """Wait until a burst of changes has passed, and longer while git is working."""
    end = monotonic() + debounce * _MAX_DEBOUNCE_FACTOR
    while hints.wait(debounce) and monotonic() < end:
        pass
    end = monotonic() + _GIT_SECONDS
    while busy() and monotonic() < end:
        hints.wait(debounce or _STOP_SECONDS)


def is_git_checkout_running(root: str) -> bool:
    """Return whether git is changing the files of a project, by a recent lock file."""
    try:
        return time() - Path(root, ".git", "index.lock").stat().st_mtime < _GIT_SECONDS
    except OSError:
        return False


class SystemHints:
    """Hints from the file events of the operating system."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.listening = False
        self.error = ""
        self._folders = tuple(folders)
        self._hint = Event()
        self._ended = Event()
        self._thread: Thread | None = None
        self._identities: tuple[object, ...] = ()
        self.renew()

    def wait(self, seconds: float) -> bool:
        """Wait for a hint and return whether one came."""
        has_hint = self._hint.wait(seconds)
        if has_hint:  # a hint that comes right now counts for the next call
            self._hint.clear()
        return has_hint

    def renew(self) -> None:
        """Listen again if a folder was replaced, came back or went away."""
        identities = tuple(file_identity(Path(folder)) for folder in self._folders)
        if identities == self._identities:
            return
        self.close()
        self._identities = identities
        folders = [folder for folder, identity in zip(self._folders, identities, strict=True) if identity]
        network = next((kind for folder in folders if (kind := file_system(folder)) in NETWORK_FILE_SYSTEMS), "")
        self.error = f"a {network} drive has no events for changes by other machines" if network else ""
        # Only the project's own folder must exist: an extra root that comes back is found by the next rescan.
        self.listening = identities[0] is not None and not network
        if self.listening:
            self._ended = Event()
            self._thread = Thread(target=self._listen, args=(folders, self._ended), daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._ended.set()
        if self._thread and self._thread.is_alive():  # not if Ctrl-C came before it was started
            self._thread.join()
        self._thread = None

    def _listen(self, folders: Sequence[str], ended: Event) -> None:
        from watchfiles import watch as listen  # noqa: PLC0415 - needed for watching only

        is_first = True
        try:
            for changes in listen(
                *folders,
                watch_filter=_is_relevant,
                debounce=_GROUP_MS,
                step=_STEP_MS,
                stop_event=ended,
                rust_timeout=_TIMEOUT_MS,
                yield_on_timeout=True,
                raise_interrupt=False,
                force_polling=False,
                ignore_permission_denied=True,
            ):
                if changes or is_first:  # changes before the listener was ready had no event
                    is_first = False
                    self._hint.set()
        except (OSError, RuntimeError) as error:  # for example, too many folders for the system's limit
            self.error = str(error)
        finally:
            if not ended.is_set():
                self.listening = False
                self._hint.set()


def _is_relevant(_change: object, path: str) -> bool:
    """Return whether a changed path can matter: of git's own files only the ignore rules."""
    return f"{os.sep}.git{os.sep}" not in path or path.endswith("exclude")


def watch_and_embed(
    refresh: Callable[[], IndexReport | None],
    embed: Callable[[Callable[[], bool]], EmbeddingReport],
    notify: Callable[[WatchEvent], None],
    hints: ChangeHints,
    pace: WatchPace,
) -> None:
    """Watch, and embed new sections in a background thread, without delaying the indexing."""
    last_error = ""

    def notify_error(error: str, hint: str) -> None:
        nonlocal last_error
        if error != last_error and error:
            notify(WatchEvent(error=error, hint=hint, code="failed"))
        last_error = error

    def embed_once(is_ended: Callable[[], bool]) -> None:
        report = embed(is_ended)
        notify_error(report.error, report.hint)

    background = BackgroundTask(embed_once, lambda error: notify_error(error.message, error.hint))

    def refresh_then_embed() -> IndexReport | None:
        report = refresh()
        background.request()
        return report

    try:
        watch(refresh_then_embed, notify, hints, pace)
    finally:
        hints.close()
        background.close()


class BackgroundTask:
    """A thread that runs one task on request."""

    def __init__(self, task: Callable[[Callable[[], bool]], None], on_error: Callable[[WaymeetError], None]) -> None:
        """Start the thread. The task gets a function that returns whether it should stop."""
        self._task = task
        self._on_error = on_error
        self._requested = Event()
        self._ended = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def request(self) -> None:
        """Run the task, or run it once again after the present run."""
        self._requested.set()

    def close(self) -> None:
        """Stop the thread when the task next checks whether to stop."""
        self._ended.set()
        self._requested.set()
        self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        while self._requested.wait() and not self._ended.is_set():
            self._requested.clear()
            try:
                self._task(self._ended.is_set)
            except WaymeetError as error:
                self._on_error(error)
