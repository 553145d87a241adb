"""The graph page: the documents around one, or all documents, as a list and as a drawing."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.http.endpoints import json_response
from waymeet.interfaces.requests.operations.graph import GraphAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.graph.drawing import Layouts, pair_nodes
from waymeet.interfaces.web.html import HEADERS, link, respond
from waymeet.search.explore.graph import GraphNode

DATA = "/graph.json"
MAX_NODES = 5000
MAX_DEPTH = 5
PAGE_NODES = 100
"""Nodes of the list on one page."""


class GraphState(NamedTuple):
    """A graph as an address has it."""

    center: str = ""
    depth: int = 1
    link_types: tuple[str, ...] = ()
    symbols: bool = False
    find: str = ""
    first: int = 0
    """Number of nodes before the first that is listed."""

    def url(self, path: str = "") -> str:
        """Give the address of this graph."""
        depth = self.depth if self.center and self.depth != 1 else 0
        fields = {"type": self.link_types, "symbols": int(self.symbols), "find": self.find, "from": self.first}
        return link(path or graph_url(self.center), depth=depth, **fields)

    def data_url(self) -> str:
        """Give the address of the drawing."""
        fields = {"type": self.link_types, "symbols": int(self.symbols)}
        return link(page_url(DATA), id=self.center, depth=self.depth if self.center else 0, **fields)

    def request(self) -> dict[str, Any]:
        """Give the fields of the request."""
        fields = {"id": self.center, "depth": self.depth, "link_types": self.link_types}
        return {**fields, "symbols": self.symbols, "limit": MAX_NODES}

    def matches(self, node: GraphNode) -> bool:
        """Return whether the title or the path of a node has the searched text."""
        text = self.find.casefold()
        return text in node.title.casefold() or text in node.id.casefold()


class ListedNode(NamedTuple):
    """A node in the list."""

    node: GraphNode
    links: int
    graph: str
    """Address of the graph around it."""


def graph_url(center: str) -> str:
    """Give the address of the graph around a document, section or symbol.

    >>> graph_url(""), graph_url("docs/a b.md")
    ('/graph', '/graph/docs/a%20b.md')
    """
    return page_url(f"/graph/{quote(center)}" if center else "/graph")


async def show_graph(asker: Asker, request: Request) -> Response:
    """Show the nodes of a graph as a list, to which a script adds the drawing."""
    state = read_state(request, request.path_params.get("path", ""))
    graph: GraphAnswer = await asker.ask("graph", **state.request())
    whole = await asker.ask("graph", **state._replace(link_types=()).request()) if state.link_types else graph
    center = graph.nodes[0].id if state.center and graph.nodes else ""
    shown = asker.mask(state)._replace(center=center)
    nodes = [entry for entry in _list_nodes(graph) if state.matches(entry.node)]
    last = state.first + PAGE_NODES
    values = {
        "query": "",
        "state": shown,
        "title": graph.nodes[0].title if center else "",
        "nodes": nodes[state.first : last],
        "found": len(nodes),
        "total": len(graph.nodes),
        "pairs": len(pair_nodes(graph).ends),
        "kinds": Counter(node.kind for node in graph.nodes).most_common(),
        "link_types": _count_types(whole, state),
        "max_depth": MAX_DEPTH,
        "max_nodes": MAX_NODES,
        "is_cut": graph.cut,
        "previous": shown._replace(first=max(state.first - PAGE_NODES, 0)).url() if state.first else "",
        "next": shown._replace(first=last).url() if len(nodes) > last else "",
        "degraded": graph.degraded,
    }
    return respond("graph.html", values)


class GraphData:
    """The drawings of graphs, for the script of the page."""

    def __init__(self) -> None:
        self._layouts = Layouts()

    async def send(self, asker: Asker, request: Request) -> Response:
        """Send the drawing of a graph."""
        state = read_state(request, request.query_params.get("id", ""))._replace(find="", first=0)
        graph: GraphAnswer = await asker.ask("graph", **state.request())
        drawing = await asyncio.to_thread(self._layouts.draw, graph, state)
        return json_response(drawing, headers=HEADERS, masked=False)  # masked by `ask`


def read_state(request: Request, center: str) -> GraphState:
    """Read a graph from the query string of a request."""
    fields = request.query_params
    return GraphState(
        center=center,
        depth=min(max(_read_number(fields.get("depth", ""), 1), 1), MAX_DEPTH),
        link_types=tuple(sorted({name for name in fields.getlist("type") if name})),
        symbols=fields.get("symbols", "") not in {"", "0"},
        find=fields.get("find", "").strip(),
        first=_read_number(fields.get("from", ""), 0),
    )


def _read_number(text: str, default: int) -> int:
    """Read a number from an address.

    >>> _read_number("12", 1), _read_number("x", 1), _read_number("9" * 30, 1)
    (12, 1, 1)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default


def _list_nodes(graph: GraphAnswer) -> Iterator[ListedNode]:
    """List the nodes, the nearest first, then those with the most links."""
    links = pair_nodes(graph).count_links(len(graph.nodes))
    order = sorted(range(len(graph.nodes)), key=lambda number: (graph.nodes[number].hops, -links[number]))
    for number in order:
        node = graph.nodes[number]
        yield ListedNode(node, links[number], graph_url(node.id))


def _count_types(graph: GraphAnswer, state: GraphState) -> list[tuple[str, int, bool]]:
    """Count the links of each type, and tell which types are chosen."""
    counts: Counter[str] = Counter(dict.fromkeys(state.link_types, 0))
    for edge in graph.edges:
        counts[edge.kind] += edge.links
    return [(kind, count, kind in state.link_types) for kind, count in counts.most_common()]
