"""What else belongs to a document, judged by links alone."""

from collections.abc import Collection, Mapping, Sequence
from math import log
from typing import Literal

from msgspec import Struct

from waymeet.ports import Neighbour, Store

Direction = Literal["both", "out", "in"]

_HALF = 0.5
"""What a further link leaves of the strength of a connection."""
_REASONS = 3
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
    """A document that links connect with another."""

    document: str
    title: str
    kind: str
    score: float
    hops: int
    reasons: tuple[str, ...]


class _Known(dict[str, Sequence[Neighbour]]):
    """The neighbours of documents that were looked at. Unless asked for, lying in one folder is no connection."""

    def __init__(self, store: Store, kinds: Collection[str]) -> None:
        super().__init__()
        self._store = store
        self._kinds = kinds

    def learn(self, documents: Collection[str]) -> None:
        """Look at documents that were not looked at yet."""
        found = self._store.neighbours([each for each in documents if each not in self], self._kinds)
        for document, around in found.items():
            self[document] = [each for each in around if self._kinds or each.kind != _CONTAINS]


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

    Strength spreads along links in both directions, or in one. What passes a document is divided by 1 + ln(its
    neighbours), so that a page which links to everything connects nothing; each further link halves it.
    """
    known = _Known(store, kinds)
    strength: dict[str, float] = {}
    hops: dict[str, int] = {document: 0}
    front = {document: 1.0}
    for hop in range(1, depth + 1):
        known.learn(front)
        spread: dict[str, float] = {}
        for passed in sorted(front):
            share = front[passed] if passed == document else front[passed] / _crowd(known[passed]) * _HALF
            for other in _nearest(known[passed], fan_out, direction):
                if other != document:
                    spread[other] = spread.get(other, 0.0) + share
                    hops.setdefault(other, hop)
        for other, share in spread.items():
            strength[other] = strength.get(other, 0.0) + share
        front = spread
    known.learn(strength)
    scores = {other: share / _crowd(known[other]) for other, share in strength.items()}
    best = sorted(scores, key=lambda other: (-scores[other], other))[:limit]
    documents = store.documents([document, *best])
    return tuple(
        Related(
            document=other,
            title=documents[other].title,
            kind=documents[other].kind,
            score=scores[other],
            hops=hops[other],
            reasons=_reasons(document, other, known),
        )
        for other in best
        if other in documents
    )


def _crowd(neighbours: Sequence[Neighbour]) -> float:
    return 1.0 + log(max(len({each.document for each in neighbours}), 1))


def _nearest(neighbours: Sequence[Neighbour], fan_out: int, direction: Direction) -> list[str]:
    links: dict[str, int] = {}
    for each in neighbours:
        if direction != "both" and each.outward != (direction == "out"):
            continue
        links[each.document] = links.get(each.document, 0) + each.links
    return sorted(links, key=lambda other: (-links[other], other))[:fan_out]


def _reasons(document: str, other: str, known: Mapping[str, Sequence[Neighbour]]) -> tuple[str, ...]:
    """Say what connects two documents: links between them first, then what both are connected with."""
    said = [_direct(each) for each in known[other] if each.document == document]
    own = {(each.document, each.kind, each.outward): each for each in known[document]}
    shared = [
        (len(known.get(each.document, ())), _common(each))
        for each in known[other]
        if (each.document, each.kind, each.outward) in own
    ]
    said += [reason for _, reason in sorted(shared)]
    if not said:
        middle = {each.document for each in known[document]} & {each.document for each in known[other]}
        said = [f"by way of {each}" for each in sorted(middle)] or ["by a chain of links"]
    more = (f"and {len(said) - _REASONS} more",) if len(said) > _REASONS else ()
    return (*said[:_REASONS], *more)


def verb(each: Neighbour) -> str:
    """Say how the document at the other end of links stands to this one, from its point of view.

    >>> verb(Neighbour("a.md", "mentions", True, 1)), verb(Neighbour("a.md", "depends_on", False, 1))
    ('mentioned in', 'depends_on')
    """
    return _VERBS[each.kind][each.outward] if each.kind in _VERBS else each.kind


def _direct(each: Neighbour) -> str:
    """Say how a document is linked with the one that was asked about.

    >>> _direct(Neighbour("a.md", "mentions", True, 1)), _direct(Neighbour("a.md", "depends_on", False, 1))
    ('mentions it', 'it depends_on this')
    """
    if each.kind in _VERBS:
        return f"{_VERBS[each.kind][not each.outward]} it"
    return f"{each.kind} it" if each.outward else f"it {each.kind} this"


def _common(each: Neighbour) -> str:
    """Say what two documents have in common.

    >>> _common(Neighbour("a.md", "references", False, 1)), _common(Neighbour("a.md", "blocks", True, 1))
    ('both linked from a.md', 'both: blocks a.md')
    """
    if each.outward:
        return f"{_BOTH.get(each.kind, f'both: {each.kind}')} {each.document}"
    return (
        f"both {_VERBS[each.kind][1]} {each.document}" if each.kind in _VERBS else f"{each.document} {each.kind} both"
    )
