"""Breadth-first walks along links: by number of hops, or by link weights."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from waymeet.formulas.explanation import product, value
from waymeet.ports import Neighbour, Store
from waymeet.search.feedback.votes import CO_ACTIVATED
from waymeet.search.state import Tools
from waymeet.settings import RELATIONS, Memory, Settings
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


class LinkPaths(NamedTuple):
    """The best paths to every document in reach, by document."""

    relations: Mapping[str, LinkPath]
    """Paths of relations only, such as `supersedes`, or of the kinds of links that the caller names."""
    links: Mapping[str, LinkPath]
    """Paths with at least one other link, such as `references` or `imports`."""
    truncated: frozenset[str]
    """Documents with more links than are followed."""


class _Link(NamedTuple):
    """The heaviest link between two documents, of relations or of other links."""

    document: str
    weight: float
    kind: str
    is_relation: bool


def find_best_paths(
    tools: Tools,
    starts: Mapping[str, float],
    depth: int,
    kinds: Sequence[str],
    settings: Settings,
    *,
    min_score: float = 0.0,
) -> LinkPaths:
    """Find the best paths along links from any start to every document in reach.

    A path multiplies the start's score by the weight of each link and by `memory.hop` for each hop. A start is in the
    result only if another start reaches it. Paths that no further links can raise to `min_score` are not followed;
    the result may still contain paths below it.
    """
    best: dict[bool, dict[str, LinkPath]] = {True: {}, False: {}}
    truncated: set[str] = set()
    co_read = tools.feedback.together(settings.memory.together) if not kinds or CO_ACTIVATED in kinds else {}
    frontier = {(start, start, True): LinkPath(score, start) for start, score in starts.items()}
    for hops_left in range(depth, 0, -1):
        gain = _max_gain(hops_left, settings.memory)
        frontier = {key: path for key, path in frontier.items() if path.score * gain >= min_score}
        further: dict[tuple[str, str, bool], LinkPath] = {}
        neighbours = tools.store.neighbours({document for document, *_ in frontier}, kinds)
        links = {
            document: _weigh_links(near, co_read.get(document, ()), kinds, settings.memory)
            for document, near in neighbours.items()
        }
        truncated |= {document for document, others in links.items() if len(others) > settings.graph.fan_out}
        for (document, start, is_relation), path in frontier.items():
            for link in links[document][: settings.graph.fan_out]:
                score = path.score * link.weight * settings.memory.hop
                key = link.document, start, is_relation and link.is_relation
                known = further.get(key)
                if link.document != start and score > (known.score if known else 0.0):
                    further[key] = LinkPath(score, start, (*path.steps, (link.kind, link.weight)))
        _keep_best(best, further)
        frontier = further
    return LinkPaths(best[True], best[False], frozenset(truncated))


def _keep_best(best: dict[bool, dict[str, LinkPath]], further: Mapping[tuple[str, str, bool], LinkPath]) -> None:
    """Add the paths that are better than those known so far."""
    for (document, _, is_relation), path in further.items():
        known = best[is_relation].get(document)
        if known is None or path.score > known.score:
            best[is_relation][document] = path


def _max_gain(hops: int, numbers: Memory) -> float:
    """Return the largest factor of a path's score that one to `hops` further links can give."""
    heaviest = max(map(numbers.edge, ("", *RELATIONS))) * numbers.hop
    return max(heaviest, heaviest**hops)


def _weigh_links(
    neighbours: Sequence[Neighbour], co_read: Sequence[str], kinds: Sequence[str], numbers: Memory
) -> list[_Link]:
    """List the heaviest relation and the heaviest other link to every neighbour.

    The heaviest come first. Documents that are often read together count as related. Folders are left out unless the
    caller names kinds of links: all files of a folder would be two hops apart. Links of the kinds that a caller names
    count as relations.
    """
    linked = [(each.document, each.kind) for each in neighbours if kinds or not each.document.endswith("/")]
    best: dict[tuple[str, bool], _Link] = {}
    for other, kind in (*linked, *((document, CO_ACTIVATED) for document in co_read)):
        is_relation = bool(kinds) or kind in RELATIONS or kind == CO_ACTIVATED
        link = _Link(other, numbers.edge(kind), kind, is_relation)
        known = best.get((other, is_relation))
        if link.weight > (known.weight if known else 0.0):
            best[other, is_relation] = link
    return sorted(best.values(), key=lambda link: (-link.weight, link.document, not link.is_relation))


def explain_path(path: LinkPath, starts: Mapping[str, float], numbers: Memory) -> Explanation:
    """Explain the score of a path: the start's score × link weights × hop decay."""
    hops = len(path.steps)
    return product(
        f"reached from {path.start}: score × link weights × decay",
        value(starts[path.start], f"fused score of {path.start}"),
        *(value(weight, f"weight of link {kind}") for kind, weight in path.steps),
        value(numbers.hop**hops, f"decay = {numbers.hop:g}^{hops} ({hops} hop{'s' * (hops > 1)})"),
        group="links",
    )
