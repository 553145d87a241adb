"""Compare files and index before a query is answered, and report what the index lacks."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic, time_ns
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.ports import RepairedFile, Store
from waymeet.project.backend import other_owner, repaired_files
from waymeet.settings import Settings
from waymeet.types import Degraded

if TYPE_CHECKING:
    from waymeet.ingest.discover.changes import Changes
    from waymeet.staleness.dates import ChangeDates

_MAX_READ = 20
"""Unchanged files that a search may read to see that they are unchanged before it records their new times."""
NOT_CHECKED = Degraded("freshness", "not_checked", "index not checked for changed files; results may be out of date")


def find_quick_changes(
    root: Path, store: Store, settings: Settings, on_path: Callable[[str], None] = lambda _: None
) -> "Changes | None":
    """Compare files and index by size and time, or return None if there is no time.

    `ingest.refresh_seconds` limits the time. `on_path` is called with each folder and ignore file before it is read.
    """
    from waymeet.ingest.discover.changes import find_changes

    deadline = monotonic() + settings.ingest.refresh_seconds
    return find_changes(root, store, settings, lambda: monotonic() > deadline, on_path)


def limit_time(settings: Settings, seconds: bool | float) -> Settings:
    """Limit the time in which changed files are looked for and indexed.

    True is the time of the settings.
    """
    if seconds is True:
        return settings
    limited = max(min(float(seconds), settings.ingest.refresh_seconds), 0.0)
    return replace(settings, ingest=replace(settings.ingest, refresh_seconds=limited))


def report_missing_root(root: Path, store: Store) -> tuple[Degraded, ...]:
    """Report that the project's folder is missing, or empty although files of it are indexed."""
    from waymeet.ingest.discover.roots import root_problem

    problem = root_problem(str(root))
    return (_root_missing(f"{root} {problem}"),) if problem and store.counts().documents else ()


def report_elsewhere(store: Store) -> tuple[Degraded, ...]:
    """Report that the files of the index are on another machine and were not compared."""
    owner = other_owner(store)
    detail = f"the files are in {owner}; the answer comes from the store as it was indexed there"
    return (Degraded("freshness", "not_checked", detail),) if owner else ()


def report_unchecked(root: Path, store: Store) -> tuple[Degraded, ...]:
    """Report that files were not compared with the index, and whether its first run ended."""
    notes = report_elsewhere(store) or (*report_missing_root(root, store), NOT_CHECKED)
    if store.metadata("indexed_at"):
        return notes
    detail = f"the first indexing run is not finished; {store.counts().documents} files and folders are indexed so far"
    return (*notes, Degraded("freshness", "incomplete", detail))


def report_missing_extra_roots(changes: "Changes") -> tuple[Degraded, ...]:
    """Report extra roots that are missing."""
    return tuple(_root_missing(f"the extra root {name} {problem}") for name, problem in changes.missing)


def report_too_many_files() -> Degraded:
    """Report that there was no time to compare all files with the index."""
    detail = "too many files to check before answering: run `waymeet index` to be sure that nothing is missing"
    return Degraded("freshness", "not_checked", detail)


def describe_postponed(left: int, number: int) -> str:
    """Describe how many of the changed files were not indexed before the answer."""
    if left == number:
        return f"{number} changed files are not in the index yet: run `waymeet index`"
    return (
        f"{left} of {number} changed files are not in the index yet (the likeliest ones for this query are): later "
        "searches index more of them, `waymeet index` all"
    )


def report_behind(reason: str) -> tuple[Degraded, ...]:
    """Report that changed files are not in the index yet."""
    return (Degraded("freshness", "behind", reason),) if reason else ()


def report_repairs(store: Store) -> tuple[Degraded, ...]:
    """Report the index files that were found missing or corrupt during this query."""
    return tuple(_describe_repair(file) for file in repaired_files(store))


def _describe_repair(file: RepairedFile) -> Degraded:
    if not file.lost_vectors:
        return Degraded("index", "mended", f"{file.cause}; it was rebuilt, the answer is complete")
    detail = f"{file.cause}; {file.lost_vectors:,} vectors were lost with it: `waymeet index` computes them again"
    return Degraded("index", "lost_vectors", detail)


def reason_to_postpone(changes: "Changes") -> str:
    """Return why a search must not index these changes itself, or the empty string."""
    from waymeet.ingest.discover.changes import removal_warning

    warning = removal_warning(changes, confirm_above=0)
    return f"{warning} If they are meant to be gone, run `waymeet index --accept-removals`" if warning else ""


def is_worth_recording(changes: "Changes") -> bool:
    """Tell whether there are changed files, or many new times of unchanged files, to write."""
    return bool(changes.number) or changes.read > _MAX_READ


def update_dates(root: Path, store: Store, settings: Settings, *, search_history: bool = False) -> "ChangeDates":
    """Update the dates at which documents and their sources last changed.

    With `search_history`, names that documents mention are looked for in the whole git history.
    """
    from waymeet.ingest.discover.roots import list_roots
    from waymeet.staleness.recency import update_commit_dates
    from waymeet.staleness.update_dates import update_change_dates

    for each in list_roots(root, store, settings):
        read = partial(_read_bytes, each.folder, settings.ingest.max_file_bytes)
        update_commit_dates(store, Path(each.folder), each.prefix, read, settings.staleness.git_seconds)
    read = partial(_read_bytes, str(root), settings.ingest.max_file_bytes)
    return update_change_dates(store, root, read, settings, time_ns(), search_history=search_history)


def _read_bytes(folder: str, max_bytes: int, path: str) -> bytes | None:
    """Read a file below a folder, or return None if it cannot be read."""
    from waymeet.ingest.read.safe_read import read_file

    try:
        return read_file(folder, path, max_bytes).raw
    except OSError:
        return None


def _root_missing(problem: str) -> Degraded:
    return Degraded("freshness", "root_missing", f"{problem}; the answer comes from the index as it was")
