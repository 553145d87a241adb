"""Rank the documents related to another one by links."""

from collections.abc import Collection, Mapping, Sequence
from math import log
from typing import Literal

from msgspec import Struct

from waymeet.ports import Neighbour, Store

Direction = Literal["both", "out", "in"]

_DECAY = 0.5
"""Factor of the strength at each further link."""
_MAX_REASONS = 3
_CONTAINS = "contains"
_VERBS = {
    "references": ("links to", "linked from"),
    "embeds": ("embeds", "embedded in"),
    "mentions": ("mentions", "mentioned in"),
    "imports": ("imports", "imported by"),
    "calls": ("calls", "called by"),
    "extends": ("extends", "extended by"),
    "implements": ("implements", "implemented by"),
    "contains": ("contains", "contained in"),
    "source": ("describes", "described by"),
    "translation": ("is a translation of", "translated as"),
}
_BOTH = {
    "references": "both link to",
    "embeds": "both embed",
    "mentions": "both mention",
    "imports": "both import",
    "calls": "both call",
    "extends": "both extend",
    "implements": "both implement",
    "source": "both describe",
}


class Related(Struct, frozen=True):
    """A document related to another one by links."""

    document: str
    title: str
    kind: str
    score: float
    hops: int
    reasons: tuple[str, ...]


class _NeighbourCache(dict[str, Sequence[Neighbour]]):
    """Neighbours by document. Containment in a folder counts only if that kind is requested."""

    def __init__(self, store: Store, kinds: Collection[str]) -> None:
        super().__init__()
        self._store = store
        self._kinds = kinds

    def load(self, documents: Collection[str]) -> None:
        """Load the neighbours of documents that are not loaded yet."""
        missing = [document for document in documents if document not in self]
        for document, neighbours in self._store.neighbours(missing, self._kinds).items():
            self[document] = [link for link in neighbours if self._kinds or link.kind != _CONTAINS]


def rank_related(
    store: Store,
    document: str,
    *,
    depth: int,
    kinds: Collection[str],
    limit: int,
    fan_out: int,
    direction: Direction = "both",
) -> tuple[Related, ...]:
    """Rank the documents within `depth` links of a document, the most closely connected first.

    The score of a document is its strength / (1 + ln(degree)), so that pages which link to everything score low.
    """
    neighbours = _NeighbourCache(store, kinds)
    strengths, hops = _spread_strength(neighbours, document, depth, fan_out, direction)
    neighbours.load(strengths)
    scores = {other: strength / _degree_penalty(neighbours[other]) for other, strength in strengths.items()}
    best = sorted(scores, key=lambda other: (-scores[other], other))[:limit]
    documents = store.documents([document, *best])
    return tuple(
        Related(
            document=other,
            title=documents[other].title,
            kind=documents[other].kind,
            score=scores[other],
            hops=hops[other],
            reasons=_reasons(document, other, neighbours),
        )
        for other in best
        if other in documents
    )


def _spread_strength(
    neighbours: _NeighbourCache, document: str, depth: int, fan_out: int, direction: Direction
) -> tuple[dict[str, float], dict[str, int]]:
    """Spread strength 1 from a document along links, and return strength and hops of all others.

    A document passes on its strength × decay / (1 + ln(degree)) to each of its neighbours, the start all of it.
    """
    strengths: dict[str, float] = {}
    hops = {document: 0}
    frontier = {document: 1.0}
    for hop in range(1, depth + 1):
        neighbours.load(frontier)
        reached: dict[str, float] = {}
        for source in sorted(frontier):
            strength = frontier[source]
            if source != document:
                strength = strength / _degree_penalty(neighbours[source]) * _DECAY
            for other in _closest(neighbours[source], fan_out, direction):
                if other != document:
                    reached[other] = reached.get(other, 0.0) + strength
                    hops.setdefault(other, hop)
        for other, strength in reached.items():
            strengths[other] = strengths.get(other, 0.0) + strength
        frontier = reached
    return strengths, hops


def _degree_penalty(neighbours: Sequence[Neighbour]) -> float:
    return 1.0 + log(max(len({link.document for link in neighbours}), 1))


def _closest(neighbours: Sequence[Neighbour], fan_out: int, direction: Direction) -> list[str]:
    """List the neighbours with the most links in a direction."""
    counts: dict[str, int] = {}
    for link in neighbours:
        if direction == "both" or link.outward == (direction == "out"):
            counts[link.document] = counts.get(link.document, 0) + link.links
    return sorted(counts, key=lambda other: (-counts[other], other))[:fan_out]


def _reasons(document: str, other: str, neighbours: Mapping[str, Sequence[Neighbour]]) -> tuple[str, ...]:
    """Describe what connects two documents: links between them first, then common neighbours."""
    reasons = [_describe_direct(link) for link in neighbours[other] if link.document == document]
    own = {(link.document, link.kind, link.outward) for link in neighbours[document]}
    shared = [
        (len(neighbours.get(link.document, ())), _describe_shared(link))
        for link in neighbours[other]
        if (link.document, link.kind, link.outward) in own
    ]
    reasons += [reason for _, reason in sorted(shared)]
    if not reasons:
        between = {link.document for link in neighbours[document]} & {link.document for link in neighbours[other]}
        reasons = [f"linked through {middle}" for middle in sorted(between)] or ["linked through several documents"]
    more = (f"and {len(reasons) - _MAX_REASONS} more",) if len(reasons) > _MAX_REASONS else ()
    return (*reasons[:_MAX_REASONS], *more)


def describe_link(link: Neighbour) -> str:
    """Describe a link from the side of the neighbour.

    >>> describe_link(Neighbour("a.md", "mentions", True, 1)), describe_link(Neighbour("a.md", "depends_on", False, 1))
    ('mentioned in', 'depends_on')
    """
    return _VERBS[link.kind][link.outward] if link.kind in _VERBS else link.kind


def _describe_direct(link: Neighbour) -> str:
    """Describe the link of a related document to the given one.

    >>> _describe_direct(Neighbour("a.md", "mentions", True, 1))
    'mentions it'
    >>> _describe_direct(Neighbour("a.md", "depends_on", False, 1))
    'it depends_on this'
    """
    if link.kind in _VERBS:
        return f"{_VERBS[link.kind][not link.outward]} it"
    return f"{link.kind} it" if link.outward else f"it {link.kind} this"


def _describe_shared(link: Neighbour) -> str:
    """Describe a neighbour that two documents have in common.

    >>> _describe_shared(Neighbour("a.md", "references", False, 1))
    'both linked from a.md'
    >>> _describe_shared(Neighbour("a.md", "blocks", True, 1))
    'both: blocks a.md'
    """
    if link.outward:
        return f"{_BOTH.get(link.kind, f'both: {link.kind}')} {link.document}"
    if link.kind in _VERBS:
        return f"both {_VERBS[link.kind][1]} {link.document}"
    return f"{link.document} {link.kind} both"
