"""The embedding job of an index: one at a time, and how far it is, for everybody to see."""

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

_A_MOMENT = 0.5
_EVERY = 1.0
"""Seconds between two times of writing down how far a job is."""


class Job(Struct, frozen=True):
    """How far the last embedding job of an index is or was. No text and no name of a file is in it."""

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
        """Passages a second, so far."""
        return self.done / max(self.updated - self.started, 1e-3)

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at this rate; None as long as nobody can know."""
        return (self.total - self.done) / self.rate if self.done else None


class JobReporter:
    """Writes down how far a job is, now and then."""

    def __init__(self, index: Path, clock: Callable[[], float] = time) -> None:
        self._index = index
        self._of = file_identity(index)
        self._file = told_in(index)
        self._clock = clock
        now = clock()
        self._job = Job(os.getpid(), now, now)
        self._write()

    def progress(self, done: int, total: int, item: str) -> None:
        """Take note of a step."""
        del item
        now = self._clock()
        due = now - self._job.updated >= _EVERY
        self._job = replace(self._job, done=done, total=total, updated=now if due else self._job.updated)
        if due:
            self._write()

    def end(self, trouble: str) -> None:
        """Take note of the end, and of what went wrong."""
        self._job = replace(self._job, updated=self._clock(), ended=True, error=trouble)
        self._write()

    @property
    def is_index_replaced(self) -> bool:
        """Tell whether the index is gone, or another lies in its place: what is done to it nobody will see."""
        return file_identity(self._index) != self._of

    def _write(self) -> None:
        if self.is_index_replaced:
            return
        with suppress(OSError):  # a job that nobody can look at is still worth doing
            draft = self._file.with_name(f"{self._file.name}.new")  # there is one job at a time
            draft.touch(mode=0o600)
            draft.write_bytes(msgspec.json.encode(self._job))
            draft.replace(self._file)


@contextmanager
def embedding_lock(index: Path, waiting: Callable[[], None] | None = None, *, wait: bool) -> Iterator[JobReporter]:
    """Hold the right to embed for an index; the system takes it back when the process ends, however it ends.

    `waiting` is called every now and then while another process is at it.

    Raises:
        BusyIndexError: another process is at it, and `wait` is off.
        IndexUnavailableError: there is no place for the lock.
    """
    with _held(index, waiting, wait=wait):
        telling = JobReporter(index)
        try:
            yield telling
        except Exception as error:
            telling.end(str(error) or type(error).__name__)
            raise
        except BaseException:
            telling.end("it was interrupted")
            raise


def try_embedding_lock(index: Path) -> AbstractContextManager[None]:
    """Hold the same right for a moment, if nobody else does; nobody is told.

    Raises:
        BusyIndexError: another process is at it.
        IndexUnavailableError: there is no place for the lock.
    """
    return _held(index, None, wait=False)


@contextmanager
def _held(index: Path, waiting: Callable[[], None] | None, *, wait: bool) -> Iterator[None]:
    lock = _lock(index)
    while True:
        try:
            lock.acquire(timeout=_A_MOMENT if wait else 0.0)
            break
        except Timeout as error:
            if not wait:
                raise BusyIndexError("Another process is embedding now.", "`waymeet status` shows it.") from error
            if waiting:
                waiting()
        except OSError as error:
            cause = error.strerror or str(error)
            raise IndexUnavailableError(f"The index {index} cannot be used: {cause}.", "Check its folder.") from error
    try:
        yield
    finally:
        lock.release()


def last_job(index: Path) -> Job | None:
    """Read how far the last job is or was; None if there was none."""
    try:
        return msgspec.json.decode(told_in(index).read_bytes(), type=Job)
    except (OSError, msgspec.MsgspecError):
        return None


def running_job(index: Path) -> Job | None:
    """Read how far the job is that runs now; None if none does."""
    if not index.exists():
        return None
    lock = _lock(index)
    try:
        lock.acquire(timeout=0.0)
    except Timeout:
        return last_job(index)
    except OSError:
        return None  # a place where nobody can embed
    lock.release()
    return None


def told_in(index: Path) -> Path:
    """Say which file tells how far a job is."""
    return index.with_name(f"{index.name}.embedding.json")


def log_path(index: Path) -> Path:
    """Say where a job without a terminal writes what it has to say."""
    return index.with_name(f"{index.name}.embedding.log")


def _lock(index: Path) -> FileLock:
    return FileLock(index.with_name(f"{index.name}.embedding.lock"), mode=0o600)
