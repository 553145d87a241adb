"""One light hop: what is found speaks for what it links to, and for what names the same rare things."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from waymeet.analysis import normalise_text
from waymeet.analysis.keys import MENTION_PREFIX
from waymeet.formulas.explanation import product, total, value
from waymeet.formulas.graph import propagated_share
from waymeet.ports import Neighbour
from waymeet.search.rank.bonus import lifted_by
from waymeet.search.retrieve.first_stage import report_fan_out
from waymeet.search.state import Search, Tools
from waymeet.settings import Auto, Settings
from waymeet.types import Explanation

_FIRST = 5
"""Documents whose names are looked at: further down, what is named has less and less to do with the question."""


class _Contribution(NamedTuple):
    """A part of its score that one document hands to another."""

    score: float
    source: str
    reason: str
    """How the two belong together, told before the giver's name."""
    weight: float
    number: int
    """How many neighbours the giver has."""


def boost_linked(search: Search, tools: Tools, settings: Settings) -> Search:
    """Hand a part of each leading document's score to its neighbours: the strongest gift counts, not the sum.

    A score counts by its square: what fits best has most to say about what belongs to it.
    """
    if search.query.depth == 0 or not search.candidates:
        return search.skip("nothing to start from" if search.query.depth != 0 else "depth 0")
    best = _best(search)
    givers = list(best)[: search.query.limit * settings.pool.seeds]
    around = tools.store.neighbours(givers, search.query.link_types)
    gifts: dict[str, _Contribution] = {}
    cut = []
    part, weights = _part(tools), dict[tuple[str, bool], float]()
    for giver, near in around.items():
        ways = _ways(near, settings.auto, weights)
        number = len(ways)
        handed_over, square = propagated_share(part, number), best[giver] ** 2
        if number > settings.graph.fan_out:
            cut.append(giver)
            ways = dict(sorted(ways.items(), key=lambda each: (-each[1][0], each[0]))[: settings.graph.fan_out])
        for document, (weight, outward) in ways.items():
            handed = weight * handed_over
            how = "linked from" if outward else "links to"
            _give(gifts, document, _Contribution(handed * square, giver, how, handed, number))
    told = {document: _told(gifts[document], best) for document in _chosen(gifts, best, search, settings)}
    search = lifted_by(search, tools, told, "graph")
    return report_fan_out(search, cut, settings) if cut else search


def boost_shared_names(search: Search, tools: Tools, settings: Settings) -> Search:
    """Hand a part of the best documents' scores to those that name the same rare people, places or things.

    What the question itself names leads nowhere new, and nobody is lifted past the one who speaks for it.
    """
    if search.query.depth == 0 or not search.candidates:
        return search.skip("nothing to start from" if search.query.depth != 0 else "depth 0")
    best = _best(search)
    named = _names(tools, list(best)[:_FIRST], frozenset(normalise_text(search.text).split()))
    carriers = tools.store.documents_by_key(
        {name for names in named.values() for name in names}, settings.auto.shared_name_max_documents
    )
    gifts: dict[str, _Contribution] = {}
    part, reach = _part(tools), settings.auto.shared_name_cap
    for giver, names in named.items():
        shared: dict[str, str] = {}
        for name in names:
            for document in carriers.get(name, ()):
                shared.setdefault(document, name.removeprefix(MENTION_PREFIX))
        shared.pop(giver, None)
        handed = propagated_share(settings.auto.shared_name_weight * part, len(shared))
        for document, name in shared.items():
            worth = min(handed * best[giver], reach * best[giver] - best.get(document, 0.0))
            _give(gifts, document, _Contribution(worth, giver, f"names “{name}” as does", handed, len(shared)))
    chosen = _chosen(gifts, best, search, settings)
    told = {document: _told_of_names(gifts[document], best, best.get(document, 0.0), reach) for document in chosen}
    return lifted_by(search, tools, told, "shared")


def _names(tools: Tools, documents: Sequence[str], asked: frozenset[str]) -> dict[str, list[str]]:
    """List what each document names, without what the question names."""
    found = tools.store.documents(documents)
    return {
        document: [
            name
            for name in found[document].names
            if name.startswith(MENTION_PREFIX) and not asked.issuperset(name.removeprefix(MENTION_PREFIX).split())
        ]
        for document in documents
        if document in found
    }


def _best(search: Search) -> dict[str, float]:
    """Give the score of each document's best section, the best document first; what is below 0 has nothing to give."""
    best: dict[str, float] = {}
    for each in search.candidates:
        best.setdefault(each.document, max(each.score.value, 0.0))
    return best


def _part(tools: Tools) -> float:
    """Say which part of a gift is handed over: half of it where texts are remarks that say little of each other."""
    return (1.0 + tools.store.corpus_profile().text_length) / 2.0


def _give(gifts: dict[str, _Contribution], document: str, gift: _Contribution) -> None:
    if gift.score > 0.0 and (document not in gifts or gift.score > gifts[document].score):
        gifts[document] = gift


def _chosen(
    gifts: Mapping[str, _Contribution], best: Mapping[str, float], search: Search, settings: Settings
) -> list[str]:
    """Choose those to whom something is given: all that are known already, and of the others those who get most."""
    known = [document for document in gifts if document in best]
    most = search.query.limit * settings.pool.seeds
    return known + sorted(gifts.keys() - known, key=lambda document: (-gifts[document].score, document))[:most]


def _ways(
    near: Sequence[Neighbour], auto: Auto, weights: dict[tuple[str, bool], float]
) -> dict[str, tuple[float, bool]]:
    """Weigh the way to each neighbour by the link that leads there best, and say whether that leads away.

    What a link of a kind weighs is kept for the next time: there are hundreds of them, and few kinds.
    """
    ways: dict[str, tuple[float, bool]] = {}
    for document, kind, outward, _ in near:
        weight = weights.get((kind, outward))
        if weight is None:
            out_part, in_part = auto.links.of(kind)
            weight = weights[kind, outward] = (
                auto.outlink_weight * out_part if outward else auto.inlink_weight * in_part
            )
        if weight > 0.0 and (document not in ways or weight > ways[document][0]):
            ways[document] = weight, outward
    return ways


def _told(gift: _Contribution, best: Mapping[str, float]) -> Explanation:
    score = best[gift.source]
    return product(
        f"{gift.reason} {gift.source}",
        _weight(gift),
        value(score, f"score of {gift.source}"),
        value(score, "once more: the best have most to say"),
    )


def _told_of_names(gift: _Contribution, best: Mapping[str, float], own: float, reach: float) -> Explanation:
    """Tell of a gift for a name in common: a part of the giver's score, or what is missing to come near to that."""
    score = value(best[gift.source], f"score of {gift.source}")
    whole = product(f"{gift.reason} {gift.source}", _weight(gift), score)
    if whole.value <= gift.score:
        return whole
    near = product("no nearer than", value(reach, "part"), score)
    return total(f"{whole.description}, and comes behind it", near, value(-own, "its own score"))


def _weight(gift: _Contribution) -> Explanation:
    return value(gift.weight, f"link weight, {gift.number} neighbour{'s' if gift.number > 1 else ''}")
