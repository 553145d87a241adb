"""The lock that serialises writers of notes, tasks and skills."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

_POLL_SECONDS = 0.02
"""A write takes a few milliseconds, so a waiting writer gets its turn soon after the lock is free."""


@contextmanager
def hold_write_lock(file: Path, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock of a file against other threads and processes.

    The operating system releases the lock when the process ends, so a writer that crashed does not block others.

    Raises:
        TimeoutError: other writers held the lock for `timeout_seconds`.
        OSError: the lock file cannot be created.
    """
    # A new lock object for each call: threads of one process then exclude each other, too.
    lock = FileLock(file, mode=0o600)
    try:
        lock.acquire(timeout=timeout_seconds, poll_interval=_POLL_SECONDS)
    except Timeout as error:
        raise TimeoutError(f"{file} was locked by another writer for {timeout_seconds:g} seconds.") from error
    try:
        yield
    finally:
        lock.release()
