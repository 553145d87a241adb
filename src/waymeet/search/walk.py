"""Walking the graph: breadth first, both directions, the shortest way to each document."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from waymeet.ports import Store
from waymeet.types import Edge, Reached


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
        for document, edges in _by_document(store.edges(frontier, kinds), frontier).items():
            if len(edges) > fan_out:
                cut.append(document)
            for edge in edges[:fan_out]:
                other = other_end(edge, document)
                if other is not None and other not in reached and other not in discovered:
                    discovered[other] = Reached(other, hops, edge)
        reached |= discovered
        frontier = list(discovered)
        if not frontier:
            break
    return tuple(reached.values()), tuple(cut)


def other_end(edge: Edge, document: str) -> str | None:
    """Name the document at the far end of an edge; None if it dangles or leads back."""
    ends = (edge.source.document, edge.target.document if edge.target else None)
    far = ends[1] if ends[0] == document else ends[0]
    return far if far != document else None


def _by_document(edges: Sequence[Edge], documents: Sequence[str]) -> dict[str, list[Edge]]:
    touching: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.target is not None:
            for document in {edge.source.document, edge.target.document}:
                touching[document].append(edge)
    return {document: touching[document] for document in documents if document in touching}
