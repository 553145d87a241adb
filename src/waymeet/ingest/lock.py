"""Taking turns: one run at a time brings an index up to date, and others wait for it instead of doing it twice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from waymeet.errors import BusyIndexError, IndexUnavailableError

_A_MOMENT = 0.5
"""Seconds of waiting before somebody is told, and told again."""


@contextmanager
def index_lock(index: Path, *, wait: bool, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the right to bring an index up to date; the system takes it back when the process ends, however it ends.

    `waiting` is called every moment that it takes; what it raises ends the waiting.

    Raises:
        BusyIndexError: another process is at it, and `wait` is off.
        IndexUnavailableError: there is no place for the lock.
    """
    lock = FileLock(index.with_name(f"{index.name}.lock"), mode=0o600)
    try:
        index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _take(lock, waiting, wait=wait)
    except Timeout as error:
        raise BusyIndexError("Another process is indexing now.", "Try again when it has finished.") from error
    except OSError as error:
        cause = error.strerror or str(error)
        hint = "Check that its folder can be written."
        raise IndexUnavailableError(f"The index {index} cannot be used: {cause}.", hint) from error
    try:
        yield
    finally:
        lock.release()


def _take(lock: FileLock, waiting: Callable[[], None] | None, *, wait: bool) -> None:
    while True:
        try:
            lock.acquire(timeout=_A_MOMENT if wait else 0.0)
        except Timeout:
            if not wait:
                raise
            if waiting:
                waiting()
        else:
            return
