"""How far an answer may be behind the files, and catching up with a few changes before it is given."""

from contextlib import closing
from pathlib import Path
from threading import Lock
from time import monotonic, time_ns
from typing import TYPE_CHECKING

from waymeet.errors import EmbeddingError, IndexUnavailableError
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Degraded

if TYPE_CHECKING:
    from collections.abc import Callable

    from waymeet.ingest.discover.changes import Changes
    from waymeet.staleness.dates import ChangeDates

    TakeIn = Callable[["Changes", Store], object]

_FEW = 20
"""Files that a search may open to see that they are the same; if there are more, that is noted for the next one."""
NOT_CHECKED = Degraded("freshness", "not_checked", "changed files were not looked for: the answer may be behind them")


class SharedCheck:
    """Lets threads that ask at the same time share one look for changed files."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._began = float("-inf")
        self._told: tuple[Degraded, ...] = ()

    def shared(self, look: "Callable[[], tuple[Degraded, ...]]") -> tuple[Degraded, ...]:
        """Look, or take what a look told that began after this was asked."""
        asked = monotonic()
        with self._lock:
            if self._began <= asked:
                began = monotonic()
                self._told = look()
                self._began = began
            return self._told


def refreshed(root: Path, index: Path, store: Store, settings: Settings, take_in: "TakeIn") -> tuple[Degraded, ...]:
    """Take in a few changed files, or say that the answer may be behind the files."""
    lost = gone(root, store)
    if lost:
        return lost
    if settings.ingest.refresh_seconds <= 0:
        return (NOT_CHECKED,)
    changes = looked(root, store, settings)
    if changes is None:
        detail = "too many files to look at before answering: run `waymeet index` to be sure nothing is missing"
        return (Degraded("freshness", "not_checked", detail),)
    missing = tuple(_root_missing(f"the extra root {name} {what}") for name, what in changes.missing)
    left = _left_undone(index, settings, changes, take_in)
    return (*missing, Degraded("freshness", "behind", left)) if left else missing


def looked(root: Path, store: Store, settings: Settings) -> "Changes | None":
    """Compare files and index by size and time; None if the budget for that ran out."""
    from waymeet.ingest.discover.changes import find_changes

    deadline = monotonic() + settings.ingest.refresh_seconds
    return find_changes(root, store, settings, lambda: monotonic() > deadline)


def gone(root: Path, store: Store) -> tuple[Degraded, ...]:
    """Say that the project's folder is gone, if it is; an empty one is, if it was not when it was indexed."""
    from waymeet.ingest.discover.roots import root_problem

    wrong = root_problem(str(root))
    return (_root_missing(f"{root} {wrong}"),) if wrong and store.counts().documents else ()


def moments(root: Path, store: Store, settings: Settings) -> "ChangeDates":
    """Find out when documents and their sources last changed, as far as that is not known yet."""
    from waymeet.ingest.read.safe_read import read_file
    from waymeet.staleness.update_dates import update_change_dates

    def content(path: str) -> bytes | None:
        try:
            return read_file(str(root), path, settings.ingest.max_file_bytes).raw
        except OSError:
            return None

    return update_change_dates(store, root, content, settings, time_ns())


def mended(store: Store) -> tuple[Degraded, ...]:
    """Say what was found damaged while a question was answered, and made anew for it."""
    told = store.repaired_files() if hasattr(store, "repaired_files") else ()
    return tuple(Degraded("index", "mended", f"{each}; it was made anew, the answer is complete") for each in told)


def _left_undone(index: Path, settings: Settings, changes: "Changes", take_in: "TakeIn") -> str:
    """Take changes in, or say why they were not."""
    from waymeet.ingest.discover.changes import removal_warning

    wrong = removal_warning(changes, confirm_above=0)
    if wrong:
        return f"{wrong} If they are meant to be gone, run `waymeet index --accept-removals`"
    if changes.number > settings.ingest.refresh_files:
        return f"{changes.number} files changed since they were indexed, too many to take in now: run `waymeet index`"
    if not changes.number and changes.read <= _FEW:
        return ""
    from waymeet.ingest.lock import index_lock
    from waymeet.stores.sqlite import SqliteStore

    try:  # through a connection of its own, which does not wait long for other writers
        with (
            index_lock(index, wait=False),
            closing(SqliteStore.open(index, timeout=settings.ingest.refresh_seconds)) as hasty,
        ):
            take_in(changes, hasty)
    except (IndexUnavailableError, EmbeddingError) as error:
        return f"changed files could not be taken in: {error.message}" if changes.number else ""
    return ""


def _root_missing(what: str) -> Degraded:
    return Degraded("freshness", "root_missing", f"{what}; the answer is from the index as it was")
