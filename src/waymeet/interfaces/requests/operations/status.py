"""How the index stands: what it holds, how fresh it is, what was left out."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet import __version__
from waymeet.ingest.status import Status
from waymeet.project import Project
from waymeet.types import Degraded

_SHOWN = 20


class StatusRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the index stands."""

    everything: Annotated[
        bool, Meta(description=f"Name every changed and left-out file, not just the first {_SHOWN} of each.")
    ] = False


class StatusAnswer(Struct, frozen=True, kw_only=True):
    """How the index stands, and what makes answers less than they could be."""

    root: str
    indexed: bool
    """Whether there is an index, made to the end."""
    degraded: tuple[Degraded, ...] = ()
    status: Status | None = None
    """What the index holds; None if there is none."""
    cut: tuple[str, ...] = ()
    version: str = __version__


def answer_status(project: Project, request: StatusRequest) -> StatusAnswer:
    """Say how the index stands; a project without one is an answer, too."""
    if not project.indexed:
        missing = Degraded("index", "no_index", "nothing was indexed here yet, or not to the end: index the project")
        return StatusAnswer(root=str(project.root), indexed=False, degraded=(missing,))
    whole = project.status()
    told = tuple(_degraded(whole))
    if request.everything:
        return StatusAnswer(root=str(project.root), indexed=True, degraded=told, status=whole)
    cut = []
    for name in ("changes", "skipped", "warnings", "namespaces"):
        values = getattr(whole, name) or ()
        if len(values) > _SHOWN:
            cut.append(f"{len(values) - _SHOWN} of {len(values)} {name}: `everything` names them")
            whole = replace(whole, **{name: values[:_SHOWN]})
    return StatusAnswer(root=str(project.root), indexed=True, degraded=told, status=whole, cut=tuple(cut))


def _degraded(status: Status) -> list[Degraded]:
    found = [Degraded("freshness", "root_missing", f"{place} {wrong}") for _, place, wrong in status.roots if wrong]
    if status.changes is None:
        found.append(Degraded("freshness", "not_checked", "changed files could not be looked for in time"))
    elif status.changes:
        found.append(Degraded("freshness", "behind", f"{len(status.changes)} files changed since they were indexed"))
    meaning = status.vectors
    if not meaning.spaces:
        found.append(Degraded("vector", "no_model", "no embedding model is set up: answers come from words and links"))
    elif meaning.embedded < meaning.chunks:
        so_far = f"{meaning.embedded} of {meaning.chunks} sections have a vector"
        found.append(
            Degraded(
                "vector",
                "partial_vectors" if meaning.embedded else "no_vectors",
                f"{so_far}: {meaning.error or 'index the project for the rest'}",
            )
        )
    return found
