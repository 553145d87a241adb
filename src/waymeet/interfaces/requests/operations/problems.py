"""The problems operation: list stale documents, broken links and orphans."""

from time import time_ns
from typing import Annotated

from msgspec import Meta, Struct

from waymeet.ingest.discover.run_state import renamed_paths
from waymeet.interfaces.requests.fields import Paths, relative_to_root
from waymeet.project import Project
from waymeet.search.explore.broken_links import BrokenLink, Orphan, find_broken_links, find_orphans
from waymeet.staleness.references import find_unindexed
from waymeet.staleness.verdicts import StaleDocument, list_stale
from waymeet.types import Degraded


class ProblemsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List documents that may be stale, broken links, and documents without incoming links."""

    paths: Paths = ()
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum entries of each list.")] = 100


class ProblemsAnswer(Struct, frozen=True, kw_only=True):
    """Stale documents, broken links and orphans."""

    stale: tuple[StaleDocument, ...]
    """The worst first."""
    broken_links: tuple[BrokenLink, ...]
    total_stale: int
    total_broken: int
    orphans: tuple[Orphan, ...] = ()
    """Documents of the kind `docs` that no other document links to, without entry pages such as README."""
    total_orphans: int = 0
    notes: tuple[str, ...] = ()
    """What could not be checked."""
    degraded: tuple[Degraded, ...] = ()


def answer_problems(project: Project, request: ProblemsRequest) -> ProblemsAnswer:
    """List the problems of the project, or of some paths."""
    store, degraded = project.refreshed_store()
    below = [relative_to_root(project.root, path) for path in request.paths]
    dates = project.change_dates(store)
    judged = list_stale(store, project.settings, time_ns(), dates, below)
    stale = [document for document in judged if document.state in {"stale", "possibly_stale"}]
    with store.snapshot():
        links = find_broken_links(
            store, renamed_paths(store), lambda name: bool(find_unindexed(project.root, [name])), below
        )
        orphans = find_orphans(store, ("docs",), below)
    return ProblemsAnswer(
        stale=tuple(stale[: request.limit]),
        broken_links=tuple(links[: request.limit]),
        total_stale=len(stale),
        total_broken=len(links),
        orphans=orphans[: request.limit],
        total_orphans=len(orphans),
        notes=dates.notes,
        degraded=degraded,
    )
