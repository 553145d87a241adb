"""Files that are known not to have changed since they were compared with the index.

A process that answers more than one query watches the folders of its project. While the kernel reports no change, a
query need not compare the files with the index.
"""

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from waymeet.ports import Store
from waymeet.settings import Settings

if TYPE_CHECKING:
    from waymeet.ingest.discover.folder_events import FolderEvents
    from waymeet.ingest.discover.roots import Root


class _Circumstances(NamedTuple):
    """What a comparison depends on besides the files below the roots."""

    settings: Settings
    roots: "tuple[Root, ...]"
    identities: tuple[tuple[int, int], ...]
    """Device and inode of each root."""
    ignore_files: tuple[tuple[str, ...], ...]
    """Content of the ignore files outside of each root."""
    last_run: str
    """When files were last compared by an indexing run, of any process."""


class UnchangedFiles:
    """Whether files changed since they were last compared with the index."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._comparisons = 0
        self._events: FolderEvents | None = None
        self._before: _Circumstances | None = None
        """Circumstances of the comparison under way."""
        self._compared: _Circumstances | None = None
        """Circumstances of the last one, if it found or made files and index equal."""
        self._compared_at = float("-inf")

    def holds(self, store: Store, settings: Settings) -> bool:
        """Return whether nothing has changed since the recorded comparison.

        A comparison counts for `watch.rescan_seconds`, in case a change was not reported.
        """
        if self._events is None or self._events.take():
            self._compared = None
            return False
        is_recent = monotonic() - self._compared_at < settings.watch.rescan_seconds
        return self._compared is not None and is_recent and self._compared == self._circumstances(store, settings)

    def watch(self, store: Store, settings: Settings) -> Callable[[str], None]:
        """Prepare for a comparison, and return what watches a folder.

        It is to be called before the folder is listed. The first comparison of a process watches nothing, because most
        processes answer one query.
        """
        from waymeet.ingest.discover.folder_events import open_folder_events
        from waymeet.ingest.discover.roots import list_roots

        self._comparisons += 1
        if self._comparisons == 2:
            roots = list_roots(self._root, store, settings)
            self._events = open_folder_events([root.folder for root in roots])
        if self._events is None:
            return lambda _: None
        self._before, self._compared = self._circumstances(store, settings), None
        self._compared_at = monotonic()
        return self._events.watch

    def record(self, store: Store) -> None:
        """Record that files and index agree after a comparison, if all folders are watched."""
        before, self._before = self._before, None
        if before and self._events and self._events.are_watched(root.folder for root in before.roots):
            self._compared = before._replace(last_run=_last_run(store))

    def close(self) -> None:
        """Stop watching."""
        if self._events:
            self._events.close()
        self._events, self._compared, self._comparisons = None, None, 0

    def _circumstances(self, store: Store, settings: Settings) -> _Circumstances:
        from waymeet.ingest.discover.global_ignore import read_outer_texts
        from waymeet.ingest.discover.roots import list_roots

        roots = list_roots(self._root, store, settings)
        return _Circumstances(
            settings,
            roots,
            tuple(_identify(root.folder) for root in roots),
            tuple(read_outer_texts(root.folder) for root in roots),
            _last_run(store),
        )


def _last_run(store: Store) -> str:
    return store.metadata("indexed_at")


def _identify(folder: str) -> tuple[int, int]:
    """Identify a folder by device and inode, or by zeros if it does not exist."""
    try:
        state = Path(folder).stat()
    except OSError:
        return 0, 0
    return state.st_dev, state.st_ino
