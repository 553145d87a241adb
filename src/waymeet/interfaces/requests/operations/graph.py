"""The graph operation: the link graph, or a part of it, as nodes and edges."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.interfaces.requests.fields import LinkTypes, relative_to_root
from waymeet.project import Project
from waymeet.search.explore.graph import Graph, build_graph
from waymeet.types import Degraded


class GraphRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Get the link graph of the project, or the part around a document, section or symbol."""

    id: Annotated[
        str,
        Meta(
            max_length=4096,
            description="The document, section or symbol at the centre: an id from search, a path, `path#heading`, "
            "`path#symbol`, or a title. Empty for the whole graph.",
        ),
    ] = ""
    depth: Annotated[int, Meta(ge=0, le=10, description="Maximum number of links from the centre.")] = 1
    link_types: LinkTypes = ()
    symbols: Annotated[bool, Meta(description="Include sections and symbols as nodes.")] = False
    limit: Annotated[int, Meta(ge=1, le=100_000, description="Maximum nodes; `cut` tells if there are more.")] = 200


class GraphAnswer(Graph, frozen=True, kw_only=True):
    """Nodes and edges."""

    generation: int = 0
    """Generation of the index: the same request has the same nodes and edges while it stays the same."""
    degraded: tuple[Degraded, ...] = ()


def answer_graph(project: Project, request: GraphRequest) -> GraphAnswer:
    """Build the graph of a request."""
    store, degraded = project.refreshed_store()
    center = relative_to_root(project.root, request.id) if request.id else ""
    with store.snapshot() as generation:
        graph = build_graph(store, center, request.depth, request.link_types, request.limit, symbols=request.symbols)
    return GraphAnswer(nodes=graph.nodes, edges=graph.edges, cut=graph.cut, generation=generation, degraded=degraded)
