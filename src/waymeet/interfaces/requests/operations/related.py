"""The related operation: list the links of a document and the documents they lead to."""

from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

from waymeet.interfaces.requests.budget import estimate_cost
from waymeet.interfaces.requests.fields import Budget, LinkTypes, Reference, relative_to_root
from waymeet.project import Project
from waymeet.search.explore.graph import Connection, list_connections, node_id
from waymeet.search.explore.related import Direction, Related, rank_related
from waymeet.search.lookup.find import find_target
from waymeet.types import Degraded


class RelatedRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List the links of a document, section or symbol, and the documents they connect it with."""

    id: Reference
    link_types: LinkTypes = ()
    direction: Annotated[
        Direction, Meta(description="Follow links in both directions, only outgoing, or only incoming ones.")
    ] = "both"
    depth: Annotated[int, Meta(ge=1, le=5, description="Maximum number of links to follow.")] = 2
    limit: Annotated[int, Meta(ge=1, le=1000, description="Maximum documents, and maximum links.")] = 10
    budget: Budget = 0


class RelatedAnswer(Struct, frozen=True, kw_only=True):
    """The links and related documents of a document, section or symbol."""

    id: str
    """The id of the document, section or symbol."""
    document: str
    """The document that contains it."""
    title: str
    links: tuple[Connection, ...]
    """Its links with their sentences: outgoing, then incoming, then broken ones."""
    related: tuple[Related, ...]
    """Documents within `depth` links, the most closely connected first."""
    total_links: int
    degraded: tuple[Degraded, ...] = ()
    cut: tuple[str, ...] = ()
    tokens: int = 0


def answer_related(project: Project, request: RelatedRequest) -> RelatedAnswer:
    """List the links and related documents of a request's target."""
    store, degraded = project.refreshed_store()
    with store.snapshot():
        target = find_target(store, relative_to_root(project.root, request.id))
        connections = list_connections(store, target, request.link_types)
        related = rank_related(
            store,
            target.document.id,
            depth=request.depth,
            kinds=request.link_types,
            limit=request.limit,
            fan_out=project.settings.graph.fan_out,
            direction=request.direction,
        )
    links = _select_links(connections, request)
    fitted = _fit(links, related, request)
    return RelatedAnswer(
        id=node_id(target.node),
        document=target.document.id,
        title=target.document.title,
        links=fitted.links,
        related=fitted.related,
        total_links=len(links),
        degraded=degraded,
        cut=fitted.cut,
        tokens=fitted.tokens,
    )


def _select_links(connections: tuple[Connection, ...], request: RelatedRequest) -> list[Connection]:
    """Filter links by direction and put broken ones last.

    Containment is not a link between documents, so it is listed only if `link_types` names it.
    """
    links = [link for link in connections if request.direction in {"both", link.direction}]
    if not request.link_types:
        links = [link for link in links if link.kind != "contains"]
    return sorted(links, key=lambda link: link.dangling)


class _Fitted(NamedTuple):
    links: tuple[Connection, ...]
    related: tuple[Related, ...]
    cut: tuple[str, ...]
    tokens: int


def _fit(all_links: list[Connection], all_related: tuple[Related, ...], request: RelatedRequest) -> _Fitted:
    """Drop links beyond the limit, then the last of the longer list until the budget is met."""
    links, related, cut = all_links[: request.limit], list(all_related), []
    if len(all_links) > len(links):
        cut.append(f"{len(all_links) - len(links)} of {len(all_links)} links: raise `limit` to list them")
    spent = sum(map(estimate_cost, (*links, *related)))
    if request.budget and spent > request.budget:
        before = (len(links), len(related))
        while len(links) + len(related) > 1 and spent > request.budget:
            spent -= estimate_cost((links if len(links) > len(related) else related).pop())
        dropped_links, dropped_related = before[0] - len(links), before[1] - len(related)
        cut.append(f"{dropped_links} links and {dropped_related} related documents, to fit the budget")
    return _Fitted(tuple(links), tuple(related), tuple(cut), spent)
