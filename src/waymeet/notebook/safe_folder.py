"""File operations in folders below the project's root that never follow a symbolic link.

A repository of someone else may contain symbolic links that lead out of the project. Checking a path first and opening
it afterwards is not enough, because a folder can be replaced by a link in between. So each folder on the way is opened
with `O_NOFOLLOW` relative to the folder above it (`openat`), and files are named relative to the open folder. A folder
that is moved or replaced later does not change what the open descriptor refers to.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from waymeet.errors import UsageError

_HAS_OPENAT: Final = os.open in os.supports_dir_fd
# O_NOFOLLOW: fail with ELOOP instead of following a link. O_NONBLOCK: do not wait for the other end of a named pipe.
_SAFE_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NO_HARD_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})
"""Errors of file systems without hard links."""


class Folder(NamedTuple):
    """An open folder, with files named relative to its descriptor where possible."""

    path: str
    handle: int | None
    """The descriptor, or None on systems without `openat`."""

    def path_of(self, name: str) -> str:
        """Return the path of a file for a system call, relative to the descriptor if there is one."""
        return name if self.handle is not None else f"{self.path}/{name}"

    def read(self, name: str, limit: int) -> bytes:
        """Read a regular file of at most `limit` bytes.

        Raises:
            OSError: the file does not exist, is too large, or is not a regular file.
        """
        handle = os.open(self.path_of(name), os.O_RDONLY | _BINARY | _SAFE_FLAGS, dir_fd=self.handle)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            raw = file.read(limit + 1)
        if len(raw) > limit:
            raise OSError(errno.EFBIG, f"larger than the limit of {limit:,} bytes")
        return raw

    def mode(self, name: str) -> int | None:
        """Return the permissions of a file, or None if it does not exist."""
        try:
            return stat.S_IMODE(os.stat(self.path_of(name), dir_fd=self.handle, follow_symlinks=False).st_mode)
        except OSError:
            return None

    def write(self, name: str, raw: bytes, mode: int | None = None) -> None:
        """Write a new file and flush it to disk.

        Raises:
            FileExistsError: a file of that name exists.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _SAFE_FLAGS
        handle = os.open(self.path_of(name), flags, 0o666, dir_fd=self.handle)
        with os.fdopen(handle, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(handle, mode & 0o777)
            file.write(raw)
            file.flush()
            os.fsync(handle)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        with suppress(FileNotFoundError):
            os.unlink(self.path_of(name), dir_fd=self.handle)

    def names(self) -> list[str]:
        """List the files in the folder by name."""
        return sorted(os.listdir(self.path if self.handle is None else self.handle))  # noqa: PTH208 - of an open folder

    def sync(self) -> None:
        """Flush renames in the folder to disk, so that they survive a loss of power."""
        if self.handle is not None:
            os.fsync(self.handle)


def move_file(source: Folder, name: str, target: Folder, new_name: str) -> None:
    """Rename a file within a file system, replacing a file of the new name."""
    os.replace(source.path_of(name), target.path_of(new_name), src_dir_fd=source.handle, dst_dir_fd=target.handle)


def move_if_free(source: Folder, name: str, target: Folder, new_name: str) -> bool:
    """Rename a file unless a file of the new name exists, and return whether it was renamed."""
    # `rename` overwrites silently, while `link` fails if the name exists. So link the new name, then remove the old.
    try:
        os.link(
            source.path_of(name),
            target.path_of(new_name),
            src_dir_fd=source.handle,
            dst_dir_fd=target.handle,
            follow_symlinks=False,
        )
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        try:
            target.write(new_name, source.read(name, 1 << 40), source.mode(name))
        except FileExistsError:
            return False
    source.remove(name)
    return True


@contextmanager
def open_folder(root: Path, path: str, *, create: bool = False) -> Iterator[Folder]:
    """Open a folder below the root without following links, with `create` after making it.

    Raises:
        UsageError: the path leads out of the root, or through something that is not a folder.
        FileNotFoundError: the folder does not exist.
    """
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if any(part in {"..", ".git"} or "\\" in part or "\0" in part for part in parts):
        raise UsageError(f"{path!r} is not a folder that may be written to.", "Choose one below the project's root.")
    try:
        folder = _open_relative(root, parts, create=create) if _HAS_OPENAT else _open_path(root, parts, create=create)
    except (NotADirectoryError, FileExistsError) as error:
        raise _not_a_folder_error(path) from error
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise _not_a_folder_error(path) from error
    try:
        yield folder
    finally:
        if folder.handle is not None:
            os.close(folder.handle)


def _not_a_folder_error(path: str) -> UsageError:
    return UsageError(
        f"{path} is not a folder of the project: part of the path is a link or a file.",
        "Links are not followed. Move the link or file, or choose another folder (settings notebook.*).",
    )


def _open_relative(root: Path, parts: list[str], *, create: bool) -> Folder:
    """Open folder after folder, each relative to the descriptor of the one above."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for part in parts:
        try:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=handle)
                    os.fsync(handle)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | _SAFE_FLAGS, dir_fd=handle)
        finally:
            os.close(handle)
        handle = below
    return Folder(str(root.joinpath(*parts)), handle)


def _open_path(root: Path, parts: list[str], *, create: bool) -> Folder:
    """Find a folder on a system without `openat`, after checking that its path contains no link."""
    path = root.resolve().joinpath(*parts)
    if create:
        path.mkdir(parents=True, exist_ok=True)
    if path.resolve(strict=True) != path:
        raise OSError(errno.ELOOP, "a link that may lead outside the root")
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "not a folder")
    return Folder(str(path), None)
