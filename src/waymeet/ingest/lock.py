"""The lock of an index: one process at a time brings it up to date."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from waymeet.errors import BusyIndexError, IndexUnavailableError

_POLL_SECONDS = 0.5
"""Time between two attempts to acquire the lock, and between two calls of `waiting`."""


@contextmanager
def index_lock(index: Path, *, wait: bool, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock of an index.

    The system releases it when the process ends, even by a kill.

    `waiting` is called every half second while another process holds the lock; an exception from it ends the wait.

    Raises:
        BusyIndexError: another process holds the lock, and `wait` is off.
        IndexUnavailableError: the lock file cannot be created.
    """
    lock = FileLock(index.with_name(f"{index.name}.lock"), mode=0o600)
    try:
        index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _acquire(lock, waiting, wait=wait)
    except Timeout as error:
        raise BusyIndexError("Another process is indexing now.", "Try again when it has finished.") from error
    except OSError as error:
        cause = error.strerror or str(error)
        hint = "Check that its folder can be written."
        raise IndexUnavailableError(f"The index {index} cannot be written: {cause}.", hint) from error
    try:
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
