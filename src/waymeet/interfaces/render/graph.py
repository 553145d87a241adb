"""Link graphs as an indented tree, for Graphviz and for Mermaid.

Titles and paths come from untrusted files: each format escapes them in its own way.
"""

import re
from collections.abc import Iterator

from waymeet.interfaces.render.text import Line, to_single_line
from waymeet.search.explore.graph import Graph, GraphEdge, GraphNode

_PLAIN = re.compile(r"[^\w ./:,·→-]")


def dot(graph: Graph) -> str:
    """Format a graph for Graphviz."""
    nodes = [f"  {_quote(node.id)} [label={_quote(_label(node))}];" for node in graph.nodes]
    edges = [f"  {_quote(edge.source)} -> {_quote(edge.target)} [label={_quote(edge.kind)}];" for edge in graph.edges]
    return "\n".join(["digraph waymeet {", "  rankdir=LR; node [shape=box];", *nodes, *edges, "}"])


def mermaid(graph: Graph) -> str:
    """Format a graph for Mermaid."""
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    nodes = [f'  {names[node.id]}["{_entities(_label(node))}"]' for node in graph.nodes]
    edges = [f'  {names[edge.source]} -->|"{_entities(edge.kind)}"| {names[edge.target]}' for edge in graph.edges]
    return "\n".join(["flowchart LR", *nodes, *edges])


def tree(graph: Graph) -> Iterator[Line]:
    """Format the neighbourhood of the first node as a tree, each node at its shortest path."""
    nodes = {node.id: node for node in graph.nodes}
    below: dict[str, list[tuple[GraphEdge, str]]] = {}
    placed = {next(iter(nodes), "")}
    touching: dict[str, list[tuple[GraphEdge, str]]] = {}
    for edge in graph.edges:
        touching.setdefault(edge.source, []).append((edge, edge.target))
        touching.setdefault(edge.target, []).append((edge, edge.source))
    for node in graph.nodes:
        for edge, other in touching.get(node.id, ()):
            if other not in placed and nodes[other].hops > node.hops:
                placed.add(other)
                below.setdefault(node.id, []).append((edge, other))
    for node in graph.nodes[:1]:
        yield [(node.id, "bold cyan place"), (f"  {node.title}", "")]
        yield from _branches(node.id, below, nodes, "")


def outline(graph: Graph) -> Iterator[Line]:
    """List every node with the targets of its links, then the number of unlinked nodes."""
    leaving: dict[str, list[GraphEdge]] = {}
    for edge in graph.edges:
        leaving.setdefault(edge.source, []).append(edge)
    for node in graph.nodes:
        if node.id in leaving:
            yield [(node.id, "bold cyan place"), (f"  {node.title}", "")]
            for edge in leaving[node.id]:
                times = f" ×{edge.links}" if edge.links > 1 else ""
                yield [("  → ", "dim"), (edge.target, "cyan place"), (f"  {edge.kind}{times}", "dim")]
    alone = len(graph.nodes) - len({end for edge in graph.edges for end in (edge.source, edge.target)})
    yield [(f"{len(graph.nodes)} nodes, {len(graph.edges)} edges, {alone} nodes without edges", "dim")]


def _branches(
    id_: str, below: dict[str, list[tuple[GraphEdge, str]]], nodes: dict[str, GraphNode], indent: str
) -> Iterator[Line]:
    branches = below.get(id_, [])
    for number, (edge, other) in enumerate(branches):
        last = number == len(branches) - 1
        arrow = "→" if edge.source == id_ else "←"
        yield [
            (f"{indent}{'└─ ' if last else '├─ '}{arrow} ", "dim"),
            (other, "cyan place"),
            (f"  {nodes[other].title}", ""),
            (f"  {edge.kind}", "dim"),
        ]
        yield from _branches(other, below, nodes, indent + ("   " if last else "│  "))


def _label(node: GraphNode) -> str:
    """Label a node with its title and path, or with the path if that contains the title."""
    return node.id if not node.title or node.title in node.id else f"{node.title} · {node.id}"


def _quote(text: str) -> str:
    r"""Quote a string for Graphviz.

    >>> print(_quote('a "b" \\N'))
    "a \"b\" \\N"
    """
    return '"' + to_single_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _entities(text: str) -> str:
    """Escape everything but letters, digits and safe marks as numbered entities of Mermaid.

    >>> _entities('<b>"x"]')
    '#60;b#62;#34;x#34;#93;'
    """
    return _PLAIN.sub(lambda match: f"#{ord(match.group())};", to_single_line(text))
