"""Reading a file below a root, and nothing that lies outside of it."""

import errno
import os
import stat
from typing import Final

from msgspec import Struct

_SAFELY: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFELY
_FILE: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | _SAFELY


class Content(Struct, frozen=True):
    """What a file held, with its state just before it was read."""

    raw: bytes
    size: int
    modified_ns: int


def read_file(root: str, path: str, limit: int) -> Content:
    """Read a regular file of at most `limit` bytes, following no link on the way from the root to it.

    The walk has seen that it is such a file, but that may have changed since.

    Raises:
        OSError: it is gone, unreadable, too large, or not a regular file.
    """
    descriptor = _open_below(root, path)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        with open(descriptor, "rb", closefd=False) as file:
            raw = file.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(raw) > limit:
        raise OSError(errno.EFBIG, f"larger than the limit of {limit:,} bytes")
    return Content(raw, len(raw), state.st_mtime_ns)


def _open_below(root: str, path: str) -> int:
    """Open a file folder by folder, each relative to the one before, so that no link can lead away."""
    if os.open not in os.supports_dir_fd:
        return _open_checked(root, path)
    *folders, name = path.split("/")
    if not name or ".." in folders or name == "..":
        raise OSError(errno.EINVAL, "not a path below the root")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, _FILE, dir_fd=here)
    finally:
        os.close(here)


def _open_checked(root: str, path: str) -> int:
    """Open a file where the system cannot open relative to a folder, after checking where it really lies."""
    real = os.path.realpath(root)
    wanted = os.path.normpath(f"{real}/{path}")
    if os.path.realpath(wanted) != wanted or os.path.commonpath([real, wanted]) != real:
        raise OSError(errno.ELOOP, "a link that may lead outside the root")
    return os.open(wanted, _FILE)
