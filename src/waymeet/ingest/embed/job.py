"""The embedding job of an index: its lock, and its progress in a file beside the index."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from time import time

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import BusyIndexError, IndexUnavailableError
from waymeet.paths import file_identity

_POLL_SECONDS = 0.5
_WRITE_SECONDS = 1.0
"""Time between two writes of the progress."""


class Job(Struct, frozen=True):
    """Progress of the last embedding job of an index, without texts and file names."""

    pid: int
    started: float
    """Seconds since 1970."""
    updated: float
    done: int = 0
    total: int = 0
    ended: bool = False
    error: str = ""

    @property
    def rate(self) -> float:
        """Sections per second so far."""
        return self.done / max(self.updated - self.started, 1e-3)

    @property
    def seconds_left(self) -> float | None:
        """Estimated remaining time at this rate, or None before the first section."""
        return (self.total - self.done) / self.rate if self.done else None


class JobReporter:
    """Writes the progress of a job to its file."""

    def __init__(self, index: Path, clock: Callable[[], float] = time) -> None:
        self._index = index
        self._identity = file_identity(index)
        self._file = job_path(index)
        self._clock = clock
        now = clock()
        self._job = Job(os.getpid(), now, now)
        self._write()

    def progress(self, done: int, total: int, item: str) -> None:
        """Record a step."""
        del item
        now = self._clock()
        is_due = now - self._job.updated >= _WRITE_SECONDS
        self._job = replace(self._job, done=done, total=total, updated=now if is_due else self._job.updated)
        if is_due:
            self._write()

    def end(self, error: str) -> None:
        """Record the end with the error, or "" if there was none."""
        self._job = replace(self._job, updated=self._clock(), ended=True, error=error)
        self._write()

    @property
    def is_index_replaced(self) -> bool:
        """Whether the index is gone or was replaced by another file."""
        return file_identity(self._index) != self._identity

    def _write(self) -> None:
        if self.is_index_replaced:
            return
        with suppress(OSError):  # the job continues without a progress file
            draft = self._file.with_name(f"{self._file.name}.new")  # no clash: the lock allows one job
            draft.touch(mode=0o600)
            draft.write_bytes(msgspec.json.encode(self._job))
            draft.replace(self._file)


@contextmanager
def embedding_lock(index: Path, waiting: Callable[[], None] | None = None, *, wait: bool) -> Iterator[JobReporter]:
    """Hold the embedding lock of an index and report the progress of the job.

    The system releases the lock when the process ends, even by a kill. `waiting` is called every half second while
    another process holds the lock.

    Raises:
        BusyIndexError: another process holds the lock, and `wait` is off.
        IndexUnavailableError: the lock file cannot be created.
    """
    with _hold_lock(index, waiting, wait=wait):
        reporter = JobReporter(index)
        try:
            yield reporter
        except Exception as error:
            reporter.end(str(error) or type(error).__name__)
            raise
        except BaseException:
            reporter.end("interrupted")
            raise


def try_embedding_lock(index: Path) -> AbstractContextManager[None]:
    """Hold the embedding lock without waiting and without reporting a job.

    Raises:
        BusyIndexError: another process holds the lock.
        IndexUnavailableError: the lock file cannot be created.
    """
    return _hold_lock(index, None, wait=False)


@contextmanager
def _hold_lock(index: Path, waiting: Callable[[], None] | None, *, wait: bool) -> Iterator[None]:
    lock = _lock(index)
    while True:
        try:
            lock.acquire(timeout=_POLL_SECONDS if wait else 0.0)
            break
        except Timeout as error:
            if not wait:
                raise BusyIndexError(
                    "Another process is embedding now.", "`waymeet status` shows its progress."
                ) from error
            if waiting:
                waiting()
        except OSError as error:
            cause = error.strerror or str(error)
            raise IndexUnavailableError(
                f"The index {index} cannot be used: {cause}.", "Check that its folder can be written."
            ) from error
    try:
        yield
    finally:
        lock.release()


def last_job(index: Path) -> Job | None:
    """Read the progress of the last job, or None if there was none."""
    try:
        return msgspec.json.decode(job_path(index).read_bytes(), type=Job)
    except (OSError, msgspec.MsgspecError):
        return None


def running_job(index: Path) -> Job | None:
    """Read the progress of the running job, or None if none is running."""
    if not index.exists():
        return None
    lock = _lock(index)
    try:
        lock.acquire(timeout=0.0)
    except Timeout:
        return last_job(index)
    except OSError:
        return None  # no lock file can be created, so no job can run
    lock.release()
    return None


def job_path(index: Path) -> Path:
    """Return the path of the progress file."""
    return index.with_name(f"{index.name}.embedding.json")


def log_path(index: Path) -> Path:
    """Return the path of the log of a job without a terminal."""
    return index.with_name(f"{index.name}.embedding.log")


def _lock(index: Path) -> FileLock:
    return FileLock(index.with_name(f"{index.name}.embedding.lock"), mode=0o600)
