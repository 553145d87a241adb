"""Reading of files below a root without following links out of it."""

import errno
import os
import stat
from typing import Final

from msgspec import Struct

_SAFE_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFE_FLAGS
_FILE_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | _SAFE_FLAGS


class Content(Struct, frozen=True):
    """Content of a file, with its size and modification time before it was read."""

    raw: bytes
    size: int
    modified_ns: int


def read_file(root: str, path: str, limit: int) -> Content:
    """Read a regular file of at most `limit` bytes without following links below the root.

    The file may have changed since the walk saw it, so its type and size are checked again.

    Raises:
        OSError: the file is gone, unreadable, too large, or not a regular file.
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
    """Open a file folder by folder, each relative to its parent, so that no link is followed."""
    if os.open not in os.supports_dir_fd:
        return _open_checked(root, path)
    *folders, name = path.split("/")
    if not name or ".." in folders or name == "..":
        raise OSError(errno.EINVAL, "not a path below the root")
    parent = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            child = os.open(folder, _FOLDER_FLAGS, dir_fd=parent)
            os.close(parent)
            parent = child
        return os.open(name, _FILE_FLAGS, dir_fd=parent)
    finally:
        os.close(parent)


def _open_checked(root: str, path: str) -> int:
    """Open a file after checking its real path, on systems without opening relative to a folder."""
    real = os.path.realpath(root)
    path_below = os.path.normpath(f"{real}/{path}")
    if os.path.realpath(path_below) != path_below or os.path.commonpath([real, path_below]) != real:
        raise OSError(errno.ELOOP, "a link that may lead outside the root")
    return os.open(path_below, _FILE_FLAGS)
