"""The ways of `memory`: from entry to entry along links, and between what people find useful together."""

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


class Way(NamedTuple):
    """How an entry was reached along links, and what that is worth."""

    score: float
    start: str
    steps: tuple[tuple[str, float], ...] = ()
    """The kinds of the links, and what each weighs."""

    @property
    def together(self) -> bool:
        """Tell whether what people did led there, not links alone."""
        return any(kind == CO_ACTIVATED for kind, _ in self.steps)


def reached(
    tools: Tools, starts: Mapping[str, float], depth: int, kinds: Sequence[str], settings: Settings
) -> tuple[dict[str, Way], set[str]]:
    """Find the best way to every entry, and name those with more neighbours than are followed.

    A start counts only if another start leads to it.
    """
    found: dict[str, Way] = {}
    cut: set[str] = set()
    companions = tools.feedback.together(settings.memory.together) if not kinds or CO_ACTIVATED in kinds else {}
    frontier = {(start, start): Way(score, start) for start, score in starts.items()}
    for _ in range(depth):
        further: dict[tuple[str, str], Way] = {}
        near = tools.store.neighbours({document for document, _ in frontier}, kinds)
        around = {
            document: _weighed(near[document], companions.get(document, ()), kinds, settings.memory)
            for document in near
        }
        cut |= {document for document, others in around.items() if len(others) > settings.graph.fan_out}
        for (document, start), way in frontier.items():
            for other, weight, kind in around[document][: settings.graph.fan_out]:
                worth = way.score * weight * settings.memory.hop
                known = further.get((other, start))
                if other != start and worth > (known.score if known else 0.0):
                    further[other, start] = Way(worth, start, (*way.steps, (kind, weight)))
        for (document, _), way in further.items():
            if document not in found or way.score > found[document].score:
                found[document] = way
        frontier = further
    return found, cut


def _weighed(
    near: Sequence[Neighbour], companions: Sequence[str], kinds: Sequence[str], numbers: Memory
) -> list[tuple[str, float, str]]:
    """Weigh the best link to each neighbour, the weightiest first; what is often useful together counts as linked.

    Folders are left out unless kinds of links are asked for: through them, all that lies side by side would be near.
    """
    linked = [(each.document, each.kind) for each in near if kinds or not each.document.endswith("/")]
    best: dict[str, tuple[float, str]] = {}
    for other, kind in (*linked, *((each, CO_ACTIVATED) for each in companions)):
        weight = numbers.edge(kind)
        if weight > best.get(other, (0.0, ""))[0]:
            best[other] = weight, kind
    ranked = sorted(best.items(), key=lambda each: (-each[1][0], each[0]))
    return [(other, weight, kind) for other, (weight, kind) in ranked]


def told_way(way: Way, starts: Mapping[str, float], numbers: Memory) -> Explanation:
    """Say how an entry was reached, and what that is worth."""
    links = (value(weight, f"link {kind}") for kind, weight in way.steps)
    hops = value(numbers.hop ** len(way.steps), f"{len(way.steps)} hop{'s' * (len(way.steps) > 1)}")
    return product(f"reached from {way.start}", value(starts[way.start], f"fused score of {way.start}"), *links, hops)
