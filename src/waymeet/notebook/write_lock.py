"""One writer at a time: who has to wait is woken by the system, and asks nobody again and again meanwhile.

Fifty processes that look every few milliseconds whether it is their turn take the processor away from the one whose
turn it is, and whoever looks at the right moment is next, however long others have waited.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import ENOSYS
from pathlib import Path
from threading import Event, Lock, Thread

from filelock import FileLock, Timeout

if sys.platform != "win32":
    import fcntl

_OFTEN = 0.02


@contextmanager
def alone(file: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of a file; the system takes it back when the process ends, however it ends.

    Raises:
        TimeoutError: others held it for so long.
        OSError: the file cannot be used.
    """
    try:
        letting_go = _polled(file, seconds) if sys.platform == "win32" else _locked(file, seconds)
    except OSError as error:
        if error.errno != ENOSYS:
            raise
        letting_go = _polled(file, seconds)  # a file system that has no such locks
    try:
        yield
    finally:
        letting_go()


def _polled(file: Path, seconds: float) -> Callable[[], None]:
    """Take the lock by looking again and again; give what lets go of it."""
    lock = FileLock(file, mode=0o600)
    try:
        lock.acquire(timeout=seconds, poll_interval=_OFTEN)
    except Timeout as error:
        raise TimeoutError from error
    return lock.release


def _locked(file: Path, seconds: float) -> Callable[[], None]:
    """Wait for the lock; give what lets go of it."""
    wire = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def let_go() -> None:
        fcntl.flock(wire, fcntl.LOCK_UN)  # to close it is not enough while a process that is being started has it, too
        os.close(wire)

    try:
        fcntl.flock(wire, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _Waiting(wire).until(seconds)
    except BaseException:
        os.close(wire)
        raise
    return let_go


class _Waiting:
    """A thread that waits for a lock: the system's own waiting knows no end, and cannot be called off."""

    def __init__(self, wire: int) -> None:
        self._wire = wire
        self._came = Event()
        self._deciding = Lock()
        self._unwanted = False
        self._trouble: OSError | None = None

    def until(self, seconds: float) -> None:
        """Wait so long; who is no longer waited for lets go of the lock as soon as he has it."""
        Thread(target=self._wait, name="waymeet-turn", daemon=True).start()
        try:
            self._came.wait(seconds)
        finally:
            with self._deciding:
                self._unwanted = not self._came.is_set()
        if self._trouble is not None:
            os.close(self._wire)
            raise self._trouble
        if self._unwanted:
            raise TimeoutError

    def _wait(self) -> None:
        try:
            fcntl.flock(self._wire, fcntl.LOCK_EX)
        except OSError as error:
            self._trouble = error
        with self._deciding:
            self._came.set()
            if self._unwanted:
                os.close(self._wire)
