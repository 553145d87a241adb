"""What lies around a document, judged by links."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.interfaces.requests.budget import cost
from waymeet.interfaces.requests.fields import Budget, LinkTypes, Reference, relative_to_root
from waymeet.project import Project
from waymeet.search.explore.graph import Connection, list_connections, node_id
from waymeet.search.explore.related import Direction, Related, rank_related
from waymeet.search.lookup.find import find_target
from waymeet.types import Degraded


class RelatedRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The neighbourhood of a document, section or symbol: its own links, and what they connect it with."""

    id: Reference
    link_types: LinkTypes = ()
    direction: Annotated[
        Direction, Meta(description="Follow links both ways, only those that lead out, or only those that come in.")
    ] = "both"
    depth: Annotated[int, Meta(ge=1, le=5, description="How many links far to look.")] = 2
    limit: Annotated[int, Meta(ge=1, le=1000, description="Most documents, and most links, to name.")] = 10
    budget: Budget = 0


class RelatedAnswer(Struct, frozen=True, kw_only=True):
    """What belongs to a document and why."""

    id: str
    """What was meant."""
    document: str
    """The document that it belongs to."""
    title: str
    links: tuple[Connection, ...]
    """Its own links with the sentences they stand in, those that lead out first, those that lead nowhere last."""
    related: tuple[Related, ...]
    """Documents within so many links, the most closely connected first."""
    total_links: int
    degraded: tuple[Degraded, ...] = ()
    cut: tuple[str, ...] = ()
    tokens: int = 0


def answer_related(project: Project, request: RelatedRequest) -> RelatedAnswer:
    """Tell what lies around what a request names."""
    store, degraded = project.refreshed_store()
    with store.snapshot():
        meant = find_target(store, relative_to_root(project.root, request.id))
        every = list_connections(store, meant, request.link_types)
        found = rank_related(
            store,
            meant.document.id,
            depth=request.depth,
            kinds=request.link_types,
            limit=request.limit,
            fan_out=project.settings.graph.fan_out,
            direction=request.direction,
        )
    fitting = [each for each in every if request.direction in {"both", each.direction}]
    if not request.link_types:  # what lies in what is no connection unless it is asked for
        fitting = [each for each in fitting if each.kind != "contains"]
    fitting.sort(key=lambda each: each.dangling)
    links, cut = fitting[: request.limit], []
    if len(fitting) > len(links):
        cut.append(f"{len(fitting) - len(links)} of {len(fitting)} links: `limit` shows more")
    kept = list(found)
    spent = sum(map(cost, (*links, *kept)))
    if request.budget and spent > request.budget:
        whole = (len(links), len(kept))
        while len(links) + len(kept) > 1 and spent > request.budget:
            spent -= cost((links if len(links) > len(kept) else kept).pop())
        cut.append(f"{whole[0] - len(links)} links and {whole[1] - len(kept)} related documents, for the budget")
    return RelatedAnswer(
        id=node_id(meant.node),
        document=meant.document.id,
        title=meant.document.title,
        links=tuple(links),
        related=tuple(kept),
        total_links=len(fitting),
        degraded=degraded,
        cut=tuple(cut),
        tokens=spent,
    )
