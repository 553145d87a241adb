"""Status of an index: its contents, how current it is, and the files left out."""

from pathlib import Path
from time import time_ns

import msgspec
from msgspec import Struct

from waymeet.ingest.discover.changes import Changes
from waymeet.ingest.discover.roots import Root, is_missing, list_roots, root_problem
from waymeet.ingest.discover.run_state import load_run_state
from waymeet.ingest.embed.job import Job
from waymeet.ports import Counts, RunProgress, Store
from waymeet.settings import Settings


class VectorStatus(Struct, frozen=True):
    """Vector coverage of an index, by the chosen embedding models and by earlier ones."""

    spaces: tuple[str, ...] = ()
    """The vector spaces of the chosen models; empty without a model."""
    embedded: int = 0
    """Sections that have a vector in one of these spaces."""
    chunks: int = 0
    """All sections."""
    any_language: int | None = None
    """Sections that can be compared with a query in any language; None if the models cannot do that."""
    approximate: int = 0
    """Sections without a vector that have an approximate one."""
    student_trust: float | None = None
    """Correlation of similarities by approximate and by true vectors in this project; None if it is not measured."""
    answering_spaces: tuple[str, ...] = ()
    """The spaces that queries use: those of the previous models until the chosen ones have embedded every section."""
    unused_spaces: tuple[str, ...] = ()
    """Spaces that hold vectors and are not searched."""
    failures: tuple[str, ...] = ()
    """The reason of each section without a usable vector."""
    job: Job | None = None
    """The embedding job that is running."""
    error: str = ""
    """The error that kept the last job from embedding every section."""


class BackgroundJob(Struct, frozen=True):
    """A background job of an index that works, or waits for the job of another project."""

    pid: int
    """The process that works now, on this project or on the one it waits for; 0 if none does."""
    waits_for: str = ""
    """The project that is worked on before this one; empty if it is this one's turn."""


class Status(Struct, frozen=True):
    """Contents and state of a project's index."""

    root: str
    generation: int
    counts: Counts
    indexed_seconds_ago: float | None
    changes: tuple[str, ...] | None
    """Files that differ from the index; None if there were too many to compare in time."""
    skipped: tuple[tuple[str, str], ...]
    """Files that are left out, with the reason; the first thousand of the last run if there was no time to compare."""
    skipped_count: int
    warnings: tuple[tuple[str, str], ...]
    """Files that are indexed despite a problem, with the problem."""
    index: str = ""
    index_bytes: int = 0
    vectors: VectorStatus = VectorStatus()
    roots: tuple[tuple[str, str, str], ...] = ()
    """Indexed folders: name (empty for the project's own), path, and the problem of its folder, if there is one."""
    namespaces: tuple[tuple[str, str], ...] = ()
    """Folders with a namespace of their own, such as packages, with its name."""
    conflicts: int = 0
    """Open conflicts between notes, tasks and skills."""
    suggested_tiers: tuple[tuple[str, str, str], ...] = ()
    """Notes, tasks and skills whose use suggests another tier: path, tier and reason."""
    settings: tuple[str, ...] = ()
    """Settings that the index keeps from variables and options of the last `waymeet index`, as `key = value`."""
    background: BackgroundJob | None = None
    """The background job of this index."""
    indexing: RunProgress | None = None
    """The progress of a run that is indexing now."""


def build_status(root: Path, store: Store, settings: Settings, changes: Changes | None) -> Status:
    """Collect the status of a store, with `changes` if the files were compared in time."""
    indexed_at = store.metadata("indexed_at")
    skipped = tuple(msgspec.json.decode(store.metadata("skipped") or "[]", type=list[tuple[str, str]]))
    state = load_run_state(store)
    return Status(
        root=str(root),
        generation=store.generation,
        counts=store.counts(),
        indexed_seconds_ago=(time_ns() - int(indexed_at)) / 1e9 if indexed_at else None,
        changes=None if changes is None else (*changes.added, *changes.modified, *changes.removed),
        skipped=skipped if changes is None else tuple((file.path, file.reason) for file in changes.skipped),
        skipped_count=int(store.metadata("skipped_count") or 0) if changes is None else len(changes.skipped),
        warnings=tuple(sorted(state.warnings.items())),
        roots=tuple((extra.name, extra.folder, _problem(extra, store)) for extra in list_roots(root, store, settings)),
        namespaces=tuple(sorted(state.namespaces.items())),
    )


def _problem(root: Root, store: Store) -> str:
    """Describe the problem of a root, or return "" if there is none."""
    problem = root_problem(root.folder)
    return problem if problem and is_missing(root, problem, store.fingerprints()) else ""
