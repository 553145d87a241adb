"""Looking at the graph: the links of one thing, what lies around it, and the whole."""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from msgspec import Struct

from waymeet.ports import Store
from waymeet.search.lookup.find import Target, find_target
from waymeet.staleness.scope import batches
from waymeet.types import Document, Edge, Node

_CONTAINS = "contains"


class Connection(Struct, frozen=True):
    """A link of something, seen from there."""

    direction: Literal["out", "in"]
    kind: str
    id: str
    """The other end: a path, or `path#anchor`; for a dangling link, the name it looked for."""
    title: str
    line: int
    """Where the link is written, in the document that has it."""
    section: str
    """The heading or symbol that it is written in."""
    text: str
    sentence: str
    dangling: bool = False


class GraphNode(Struct, frozen=True):
    """A document or symbol in a picture of the graph."""

    id: str
    title: str
    kind: str
    """The document's kind; `symbol` or `section` for a place in it."""
    hops: int = 0


class GraphEdge(Struct, frozen=True):
    """Links of one kind from one node to another."""

    source: str
    target: str
    kind: str
    links: int = 1


class Graph(Struct, frozen=True):
    """A part of the graph, or all of it."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    cut: bool = False
    """Whether nodes were left out because there are too many."""


def list_connections(store: Store, meant: Target, kinds: Collection[str] = ()) -> tuple[Connection, ...]:
    """List the links that leave something, then those that lead to it, by kind."""
    own = meant.document.id
    edges = store.edges([own], kinds)
    ends = {end.document for edge in edges for end in (edge.source, edge.target) if end is not None}
    titles = {id_: each.title for id_, each in store.documents(ends).items()}
    found = []
    for edge in edges:
        if edge.source.document == own and _written_there(edge, meant):
            found.append(_connection(edge, "out", edge.target, titles))
        if edge.target is not None and edge.target.document == own and _leads_there(edge.target, meant):
            found.append(_connection(edge, "in", edge.source, titles))
    return tuple(sorted(found, key=lambda each: (each.direction != "out", each.kind, each.id, each.line)))


def build_graph(
    store: Store, reference: str, depth: int, kinds: Collection[str], limit: int, *, symbols: bool = False
) -> Graph:
    """Collect the part of the graph around what a reference names, or the whole if it names nothing."""
    with store.snapshot():
        if reference:
            return graph_around(store, find_target(store, reference), depth, kinds, limit, symbols=symbols)
        return whole_graph(store, kinds, limit, symbols=symbols)


def graph_around(
    store: Store, start: Target, depth: int, kinds: Collection[str], limit: int, *, symbols: bool = False
) -> Graph:
    """Collect what lies within some links of something, the nearest first.

    With symbols, a file stands for those that it defines: they come first, and the links counted are theirs.
    """
    fine = symbols or bool(start.anchor)
    first = start.node if fine else Node(start.document.id)
    inside = _inside(store, first, kinds) if fine and not start.anchor else []
    hops: dict[Node, int] = {first: 0, **dict.fromkeys(inside[: limit - 1], 1)}
    drawn: dict[tuple[Node, Node, str], int] = {}
    frontier, cut = list(hops), len(inside) >= limit
    begin = 2 if inside else 1
    for hop in range(begin, begin + depth):
        reached: dict[Node, int] = {}
        for source, target, _ in _ends(store.edges({node.document for node in frontier}, kinds), fine=fine):
            here = {source, target} & hops.keys()
            if not here or not any(hops[node] == hop - 1 or node == first for node in here):
                continue
            for other in {source, target} - hops.keys():
                if len(hops) + len(reached) < limit or other in reached:
                    reached[other] = hop
                else:
                    cut = True
        hops |= reached
        frontier = list(reached)
        if not frontier:
            break
    for source, target, kind in _ends(store.edges({node.document for node in hops}, kinds), fine=fine):
        if source in hops and target in hops:
            drawn[source, target, kind] = drawn.get((source, target, kind), 0) + 1
    # Also if only links of other kinds were asked for: else nothing would hold a file and its symbols together.
    holding = dict.fromkeys(((first, node, _CONTAINS) for node in inside if node in hops), 1)
    return _graph(store, hops, holding | drawn, cut=cut)


def _inside(store: Store, file: Node, kinds: Collection[str]) -> list[Node]:
    """List the places in a file that are nodes of their own: what it defines, and where its links begin and end."""
    defined = [
        symbol.name for chunk in store.chunks_of([file.document]).get(file.document, ()) for symbol in chunk.symbols
    ]
    ends = (end for edge in store.edges([file.document], kinds) for end in (edge.source, edge.target) if end)
    linked = [end.anchor for end in ends if end.document == file.document]
    return [Node(file.document, anchor) for anchor in dict.fromkeys((*defined, *linked)) if anchor]


def whole_graph(store: Store, kinds: Collection[str], limit: int, *, symbols: bool = False) -> Graph:
    """Collect the graph of all documents; when there are too many, those with the most links."""
    drawn: dict[tuple[Node, Node, str], int] = {}
    ids = store.fingerprints()
    for batch in batches(ids):
        here = set(batch)
        for source, target, kind in _ends(store.edges(batch, kinds), fine=symbols):
            if source.document in here:  # each edge is met at both of its ends
                drawn[source, target, kind] = drawn.get((source, target, kind), 0) + 1
    degrees: dict[Node, int] = {Node(id_): 0 for id_ in sorted(ids)}
    for (source, target, _), number in drawn.items():
        degrees[source] = degrees.get(source, 0) + number
        degrees[target] = degrees.get(target, 0) + number
    kept = sorted(degrees, key=lambda node: (-degrees[node], node))[:limit]
    hops = dict.fromkeys(sorted(kept), 0)
    inside = {ends: number for ends, number in drawn.items() if ends[0] in hops and ends[1] in hops}
    return _graph(store, hops, inside, cut=len(kept) < len(degrees))


def node_id(node: Node) -> str:
    """Write a node as it can be asked for.

    >>> node_id(Node("a.py", "Store.put")), node_id(Node("a.md"))
    ('a.py#Store.put', 'a.md')
    """
    return f"{node.document}#{node.anchor}" if node.anchor else node.document


def _written_there(edge: Edge, meant: Target) -> bool:
    if meant.lines is not None:
        return meant.lines[0] <= edge.line <= meant.lines[1]
    return not meant.anchor or _below(edge.source.anchor, meant.anchor)


def _leads_there(target: Node, meant: Target) -> bool:
    return not meant.anchor or _below(target.anchor, meant.anchor)


def _below(anchor: str, wanted: str) -> bool:
    """Tell whether a place is the wanted one or, for a symbol, lies in it."""
    return anchor == wanted or anchor.startswith(f"{wanted}.")


def _connection(edge: Edge, direction: Literal["out", "in"], end: Node | None, titles: Mapping[str, str]) -> Connection:
    return Connection(
        direction=direction,
        kind=edge.kind,
        id=edge.ref.partition(":")[2] if end is None else node_id(end),
        title=titles.get(end.document, "") if end else "",
        line=edge.line,
        section=edge.source.anchor,
        text=edge.text,
        sentence=edge.sentence,
        dangling=end is None,
    )


def _ends(edges: Iterable[Edge], *, fine: bool) -> Iterable[tuple[Node, Node, str]]:
    """Yield both ends of the edges that lead somewhere; without symbols, only those between two documents."""
    for edge in edges:
        if edge.target is None:
            continue
        source, target = (edge.source, edge.target) if fine else (edge.source[:1], edge.target[:1])
        if source != target:
            yield Node(*source), Node(*target), edge.kind


def _graph(store: Store, hops: Mapping[Node, int], drawn: Mapping[tuple[Node, Node, str], int], *, cut: bool) -> Graph:
    documents: dict[str, Document] = {}
    for batch in batches({node.document for node in hops}):
        documents.update(store.documents(batch))
    nodes = tuple(
        GraphNode(
            id=node_id(node),
            title=node.anchor or documents[node.document].title,
            kind=_kind(node, documents[node.document]),
            hops=hop,
        )
        for node, hop in hops.items()
        if node.document in documents
    )
    edges = tuple(
        GraphEdge(node_id(source), node_id(target), kind, number)
        for (source, target, kind), number in sorted(drawn.items())
    )
    return Graph(nodes, edges, cut)


def _kind(node: Node, document: Document) -> str:
    if not node.anchor:
        return document.kind
    return "symbol" if document.kind == "code" else "section"
