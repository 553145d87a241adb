"""The drawing of a graph, as the script of the page gets it."""

from collections import Counter, OrderedDict
from threading import Lock
from typing import Any, NamedTuple

from msgspec import Struct

from waymeet.interfaces.requests.operations.graph import GraphAnswer
from waymeet.interfaces.web.text_language import find_text_language

_KEPT_LAYOUTS = 16


class Drawing(Struct, frozen=True, kw_only=True):
    """A graph in columns: the n-th entry of each column describes the n-th node."""

    id: list[str]
    title: list[str]
    kind: list[str]
    lang: list[str]
    """Languages of the titles by their scripts."""
    links: list[int]
    """Number of different nodes that each is linked with."""
    x: list[float]
    y: list[float]
    ends: list[int]
    """Source and target of the first edge, of the second edge, and so on: numbers of nodes."""
    cut: bool
    generation: int


class Pairs(NamedTuple):
    """The linked pairs of nodes in a graph, without direction."""

    ends: list[tuple[int, int]]

    def count_links(self, count: int) -> list[int]:
        """Count the linked nodes of each node.

        >>> Pairs([(0, 1), (0, 2)]).count_links(4)
        [2, 1, 1, 0]
        """
        counts = Counter(node for pair in self.ends for node in pair)
        return [counts[node] for node in range(count)]


def pair_nodes(graph: GraphAnswer) -> Pairs:
    """List the linked pairs of nodes."""
    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    linked = ((numbers.get(edge.source, -1), numbers.get(edge.target, -1)) for edge in graph.edges)
    return Pairs(sorted({(min(pair), max(pair)) for pair in linked if min(pair) >= 0 and pair[0] != pair[1]}))


class Layouts:
    """Positions of the last graphs that were drawn, for as long as the index stays the same."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._generation = -1
        self._kept: OrderedDict[Any, tuple[list[float], list[float]]] = OrderedDict()

    def draw(self, graph: GraphAnswer, request: Any) -> Drawing:  # noqa: ANN401 - any value that identifies the graph
        """Draw the graph of a request, which may take a second or two for thousands of nodes."""
        pairs = pair_nodes(graph)
        x, y = self._find(graph, request, pairs)
        return Drawing(
            id=[node.id for node in graph.nodes],
            title=[node.title for node in graph.nodes],
            kind=[node.kind for node in graph.nodes],
            lang=[find_text_language(node.title) for node in graph.nodes],
            links=pairs.count_links(len(graph.nodes)),
            x=x,
            y=y,
            ends=[node for pair in pairs.ends for node in pair],
            cut=graph.cut,
            generation=graph.generation,
        )

    def _find(self, graph: GraphAnswer, request: Any, pairs: Pairs) -> tuple[list[float], list[float]]:  # noqa: ANN401
        """Find the positions of a graph, or compute them, one computation at a time."""
        with self._lock:
            if graph.generation != self._generation:
                self._kept.clear()
                self._generation = graph.generation
            if request not in self._kept:
                from waymeet.interfaces.web.graph.layout import compute_layout

                points = compute_layout(len(graph.nodes), pairs.ends).round(2)
                self._kept[request] = (points[:, 0].tolist(), points[:, 1].tolist())
            self._kept.move_to_end(request)
            while len(self._kept) > _KEPT_LAYOUTS:
                self._kept.popitem(last=False)
            return self._kept[request]
