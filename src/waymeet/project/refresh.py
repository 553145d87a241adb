"""Bring the index up to date before a query is answered, as far as there is time."""

from pathlib import Path
from threading import Lock
from time import monotonic

from waymeet.ports import Store
from waymeet.project import freshness, indexing
from waymeet.project.models import Models
from waymeet.project.unchanged import UnchangedFiles
from waymeet.settings import Settings
from waymeet.types import Degraded


class Refresh:
    """The check for changed files of one project, shared by threads that search."""

    def __init__(self, root: Path, models: Models) -> None:
        self._root, self._models = root, models
        self._lock = Lock()
        self._started = float("-inf")
        self._degraded: tuple[Degraded, ...] = ()
        self._unchanged = UnchangedFiles(root, models.index)
        self.is_behind = False
        """Whether the last check left changed files, or files to compare, to a background process."""

    def run(self, store: Store, own: Settings, query: str = "", *, embed: bool) -> tuple[Degraded, ...]:
        """Index changed files by the settings of the index, and report what the index lacks.

        A check that another thread started meanwhile counts, unless it left files that may matter for this query.
        """
        requested = monotonic()
        with self._lock:
            if self._started <= requested or self.is_behind:
                started = monotonic()
                self._degraded = self._index_changes(store, own, query, embed=embed)
                self._started = started
            return self._degraded

    def close(self) -> None:
        """Stop watching the files."""
        with self._lock:
            self._unchanged.close()

    def _index_changes(self, store: Store, own: Settings, query: str, *, embed: bool) -> tuple[Degraded, ...]:
        self.is_behind = False
        root_missing = freshness.report_elsewhere(store) or freshness.report_missing_root(self._root, store)
        if root_missing:
            return root_missing
        if own.ingest.refresh_seconds <= 0:
            return (freshness.NOT_CHECKED,)
        if self._unchanged.holds(store, own):
            return ()
        changes = freshness.find_quick_changes(self._root, store, own, self._unchanged.observe(store, own))
        if changes is None:
            self.is_behind = True
            return (freshness.report_too_many_files(),)
        missing_roots = freshness.report_missing_extra_roots(changes)
        reason = freshness.reason_to_postpone(changes)
        if not reason:
            reason, left = indexing.index_before_search(self._root, self._models, own, changes, query, embed=embed)
            self.is_behind = left > 0
        notes = (*missing_roots, *freshness.report_behind(reason))
        if not notes and not self.is_behind:
            self._unchanged.record(store, own, changes)
        return notes
