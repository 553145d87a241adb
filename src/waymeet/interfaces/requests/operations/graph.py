"""The graph, or the part around something, as nodes and edges."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.interfaces.requests.fields import LinkTypes, relative_to_root
from waymeet.project import Project
from waymeet.search.explore.graph import Graph, build_graph
from waymeet.types import Degraded


class GraphRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole graph of the project, or what lies around a document, section or symbol."""

    id: Annotated[
        str,
        Meta(
            max_length=4096,
            description="What to look around: an id that search shows, a path, `path#heading`, `path#symbol`, a title. "
            "Empty for the whole graph.",
        ),
    ] = ""
    depth: Annotated[int, Meta(ge=0, le=10, description="How many links around it.")] = 1
    link_types: LinkTypes = ()
    symbols: Annotated[bool, Meta(description="Show sections and symbols as nodes of their own.")] = False
    limit: Annotated[int, Meta(ge=1, le=100_000, description="Most nodes; if there are more, the answer says so.")] = (
        200
    )


class GraphAnswer(Graph, frozen=True, kw_only=True):
    """Nodes, edges, and what they may lack."""

    degraded: tuple[Degraded, ...] = ()


def answer_graph(project: Project, request: GraphRequest) -> GraphAnswer:
    """Collect the part of the graph that a request names."""
    store, degraded = project.refreshed_store()
    meant = relative_to_root(project.root, request.id) if request.id else ""
    found = build_graph(store, meant, request.depth, request.link_types, request.limit, symbols=request.symbols)
    return GraphAnswer(nodes=found.nodes, edges=found.edges, cut=found.cut, degraded=degraded)
