"""Walking the graph: breadth first, both directions, the shortest way to each document."""

from collections import Counter
from collections.abc import Collection, Sequence

from waymeet.ports import Store
from waymeet.types import Edge, Reached


class Neighbours:
    """The documents around one document, those that more links lead to or from first."""

    def __init__(self, document: str, edges: Sequence[Edge], fan_out: int) -> None:
        outward = Counter(edge.target.document for edge in edges if edge.target and edge.source.document == document)
        inward = Counter(edge.source.document for edge in edges if edge.target and edge.target.document == document)
        links = outward + inward
        del links[document]
        ranked = sorted(links, key=lambda other: (-links[other], other))
        self.number = len(ranked)
        self.cut = len(ranked) > fan_out
        """Whether some were left out because there are too many."""
        self.outward = {other: other in outward for other in ranked[:fan_out]}
        """For each neighbour, whether the document links to it; if not, it is linked from there."""


def neighbours(store: Store, documents: Sequence[str], kinds: Collection[str], fan_out: int) -> dict[str, Neighbours]:
    """Find the neighbours of documents along edges of some kinds (all, if none is given)."""
    edges: dict[str, list[Edge]] = {document: [] for document in documents}
    for edge in store.edges(documents, kinds):
        if edge.target is not None:
            for end in {edge.source.document, edge.target.document} & edges.keys():
                edges[end].append(edge)
    return {document: Neighbours(document, touching, fan_out) for document, touching in edges.items()}


def walk(
    store: Store, starts: Sequence[str], depth: int, kinds: Collection[str], fan_out: int
) -> tuple[tuple[Reached, ...], tuple[str, ...]]:
    """Reach every document within `depth` hops of the starts along edges of the given kinds (all, if none is given).

    Returns the documents in the order of hops and discovery, and those at which the fan-out cut something off.
    """
    reached = {document: Reached(document, 0) for document in starts}
    frontier, cut = list(reached), []
    for hops in range(1, depth + 1):
        discovered: dict[str, Reached] = {}
        for document, around in neighbours(store, frontier, kinds, fan_out).items():
            if around.cut:
                cut.append(document)
            for other in around.outward:
                if other not in reached and other not in discovered:
                    discovered[other] = Reached(other, hops)
        reached |= discovered
        frontier = list(discovered)
        if not frontier:
            break
    return tuple(reached.values()), tuple(cut)
