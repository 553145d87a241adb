"""Events of the Linux kernel for folders: whether anything in them changed.

The kernel queues an event before the call that changes a file returns. With an empty queue, nothing in the watched
folders has changed. Not reported are writes to mapped memory, writes through a hard link outside of these folders, and
changes by other machines.
"""

import errno
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from waymeet.ingest.discover.file_systems import is_local

if TYPE_CHECKING:
    from inotify_simple import INotify  # type: ignore[import-untyped]

_MAX_QUEUES = 16
"""Projects that one process watches at most. A user may have 128 queues by default, and other programs need some."""
_MAX_FOLDERS = 20_000
"""Folders that one process watches at most. The kernel keeps about one kilobyte for each."""
_MAX_SHARE = 4
"""The share of the folders that a user may watch, likewise: a quarter."""
_LIMIT_FILE = Path("/proc/sys/fs/inotify/max_user_watches")
_PASSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP})
"""Errors of a folder that is gone or cannot be read. The folder above reports when that changes."""


def open_folder_events(roots: Iterable[str]) -> "FolderEvents | None":
    """Prepare to watch the folders of some roots, or return None if changes may go unreported."""
    if sys.platform != "linux" or FolderEvents.queues >= _MAX_QUEUES or not all(map(is_local, roots)):
        return None
    from inotify_simple import INotify  # noqa: PLC0415 - only on Linux, and only for a process that searches again

    try:
        return FolderEvents(INotify(nonblocking=True))
    except OSError:  # too many watchers of this user; files are compared instead, as on other systems
        return None


class FolderEvents:
    """Watched folders, and whether something in them changed."""

    queues = 0
    """Number of queues of this process."""
    folders = 0
    """Number of folders that this process watches. Threads may count past each other by a few."""

    def __init__(self, queue: "INotify") -> None:
        from inotify_simple import flags  # noqa: PLC0415 - as above

        self._queue = queue
        self._watched: set[str] = set()
        FolderEvents.queues += 1
        self.is_complete = True
        """Whether all folders are watched."""
        self._mask = (
            flags.MODIFY | flags.ATTRIB | flags.MOVED_FROM | flags.MOVED_TO | flags.CREATE | flags.DELETE
            | flags.DELETE_SELF | flags.MOVE_SELF | flags.ONLYDIR
        )  # fmt: skip

    def watch(self, folder: str) -> None:
        """Watch what is directly in a folder from now on."""
        is_new = folder not in self._watched
        if is_new and FolderEvents.folders >= _max_folders():
            self.is_complete = False
            return
        try:
            self._queue.add_watch(folder, self._mask)
        except OSError as error:
            self.is_complete = self.is_complete and error.errno in _PASSING
            return
        self._watched.add(folder)
        FolderEvents.folders += is_new

    def take(self) -> bool:
        """Empty the queue, and return whether something had changed."""
        return bool(list(self._queue.read(timeout=0)))

    def close(self) -> None:
        """Stop watching."""
        if not self._queue.closed:
            FolderEvents.queues -= 1
            FolderEvents.folders -= len(self._watched)
        self._queue.close()

    def __del__(self) -> None:
        """Stop watching when a project is no longer used and was not closed."""
        self.close()


@cache
def _max_folders() -> int:
    """Return how many folders this process may watch."""
    try:
        limit = int(_LIMIT_FILE.read_text(encoding="ascii")) // _MAX_SHARE
    except (OSError, ValueError):
        return 0
    return min(limit, _MAX_FOLDERS)
