"""Files that are known not to have changed since they were compared with the index.

The state of all files is recorded after a comparison, so that the next one looks at each file once if nothing changed.
A process that answers several queries also watches the folders. While the kernel reports no change, a query need not
look at the files at all. Both work on local file systems of Linux.
"""

import contextlib
import sys
from collections.abc import Callable
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from time import monotonic, time_ns
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from waymeet.paths import file_identity
from waymeet.ports import Store
from waymeet.settings import Settings

if TYPE_CHECKING:
    from waymeet.ingest.discover.changes import Changes
    from waymeet.ingest.discover.file_states import PathState
    from waymeet.ingest.discover.folder_events import FolderEvents


class _Observed(NamedTuple):
    """What a comparison under way has seen."""

    conditions: str
    started_ns: int
    paths: "list[PathState]"


class UnchangedFiles:
    """Whether files changed since they were last compared with the index."""

    def __init__(self, root: Path, index: Path) -> None:
        self._root, self._index = root, index
        self._file = index.with_name(f"{index.name}.files")
        self._checks = 0
        self._events: FolderEvents | None = None
        self._observed: _Observed | None = None
        self._trusted = ""
        """What files and index depended on when they were last equal, if all folders are watched since."""
        self._trusted_at = float("-inf")

    def holds(self, store: Store, settings: Settings) -> bool:
        """Return whether nothing has changed since the last comparison.

        Folders that are watched count as unchanged for `watch.rescan_seconds`, in case a change is not reported.
        """
        if not self._is_local:
            return False
        circumstances = f"{self._conditions(store, settings)} {_last_run(store)}"
        has_changes = self._events is None or self._events.take()
        is_recent = monotonic() - self._trusted_at < settings.watch.rescan_seconds
        if not has_changes and is_recent and self._trusted == circumstances:
            return True
        self._trusted = ""
        self._start_watching(store, settings)
        return self._are_as_recorded(circumstances)

    def observe(self, store: Store, settings: Settings) -> Callable[[str], None]:
        """Prepare for a comparison, and return what must see each path before it is read."""
        from waymeet.ingest.discover.file_states import look_at

        if not self._is_local:
            return lambda _: None
        observed = self._observed = _Observed(self._conditions(store, settings), time_ns(), [])

        def see(path: str) -> None:
            if self._events:
                self._events.watch(path)
            observed.paths.append(look_at(path))

        return see

    def record(self, store: Store, settings: Settings, changes: "Changes") -> None:
        """Record after a comparison that files and index agree."""
        from waymeet.ingest.discover.file_states import collect_states, write_states
        from waymeet.ingest.discover.file_systems import is_local

        observed, self._observed = self._observed, None
        conditions = self._conditions(store, settings) if observed else ""
        if observed is None or observed.conditions != conditions or changes.has_unseen:
            return
        seen = {path.path.rstrip("/") for path in observed.paths}
        if not all(root.folder in seen and is_local(root.folder) for root in changes.roots):
            return
        circumstances = f"{conditions} {_last_run(store)}"
        self._trust(circumstances)
        states = collect_states(circumstances, observed.paths, changes.walked.values(), observed.started_ns)
        if states:
            with contextlib.suppress(OSError):  # a folder that is read-only: the next search compares again
                write_states(self._file, states)

    def close(self) -> None:
        """Stop watching."""
        if self._events:
            self._events.close()
        self._events, self._trusted, self._checks = None, "", 0

    @cached_property
    def _is_local(self) -> bool:
        from waymeet.ingest.discover.file_systems import is_local

        return sys.platform == "linux" and is_local(str(self._root))

    def _start_watching(self, store: Store, settings: Settings) -> None:
        """Prepare to watch from the second check on, because most processes answer one query."""
        from waymeet.ingest.discover.folder_events import open_folder_events
        from waymeet.ingest.discover.roots import list_roots

        self._checks += 1
        if self._checks == 2:
            self._events = open_folder_events([root.folder for root in list_roots(self._root, store, settings)])

    def _are_as_recorded(self, circumstances: str) -> bool:
        """Return whether all files are in the recorded state."""
        from waymeet.ingest.discover.file_states import read_states

        states = read_states(self._file)
        if states is None or states.circumstances != circumstances:
            return False
        if self._events:
            for path in states.paths:  # before they are looked at, so that no change is missed
                self._events.watch(path.path)
        is_unchanged = states.are_unchanged()
        if is_unchanged:
            self._trust(circumstances)
        return is_unchanged

    def _trust(self, circumstances: str) -> None:
        if self._events and self._events.is_complete:
            self._trusted, self._trusted_at = circumstances, monotonic()

    def _conditions(self, store: Store, settings: Settings) -> str:
        """Compute a digest of what a comparison depends on besides files and last run."""
        from waymeet.ingest.discover.global_ignore import read_outer_texts
        from waymeet.ingest.discover.roots import list_roots
        from waymeet.ingest.discover.run_state import installed_extras, parser_fingerprint

        roots = list_roots(self._root, store, settings)
        ingest = replace(settings.ingest, refresh_seconds=0.0, refresh_files=0)  # how long a comparison may take
        conditions = (
            replace(settings, ingest=ingest),
            roots,
            [read_outer_texts(root.folder) for root in roots],
            [file_identity(path) for path in (self._index, *(Path(root.folder) for root in roots))],
            (parser_fingerprint(settings), installed_extras()),
        )
        return blake2b(msgspec.msgpack.encode(conditions), digest_size=16).hexdigest()


def _last_run(store: Store) -> str:
    """Identify the last indexing run, of any process, and what it left to do."""
    return f"{store.metadata('indexed_at')} {store.metadata('pending')}"
