"""Folders below the root, reached without following any link, and what is done to the files in them."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from waymeet.errors import UsageError

_RELATIVE: Final = os.open in os.supports_dir_fd
_CAREFULLY: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})
"""What a file system says that knows no second names for a file."""


class Folder(NamedTuple):
    """An open folder. Where the system can, everything in it is named relative to it, so that no link leads away."""

    path: str
    handle: int | None

    def at(self, name: str) -> str:
        """Give the path by which the system is asked for a file of this folder."""
        return name if self.handle is not None else f"{self.path}/{name}"

    def read(self, name: str, limit: int) -> bytes:
        """Read a regular file of at most `limit` bytes.

        Raises:
            OSError: it is not there, too large, or not a regular file.
        """
        handle = os.open(self.at(name), os.O_RDONLY | _BINARY | _CAREFULLY, dir_fd=self.handle)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            raw = file.read(limit + 1)
        if len(raw) > limit:
            raise OSError(errno.EFBIG, f"larger than the limit of {limit:,} bytes")
        return raw

    def mode(self, name: str) -> int | None:
        """Give the permissions of a file, if it is there."""
        try:
            return stat.S_IMODE(os.stat(self.at(name), dir_fd=self.handle, follow_symlinks=False).st_mode)
        except OSError:
            return None

    def write(self, name: str, raw: bytes, mode: int | None = None) -> None:
        """Write a new file so that it survives a loss of power.

        Raises:
            FileExistsError: the name is taken.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _CAREFULLY
        handle = os.open(self.at(name), flags, 0o666, dir_fd=self.handle)
        with os.fdopen(handle, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(handle, mode & 0o777)
            file.write(raw)
            file.flush()
            os.fsync(handle)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(self.at(name), dir_fd=self.handle)

    def names(self) -> list[str]:
        """List what is in the folder, in order."""
        return sorted(os.listdir(self.path if self.handle is None else self.handle))  # noqa: PTH208 - of an open folder

    def settle(self) -> None:
        """Make sure that what was renamed stays renamed after a loss of power."""
        if self.handle is not None:
            os.fsync(self.handle)


def move(source: Folder, name: str, target: Folder, new: str) -> None:
    """Rename a file, also from one folder to another of the same file system. What had the new name is replaced."""
    os.replace(source.at(name), target.at(new), src_dir_fd=source.handle, dst_dir_fd=target.handle)


def place(source: Folder, name: str, target: Folder, new: str) -> bool:
    """Rename a file to a name that nobody has; False, and nothing is done, if somebody has it."""
    try:
        os.link(
            source.at(name),
            target.at(new),
            src_dir_fd=source.handle,
            dst_dir_fd=target.handle,
            follow_symlinks=False,
        )
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        try:
            target.write(new, source.read(name, 1 << 40), source.mode(name))
        except FileExistsError:
            return False
    source.remove(name)
    return True


@contextmanager
def below(root: Path, path: str, *, create: bool = False) -> Iterator[Folder]:
    """Open a folder below the root, going through no link; with `create`, make what is missing of it.

    Raises:
        UsageError: the path leads out of the root, or through something that is not a folder.
        FileNotFoundError: it is not there.
    """
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if any(part in {"..", ".git"} or "\\" in part or "\0" in part for part in parts):
        raise UsageError(f"{path!r} is not a folder that may be written to.", "Choose one below the project's root.")
    try:
        folder = _opened(root, parts, create=create) if _RELATIVE else _checked(root, parts, create=create)
    except (NotADirectoryError, FileExistsError) as error:
        raise _astray(path) from error
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise _astray(path) from error
    try:
        yield folder
    finally:
        if folder.handle is not None:
            os.close(folder.handle)


def _astray(path: str) -> UsageError:
    return UsageError(
        f"{path} is not a folder of the project: a link or a file stands in the way.",
        "Links are not followed. Move it away, or choose another folder (settings notebook.*).",
    )


def _opened(root: Path, parts: list[str], *, create: bool) -> Folder:
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for part in parts:
        try:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=here)
                    os.fsync(here)
            inside = os.open(part, os.O_RDONLY | os.O_DIRECTORY | _CAREFULLY, dir_fd=here)
        finally:
            os.close(here)
        here = inside
    return Folder(str(root.joinpath(*parts)), here)


def _checked(root: Path, parts: list[str], *, create: bool) -> Folder:
    """Find a folder where the system cannot open one relative to another, after checking where it really lies."""
    wanted = root.resolve().joinpath(*parts)
    if create:
        wanted.mkdir(parents=True, exist_ok=True)
    if wanted.resolve(strict=True) != wanted:
        raise OSError(errno.ELOOP, "a link that may lead outside the root")
    if not wanted.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "not a folder")
    return Folder(str(wanted), None)
