"""How an index stands: what it holds, how fresh it is, what was left out."""

from pathlib import Path
from time import time_ns

import msgspec
from msgspec import Struct

from waymeet.ingest.discover.changes import Changes
from waymeet.ingest.discover.roots import Root, list_roots, root_problem
from waymeet.ingest.discover.run_state import recalled
from waymeet.ingest.embed.job import Job
from waymeet.ports import Counts, Store
from waymeet.settings import Settings


class VectorStatus(Struct, frozen=True):
    """How an index stands to the models of meaning."""

    spaces: tuple[str, ...] = ()
    """The spaces of the models that were chosen; empty without a model."""
    embedded: int = 0
    """Sections that have a vector of one of them."""
    chunks: int = 0
    answering_spaces: tuple[str, ...] = ()
    """The spaces that questions are asked in: until all is embedded by the chosen models, those of others."""
    unused_spaces: tuple[str, ...] = ()
    """Spaces that hold vectors and are not asked."""
    failures: tuple[str, ...] = ()
    """Why sections have no vector that can be used, one by one."""
    job: Job | None = None
    """The embedding job that runs now."""
    error: str = ""
    """What kept the last job from embedding all."""


class Status(Struct, frozen=True):
    """What a project's index holds and how it stands."""

    root: str
    generation: int
    counts: Counts
    indexed_seconds_ago: float | None
    changes: tuple[str, ...] | None
    """Files that differ from the index; None if there were too many to look at in time."""
    skipped: tuple[tuple[str, str], ...]
    """Files that are left out, with the reason; the first thousand of them if there was no time to look."""
    skipped_count: int
    warnings: tuple[tuple[str, str], ...]
    """Files that are indexed although something was wrong with them, with what it was."""
    index: str = ""
    index_bytes: int = 0
    vectors: VectorStatus = VectorStatus()
    roots: tuple[tuple[str, str, str], ...] = ()
    """Folders that are indexed: name (empty for the project's own), place, and what is wrong with it, if anything."""
    namespaces: tuple[tuple[str, str], ...] = ()
    """Folders that have a name of their own, such as packages, and that name."""


def build_status(root: Path, store: Store, settings: Settings, changes: Changes | None) -> Status:
    """Put together what a store tells of itself and how its files differ from it; None if that is not known."""
    at = store.metadata("indexed_at")
    skipped = tuple(msgspec.json.decode(store.metadata("skipped") or "[]", type=list[tuple[str, str]]))
    notes = recalled(store)
    return Status(
        root=str(root),
        generation=store.generation,
        counts=store.counts(),
        indexed_seconds_ago=(time_ns() - int(at)) / 1e9 if at else None,
        changes=None if changes is None else (*changes.added, *changes.modified, *changes.removed),
        skipped=skipped if changes is None else tuple((each.path, each.reason) for each in changes.skipped),
        skipped_count=int(store.metadata("skipped_count") or 0) if changes is None else len(changes.skipped),
        warnings=tuple(sorted(notes.noted.items())),
        roots=tuple((each.name, each.folder, _missed(each, store)) for each in list_roots(root, store, settings)),
        namespaces=tuple(sorted(notes.namespaces.items())),
    )


def _missed(root: Root, store: Store) -> str:
    """Say what is wrong with a root, if anything; an empty one is well if it was so when it was indexed."""
    wrong = root_problem(root.folder)
    if wrong.startswith("is empty") and not any(path.startswith(root.prefix) for path in store.fingerprints()):
        return ""
    return wrong
