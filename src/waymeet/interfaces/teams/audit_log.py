"""The audit log of a team's server: who changed what, and when, without contents.

Each request that changes, or tries to change, notes, tasks, skills or the index has two lines of JSON: one before the
change, without which it is not made, and one with its result. Old lines are moved to `audit.log.1`, `audit.log.2` and
so on.
"""

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from time import time

import msgspec
from msgspec import Struct

from waymeet.errors import UsageError
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.paths import state_folder

_MAX_BYTES = 5_000_000
_OLD_FILES = 5


class AuditEntry(Struct, frozen=True, kw_only=True):
    """A line of the log."""

    time: str
    token: str
    """Name of the token."""
    project: str
    operation: str
    """Name of the route or tool, such as `createNote` or `mcp remember`."""
    result: str
    """`started` before the change, then `done`, or the code of the error."""
    request: str = ""
    """Id of the request."""


def audit_file() -> Path:
    """Give the path of the log."""
    return state_folder() / "audit.log"


class AuditLog:
    """Appends lines to the log. Threads and processes may share it."""

    def __init__(
        self, file: Path, *, max_bytes: int = _MAX_BYTES, old_files: int = _OLD_FILES, clock: Callable[[], float] = time
    ) -> None:
        """Open the log.

        Raises:
            UsageError: it cannot be written.
        """
        self._file, self._max_bytes, self._old_files, self._clock = file, max_bytes, old_files, clock
        self._lock = Lock()
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._append(b"")
        except OSError as error:
            hint = "Check the folder and its permissions; changes are not allowed without the log."
            raise UsageError(f"The audit log {file} cannot be written: {error}.", hint) from error

    def record(self, token: str, project: str, operation: str, result: str, request: str = "") -> None:
        """Add a line.

        Raises:
            OSError: it cannot be written.
        """
        when = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
        entry = AuditEntry(time=when, token=token, project=project, operation=operation, result=result, request=request)
        line = msgspec.json.encode(mask_outgoing(entry, enabled=True)) + b"\n"
        with self._lock:
            self._append(line)
            if self._file.stat().st_size > self._max_bytes:
                self._rotate()

    def _append(self, line: bytes) -> None:
        handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            written = os.write(handle, line)
            if written < len(line):  # a full disk may take a part of the line
                _remove_last(handle, written)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(handle)

    def _rotate(self) -> None:
        """Move the files on by one number, unless another process has just done it."""
        from filelock import FileLock

        with FileLock(self._file.with_name(f"{self._file.name}.lock"), mode=0o600):
            if self._file.stat().st_size <= self._max_bytes:
                return
            for number in range(self._old_files - 1, 0, -1):
                older = self._numbered(number)
                if older.exists():
                    older.replace(self._numbered(number + 1))
            self._file.replace(self._numbered(1))
            self._append(b"")

    def _numbered(self, number: int) -> Path:
        return self._file.with_name(f"{self._file.name}.{number}")


def _remove_last(handle: int, written: int) -> None:
    """Remove the bytes that were written last, unless another process has appended to them."""
    end = os.lseek(handle, 0, os.SEEK_CUR)
    if os.fstat(handle).st_size == end:
        os.ftruncate(handle, end - written)
