"""Collect the links of a document, the graph around it, and the whole graph."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from waymeet.ports import Store
from waymeet.search.lookup.find import Target, find_target
from waymeet.staleness.scope import batches
from waymeet.types import Document, Edge, Node

_CONTAINS = "contains"


class Connection(Struct, frozen=True):
    """A link of a document or place, seen from there."""

    direction: Literal["out", "in"]
    kind: str
    id: str
    """The other end: a path or `path#anchor`, for a dangling link the name of the missing target."""
    title: str
    line: int
    """Line of the link in its document."""
    section: str
    """The heading or symbol that contains the link."""
    text: str
    sentence: str
    dangling: bool = False


class GraphNode(Struct, frozen=True):
    """A document, section or symbol in a graph."""

    id: str
    title: str
    kind: str
    """The document's kind, `symbol` or `section` for a place in it."""
    hops: int = 0


class GraphEdge(Struct, frozen=True):
    """Links of one kind from one node to another."""

    source: str
    target: str
    kind: str
    links: int = 1


class Graph(Struct, frozen=True):
    """The link graph, or a part of it."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    cut: bool = False
    """Whether nodes were left out because of the limit."""


_Link = tuple[Node, Node, str]
"""Source, target and kind of a link."""


def list_connections(store: Store, target: Target, kinds: Collection[str] = ()) -> tuple[Connection, ...]:
    """List the outgoing links of a document or place, then the incoming ones, by kind."""
    document = target.document.id
    edges = store.edges([document], kinds)
    ends = {end.document for edge in edges for end in (edge.source, edge.target) if end is not None}
    titles = {id_: end.title for id_, end in store.documents(ends).items()}
    connections = []
    for edge in edges:
        if edge.source.document == document and _starts_in(edge, target):
            connections.append(_connection(edge, "out", edge.target, titles))
        if edge.target is not None and edge.target.document == document and _ends_in(edge.target, target):
            connections.append(_connection(edge, "in", edge.source, titles))
    return tuple(sorted(connections, key=_connection_order))


def _connection_order(connection: Connection) -> tuple[bool, str, str, int]:
    return connection.direction != "out", connection.kind, connection.id, connection.line


def build_graph(
    store: Store, reference: str, depth: int, kinds: Collection[str], limit: int, *, symbols: bool = False
) -> Graph:
    """Collect the graph around a reference, or the whole graph if the reference is empty."""
    with store.snapshot():
        if reference:
            return graph_around(store, find_target(store, reference), depth, kinds, limit, symbols=symbols)
        return whole_graph(store, kinds, limit, symbols=symbols)


def graph_around(
    store: Store, start: Target, depth: int, kinds: Collection[str], limit: int, *, symbols: bool = False
) -> Graph:
    """Collect the nodes within `depth` links of a document or place, the nearest first.

    With symbols, the walk starts from the symbols that a file defines. They are at one hop from the file.
    """
    by_place = symbols or bool(start.anchor)
    center = start.node if by_place else Node(start.document.id)
    inside = _places_in_file(store, center, kinds) if by_place and not start.anchor else []
    hops: dict[Node, int] = {center: 0, **dict.fromkeys(inside[: limit - 1], 1)}
    is_cut = len(inside) >= limit
    first_hop = 2 if inside else 1
    frontier = list(hops)
    for hop in range(first_hop, first_hop + depth):
        links = _links(store.edges({node.document for node in frontier}, kinds), by_place=by_place)
        reached, is_full = _next_nodes(links, hops, center, hop, limit)
        is_cut = is_cut or is_full
        hops |= dict.fromkeys(reached, hop)
        frontier = reached
        if not frontier:
            break
    links = _links(store.edges({node.document for node in hops}, kinds), by_place=by_place)
    counts = Counter(link for link in links if link[0] in hops and link[1] in hops)
    # Drawn for any `kinds`, since the symbols would not be connected with their file otherwise.
    containing: dict[_Link, int] = {(center, node, _CONTAINS): 1 for node in inside if node in hops}
    return _graph(store, hops, containing | counts, cut=is_cut)


def _places_in_file(store: Store, file: Node, kinds: Collection[str]) -> list[Node]:
    """List the places of a file that are nodes: its symbols, and both ends of its links."""
    defined = [
        symbol.name for chunk in store.chunks_of([file.document]).get(file.document, ()) for symbol in chunk.symbols
    ]
    ends = (end for edge in store.edges([file.document], kinds) for end in (edge.source, edge.target) if end)
    linked = [end.anchor for end in ends if end.document == file.document]
    return [Node(file.document, anchor) for anchor in dict.fromkeys((*defined, *linked)) if anchor]


def _next_nodes(
    links: Iterable[_Link], hops: Mapping[Node, int], center: Node, hop: int, limit: int
) -> tuple[list[Node], bool]:
    """List new nodes linked with the last ones or the center.

    Also return whether the limit left out some.
    """
    reached: dict[Node, None] = {}
    is_full = False
    for source, target, _ in links:
        known = {source, target} & hops.keys()
        if not any(hops[node] == hop - 1 or node == center for node in known):
            continue
        for node in {source, target} - hops.keys():
            if node in reached or len(hops) + len(reached) < limit:
                reached[node] = None
            else:
                is_full = True
    return list(reached), is_full


def whole_graph(store: Store, kinds: Collection[str], limit: int, *, symbols: bool = False) -> Graph:
    """Collect the graph of all documents, or of those with the most links if there are too many."""
    counts: Counter[_Link] = Counter()
    ids = store.fingerprints()
    for batch in batches(ids):
        documents = set(batch)
        links = _links(store.edges(batch, kinds), by_place=symbols)
        # The store returns an edge for either of its ends. Count it only in the batch of its source.
        counts.update(link for link in links if link[0].document in documents)
    degrees: dict[Node, int] = {Node(id_): 0 for id_ in sorted(ids)}
    for (source, target, _), number in counts.items():
        degrees[source] = degrees.get(source, 0) + number
        degrees[target] = degrees.get(target, 0) + number
    nodes = sorted(degrees, key=lambda node: (-degrees[node], node))[:limit]
    hops = dict.fromkeys(sorted(nodes), 0)
    inside = {link: number for link, number in counts.items() if link[0] in hops and link[1] in hops}
    return _graph(store, hops, inside, cut=len(nodes) < len(degrees))


def node_id(node: Node) -> str:
    """Return the id of a node, which is also a reference to it.

    >>> node_id(Node("a.py", "Store.put")), node_id(Node("a.md"))
    ('a.py#Store.put', 'a.md')
    """
    return f"{node.document}#{node.anchor}" if node.anchor else node.document


def _starts_in(edge: Edge, target: Target) -> bool:
    if target.lines is not None:
        return target.lines[0] <= edge.line <= target.lines[1]
    return not target.anchor or _is_within(edge.source.anchor, target.anchor)


def _ends_in(end: Node, target: Target) -> bool:
    return not target.anchor or _is_within(end.anchor, target.anchor)


def _is_within(anchor: str, scope: str) -> bool:
    """Return whether an anchor is a scope or a symbol inside it."""
    return anchor == scope or anchor.startswith(f"{scope}.")


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


def _links(edges: Iterable[Edge], *, by_place: bool) -> Iterator[_Link]:
    """Yield the links between different places, or between different documents."""
    for edge in edges:
        if edge.target is None:
            continue
        source, target = (edge.source, edge.target) if by_place else (edge.source[:1], edge.target[:1])
        if source != target:
            yield Node(*source), Node(*target), edge.kind


def _graph(store: Store, hops: Mapping[Node, int], counts: Mapping[_Link, int], *, cut: bool) -> Graph:
    documents: dict[str, Document] = {}
    for batch in batches({node.document for node in hops}):
        documents.update(store.documents(batch))
    nodes = tuple(
        GraphNode(
            id=node_id(node),
            title=node.anchor or documents[node.document].title,
            kind=_node_kind(node, documents[node.document]),
            hops=hop,
        )
        for node, hop in hops.items()
        if node.document in documents
    )
    edges = tuple(
        GraphEdge(node_id(source), node_id(target), kind, number)
        for (source, target, kind), number in sorted(counts.items())
    )
    return Graph(nodes, edges, cut)


def _node_kind(node: Node, document: Document) -> str:
    if not node.anchor:
        return document.kind
    return "symbol" if document.kind == "code" else "section"
