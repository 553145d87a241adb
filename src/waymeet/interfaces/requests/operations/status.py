"""The status operation: describe the index, changed files and skipped files."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet import __version__
from waymeet.ingest.status import Status
from waymeet.notebook.review.conflicts import Conflict
from waymeet.project import Project
from waymeet.types import Degraded

_MAX_LISTED = 20
_LISTS = ("changes", "skipped", "warnings", "namespaces", "suggested_tiers")


class StatusRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Get the status of the index."""

    everything: Annotated[
        bool, Meta(description=f"List every changed and skipped file, not only the first {_MAX_LISTED} of each.")
    ] = False


class StatusAnswer(Struct, frozen=True, kw_only=True):
    """The status of the index, and what degrades answers at the moment."""

    root: str
    indexed: bool
    """Whether there is a complete index."""
    degraded: tuple[Degraded, ...] = ()
    status: Status | None = None
    """Counts and lists; None if there is no index."""
    conflicts: tuple[Conflict, ...] = ()
    """Notes, tasks and skills that contradict or nearly repeat each other, the oldest first."""
    cut: tuple[str, ...] = ()
    """Descriptions of what was left out to keep the answer short."""
    version: str = __version__


def answer_status(project: Project, request: StatusRequest) -> StatusAnswer:
    """Describe the index, or report that there is none."""
    root = str(project.root)
    if not project.is_indexed:
        missing = Degraded("index", "no_index", "the project is not indexed, or not completely: index it")
        return StatusAnswer(root=root, indexed=False, degraded=(missing,))
    status = project.status()
    degraded = tuple(_list_degraded(status))
    conflicts = project.notebook.review.conflicts() if status.conflicts else ()
    if request.everything:
        return StatusAnswer(root=root, indexed=True, degraded=degraded, status=status, conflicts=conflicts)
    cut = []
    if len(conflicts) > _MAX_LISTED:
        cut.append(f"{len(conflicts) - _MAX_LISTED} of {len(conflicts)} conflicts: set `everything` to list them")
    for name in _LISTS:
        values = getattr(status, name) or ()
        if len(values) > _MAX_LISTED:
            cut.append(f"{len(values) - _MAX_LISTED} of {len(values)} {name}: set `everything` to list them")
            status = replace(status, **{name: values[:_MAX_LISTED]})
    return StatusAnswer(
        root=root,
        indexed=True,
        degraded=degraded,
        status=status,
        conflicts=conflicts[:_MAX_LISTED],
        cut=tuple(cut),
    )


def _list_degraded(status: Status) -> list[Degraded]:
    """List the conditions that degrade answers."""
    degraded = [
        Degraded("freshness", "root_missing", f"{folder} {problem}") for _, folder, problem in status.roots if problem
    ]
    if status.changes is None:
        degraded.append(Degraded("freshness", "not_checked", "no time to check for changed files"))
    elif status.changes:
        degraded.append(Degraded("freshness", "behind", f"{len(status.changes)} files changed since they were indexed"))
    vectors = status.vectors
    if not vectors.spaces:
        detail = "no embedding model configured; results come from words and links only"
        degraded.append(Degraded("vector", "no_model", detail))
    elif vectors.embedded < vectors.chunks:
        code = "partial_vectors" if vectors.embedded else "no_vectors"
        reason = vectors.error or "index the project for the rest"
        detail = f"{vectors.embedded} of {vectors.chunks} sections have a vector: {reason}"
        degraded.append(Degraded("vector", code, detail))
    return degraded
