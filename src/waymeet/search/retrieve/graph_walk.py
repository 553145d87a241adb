"""Breadth-first walks along links: by number of hops, or by link weights."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from waymeet.formulas.explanation import product, value
from waymeet.ports import Neighbour, Store
from waymeet.search.feedback.votes import CO_ACTIVATED
from waymeet.search.state import Tools
from waymeet.settings import Memory, Settings
from waymeet.types import Explanation, Reached


def walk(
    store: Store, starts: Sequence[str], depth: int, kinds: Collection[str], fan_out: int
) -> tuple[tuple[Reached, ...], tuple[str, ...]]:
    """List the documents within `depth` hops of the starts.

    Only links of the given kinds are followed; if none is given, all. Returns the documents by hops and order of
    discovery, and those with more neighbours than `fan_out`.
    """
    hops_to = dict.fromkeys(starts, 0)
    frontier, truncated = list(hops_to), []
    for hops in range(1, depth + 1):
        known = len(hops_to)
        for document, neighbours in store.neighbours(frontier, kinds).items():
            ranked = _rank_neighbours(neighbours, with_folders=bool(kinds))
            if len(ranked) > fan_out:
                truncated.append(document)
                ranked = ranked[:fan_out]
            for other in ranked:
                hops_to.setdefault(other, hops)
        frontier = list(hops_to)[known:]
        if not frontier:
            break
    return tuple(map(Reached, hops_to, hops_to.values())), tuple(truncated)


@lru_cache(maxsize=4096)  # consecutive queries often reach the same documents
def _rank_neighbours(neighbours: tuple[Neighbour, ...], *, with_folders: bool) -> tuple[str, ...]:
    """List neighbouring documents by falling number of links, ties by path.

    Folders are left out unless the caller names kinds of links: all files of a folder would be two hops apart.
    """
    links: dict[str, int] = {}
    for other, _, _, number in neighbours:
        links[other] = links.get(other, 0) + number
    ranked = sorted(links, key=links.__getitem__, reverse=True)
    return tuple(other for other in ranked if with_folders or other[-1:] != "/")


class LinkPath(NamedTuple):
    """A path of links from a start to a document, with the score it gives."""

    score: float
    start: str
    steps: tuple[tuple[str, float], ...] = ()
    """The kind and weight of each link."""

    @property
    def has_co_activation(self) -> bool:
        """Whether any link comes from documents being read together."""
        return any(kind == CO_ACTIVATED for kind, _ in self.steps)


def find_best_paths(
    tools: Tools, starts: Mapping[str, float], depth: int, kinds: Sequence[str], settings: Settings
) -> tuple[dict[str, LinkPath], set[str]]:
    """Find the best path along links from any start to every document in reach.

    Also returns the documents with more neighbours than are followed.

    A path multiplies the start's score by the weight of each link and by `memory.hop` for each hop. A start is in the
    result only if another start reaches it.
    """
    best: dict[str, LinkPath] = {}
    truncated: set[str] = set()
    co_read = tools.feedback.together(settings.memory.together) if not kinds or CO_ACTIVATED in kinds else {}
    frontier = {(start, start): LinkPath(score, start) for start, score in starts.items()}
    for _ in range(depth):
        further: dict[tuple[str, str], LinkPath] = {}
        neighbours = tools.store.neighbours({document for document, _ in frontier}, kinds)
        links = {
            document: _weigh_links(near, co_read.get(document, ()), kinds, settings.memory)
            for document, near in neighbours.items()
        }
        truncated |= {document for document, others in links.items() if len(others) > settings.graph.fan_out}
        for (document, start), path in frontier.items():
            for other, weight, kind in links[document][: settings.graph.fan_out]:
                score = path.score * weight * settings.memory.hop
                known = further.get((other, start))
                if other != start and score > (known.score if known else 0.0):
                    further[other, start] = LinkPath(score, start, (*path.steps, (kind, weight)))
        for (document, _), path in further.items():
            if document not in best or path.score > best[document].score:
                best[document] = path
        frontier = further
    return best, truncated


def _weigh_links(
    neighbours: Sequence[Neighbour], co_read: Sequence[str], kinds: Sequence[str], numbers: Memory
) -> list[tuple[str, float, str]]:
    """List neighbours with the weight and kind of their best link, the heaviest first.

    Documents that are often read together count as linked. Folders are left out unless the caller names kinds of links:
    all files of a folder would be two hops apart.
    """
    linked = [(each.document, each.kind) for each in neighbours if kinds or not each.document.endswith("/")]
    best: dict[str, tuple[float, str]] = {}
    for other, kind in (*linked, *((document, CO_ACTIVATED) for document in co_read)):
        weight = numbers.edge(kind)
        if weight > best.get(other, (0.0, ""))[0]:
            best[other] = weight, kind
    ranked = sorted(best.items(), key=lambda each: (-each[1][0], each[0]))
    return [(other, weight, kind) for other, (weight, kind) in ranked]


def explain_path(path: LinkPath, starts: Mapping[str, float], numbers: Memory) -> Explanation:
    """Explain the score of a path: the start's score × link weights × hop decay."""
    hops = len(path.steps)
    return product(
        f"reached from {path.start}: score × link weights × decay",
        value(starts[path.start], f"fused score of {path.start}"),
        *(value(weight, f"weight of link {kind}") for kind, weight in path.steps),
        value(numbers.hop**hops, f"decay = {numbers.hop:g}^{hops} ({hops} hop{'s' * (hops > 1)})"),
    )
