"""The queue of background jobs, of which at most one runs on the machine.

The process holds a lock while it works. Projects that have to wait are listed in a file in the user's state folder; the
process that ends starts the next one. No process waits. If one is killed, the next job that ends starts the others.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import BusyIndexError, IndexUnavailableError
from waymeet.paths import state_folder

_POLL_SECONDS = 0.5
_LOCK_SECONDS = 5.0
"""How long to wait for another process that changes the queue, which takes milliseconds."""
_MAX_ANNOUNCED = 1000


class QueuedJob(Struct, frozen=True):
    """A project whose rest is to be indexed and embedded."""

    root: str
    index: str
    folder: str
    """The folder in which the job was requested, because settings may hold relative paths."""
    pid: int = 0
    """The process that works on it; 0 while it waits."""


class Queue(Struct, frozen=True):
    """The running job, those that wait, and the indexes whose jobs were announced."""

    running: QueuedJob | None = None
    waiting: tuple[QueuedJob, ...] = ()
    announced: tuple[str, ...] = ()


def read_queue() -> Queue:
    """Read the queue, without a job that has ended."""
    queue = _read()
    if queue.running is None:
        return queue
    try:
        lock = _machine_lock()
        lock.acquire(timeout=0.0)
    except Timeout:
        return queue
    except OSError:
        return replace(queue, running=None)
    lock.release()
    return replace(queue, running=None)


def enqueue(job: QueuedJob) -> None:
    """Add a job to the queue, unless its index is there already.

    Raises:
        OSError: the queue cannot be written.
    """
    with _changing() as queue:
        if all(other.index != job.index for other in queue.waiting):
            _write(replace(queue, waiting=(*queue.waiting, job)))


def dequeue(index: Path) -> None:
    """Remove the job of an index from the queue.

    Raises:
        OSError: the queue cannot be written.
    """
    with _changing() as queue:
        _write(replace(queue, waiting=tuple(job for job in queue.waiting if job.index != str(index))))


def next_job() -> QueuedJob | None:
    """Give the first job that waits and whose index still exists."""
    return next((job for job in _read().waiting if Path(job.index).exists() and Path(job.folder).is_dir()), None)


def is_announced(index: Path) -> bool:
    """Tell whether a background job of an index was announced before."""
    return str(index) in _read().announced


def record_announcement(index: Path) -> None:
    """Record that a background job of an index was announced.

    Raises:
        OSError: the queue cannot be written.
    """
    with _changing() as queue:
        announced = dict.fromkeys((*queue.announced, str(index)))
        _write(replace(queue, announced=tuple(announced)[-_MAX_ANNOUNCED:]))


@contextmanager
def machine_turn(job: QueuedJob, *, wait: bool, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the machine's only turn for background work, and show the job as running.

    The system releases it when the process ends, even by a kill. `waiting` is called every half second while another
    process has it; an exception from it ends the wait.

    Raises:
        BusyIndexError: another process has the turn, and `wait` is off.
        IndexUnavailableError: the state folder cannot be written.
    """
    lock = _machine_lock()
    try:
        _acquire(lock, waiting, wait=wait)
    except Timeout as error:
        raise BusyIndexError("Another project is being indexed or embedded in the background.") from error
    except OSError as error:
        hint = "Check that it can be written."
        raise IndexUnavailableError(f"{state_folder()} cannot be used: {error.strerror or error}.", hint) from error
    try:
        with suppress(OSError), _changing() as queue:  # without it, `waymeet status` does not show the job
            others = tuple(other for other in queue.waiting if other.index != job.index)
            _write(replace(queue, running=replace(job, pid=os.getpid()), waiting=others))
        yield
    finally:
        lock.release()


def _acquire(lock: FileLock, waiting: Callable[[], None] | None, *, wait: bool) -> None:
    while True:
        try:
            lock.acquire(timeout=_POLL_SECONDS if wait else 0.0)
        except Timeout:
            if not wait:
                raise
            if waiting:
                waiting()
        else:
            return


def _queue_file() -> Path:
    return state_folder() / "background.json"


def _machine_lock() -> FileLock:
    state_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    return FileLock(state_folder() / "background.lock", mode=0o600)


def _read() -> Queue:
    try:
        return msgspec.json.decode(_queue_file().read_bytes(), type=Queue)
    except (OSError, msgspec.MsgspecError):
        return Queue()


@contextmanager
def _changing() -> Iterator[Queue]:
    """Hold the lock of the queue file, and give its content."""
    file = _queue_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(file.with_name(f"{file.name}.lock"), mode=0o600, timeout=_LOCK_SECONDS):
        yield _read()


def _write(queue: Queue) -> None:
    file = _queue_file()
    draft = file.with_name(f"{file.name}.new")  # no clash: the lock allows one writer
    draft.touch(mode=0o600)
    draft.write_bytes(msgspec.json.encode(queue))
    draft.replace(file)
