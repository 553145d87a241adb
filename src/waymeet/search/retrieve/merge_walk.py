"""Walking the graph: breadth first, both directions, the shortest way to each document."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from waymeet.ports import Neighbour, Store
from waymeet.types import Reached


def walk(
    store: Store, starts: Sequence[str], depth: int, kinds: Collection[str], fan_out: int
) -> tuple[tuple[Reached, ...], tuple[str, ...]]:
    """Reach every document within `depth` hops of the starts along edges of the given kinds (all, if none is given).

    Returns the documents in the order of hops and discovery, and those at which the fan-out cut something off.
    """
    reached = dict.fromkeys(starts, 0)
    frontier, cut = list(reached), []
    for hops in range(1, depth + 1):
        known = len(reached)
        for document, around in store.neighbours(frontier, kinds).items():
            ranked = _ranked(around, folders=bool(kinds))
            if len(ranked) > fan_out:
                cut.append(document)
                ranked = ranked[:fan_out]
            for other in ranked:
                reached.setdefault(other, hops)
        frontier = list(reached)[known:]
        if not frontier:
            break
    return tuple(map(Reached, reached, reached.values())), tuple(cut)


@lru_cache(maxsize=4096)  # questions asked one after the other meet in the same documents
def _ranked(around: tuple[Neighbour, ...], *, folders: bool) -> tuple[str, ...]:
    """List the documents around one, those that more links lead to or from first, equal ones in the order of paths.

    Folders are left out unless kinds of links are asked for: through them, all that lies side by side would be near.
    """
    links: dict[str, int] = {}
    for other, _, _, number in around:
        links[other] = links.get(other, 0) + number
    ranked = sorted(links, key=links.__getitem__, reverse=True)
    return tuple(other for other in ranked if folders or other[-1:] != "/")
