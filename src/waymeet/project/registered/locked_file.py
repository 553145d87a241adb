"""Small JSON files that several processes change.

Each change is made under a lock, and replaces the file as a whole.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from waymeet.errors import UsageError

_LOCK_SECONDS = 10.0
_Content = TypeVar("_Content", bound=msgspec.Struct)


def read_content(file: Path, content_type: type[_Content], name: str, hint: str) -> _Content:
    """Read a file, or return empty content if there is none.

    `name` is what the file is called in messages, `hint` what to do if it cannot be read.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return msgspec.json.decode(file.read_bytes(), type=content_type)
    except FileNotFoundError:
        return content_type()
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"The {name} {file} cannot be read: {error}.", hint) from error


def file_version(file: Path) -> tuple[int, int, int] | None:
    """Give a value that changes when the file is replaced, None if there is none."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


@contextmanager
def locking(file: Path, name: str) -> Iterator[None]:
    """Hold the lock of a file while it is changed.

    Raises:
        UsageError: another process holds it, or the file cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(file.with_name(f"{file.name}.lock"), timeout=_LOCK_SECONDS, mode=0o600):
            yield
    except Timeout as error:
        raise UsageError(f"Another process changes {file}.", "Try again in a moment.") from error
    except OSError as error:
        hint = "Check the folder and its permissions."
        raise UsageError(f"The {name} {file} cannot be written: {error}.", hint) from error


def replace_content(file: Path, content: msgspec.Struct) -> None:
    """Replace a file, readable by this user only."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(msgspec.json.format(msgspec.json.encode(content), indent=2))
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
