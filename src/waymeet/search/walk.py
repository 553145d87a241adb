"""Walking the graph: breadth first, both directions, the shortest way to each document."""

from collections.abc import Collection, Sequence

from waymeet.ports import Neighbour, Store
from waymeet.types import Reached


class Neighbours:
    """The documents around one document, those that more links lead to or from first."""

    def __init__(self, around: Sequence[Neighbour], fan_out: int) -> None:
        links: dict[str, int] = {}
        outward: set[str] = set()
        for other, _, leads_there, number in around:
            links[other] = links.get(other, 0) + number
            if leads_there:
                outward.add(other)
        ranked = sorted(links, key=links.__getitem__, reverse=True)  # stable: equal ones stay in the order of paths
        self.number = len(ranked)
        self.cut = len(ranked) > fan_out
        """Whether some were left out because there are too many."""
        self.outward = {other: other in outward for other in ranked[:fan_out]}
        """For each neighbour, whether the document links to it; if not, it is linked from there."""


def neighbours(store: Store, documents: Sequence[str], kinds: Collection[str], fan_out: int) -> dict[str, Neighbours]:
    """Find the neighbours of documents along edges of some kinds (all, if none is given)."""
    found = store.neighbours(documents, kinds)
    return {document: Neighbours(_apart(found[document], kinds), fan_out) for document in documents}


def _apart(around: Sequence[Neighbour], kinds: Collection[str]) -> Sequence[Neighbour]:
    """Leave folders out unless kinds of links are asked for: through them, all that lies side by side would be near."""
    return around if kinds else [each for each in around if not each.document.endswith("/")]


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
