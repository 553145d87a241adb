"""The stages of `auto`: words and meaning by score, exact names, one light hop along links, diversity."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import called, located, plain, spoken, terms, titled
from waymeet.formulas.explain import product, quotient, total, value, weighted
from waymeet.formulas.fusion import share
from waymeet.formulas.proximity import carried
from waymeet.formulas.weighing import meaning_of_code, meaning_of_prose
from waymeet.ports import Neighbour, suited
from waymeet.search.fuse import kind_of, made_of, ordered, rows_of, scored
from waymeet.search.meaning import lanes_of
from waymeet.search.retrieve import fanned_out
from waymeet.search.state import Search, Tools
from waymeet.settings import Auto, Settings
from waymeet.types import Candidate, Explanation, Found, Scored

_LONGEST_NAME = 8
"""Words of the longest title looked for in a query."""
_MOST_WORDS = 200
_AROUND = " .,;:!?()[]{}<>'\"`“”„«»「」、。？！"
_FOUND_BY = {"name": "name", "graph": "links"}
_SUMS = {"with what its name and links add", *_FOUND_BY.values()}


def blend(search: Search, tools: Tools, settings: Settings) -> Search:
    """Mix words and meaning by score; with one list alone, its share of the best decides."""
    kind = made_of(search)
    meaning = _weight(search, tools, settings.auto) * search.covered if kind == "hybrid" else 0.0
    weight = {"vector": meaning, "lexical": 1.0 - meaning}
    candidates = []
    for rows, found in rows_of(search):
        row = next(iter(rows.values()))
        parts = {source: _part(search, source, row) for source, row in rows.items()}
        if kind == "hybrid":
            told = (weighted(weight.get(kind_of(each), 0.0), each, part) for each, part in parts.items())
            score = total("words and meaning", *told)
        else:
            score = max(parts.values(), key=lambda part: part.value)
        candidates.append(Candidate(row.document, (row.chunk,), score, found))
    return replace(search, candidates=ordered(candidates), search_type=kind)


def _weight(search: Search, tools: Tools, auto: Auto) -> float:
    """Weigh meaning beside words, the more the larger a part of all is in another language than the question.

    The weight is one for all, so that no page is ahead because of its language.
    """
    if not tools.embedders:
        return _own_weight(tools, auto, main=True)
    home = suited(tools.embedders, spoken(search.spelt or search.text))
    own = _own_weight(tools, auto, main=home is tools.embedders[0])
    if not search.foreign:
        return own
    at_home, _ = tools.store.coverage([home.lane])
    everywhere, _ = tools.store.coverage(lanes_of(tools.embedders))
    return own + (auto.foreign - own) * (1.0 - at_home / max(everywhere, 1)) ** 2


def _own_weight(tools: Tools, auto: Auto, *, main: bool) -> float:
    """Weigh meaning by the kind of texts there are; code and prose by how many documents are which."""
    if auto.vector is not None:
        return auto.vector
    if not main:
        return auto.tongues
    texture = tools.store.texture()
    documents = max(texture.documents, 1)
    prose = meaning_of_prose(texture.body, auto.remarks, auto.prose)
    code = meaning_of_code(texture.chunks / documents, auto.functions, auto.files)
    return prose + (code - prose) * texture.code / documents


def _part(search: Search, source: str, row: Scored) -> Explanation:
    """Express a score as a part of the best in its list.

    A cosine is measured from the last of its list, for every model has a zero of its own.
    """
    score, best = scored(search, source, row), search.ranking(source)[0].score
    if kind_of(source) == "lexical":
        return share("words", score, best)
    floor = search.ranking(source)[-1].score
    if best <= floor:
        return value(1.0, "as near as anything")
    lifted = total("above the list's last", score, value(-floor, "the list's last"))
    return quotient("meaning / best meaning", lifted, value(best - floor, "best above the last"))


def exact(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lift documents whose whole title or file name stands in the query."""
    names = _names(search.text)
    asked = set(terms(search.text))
    if not names or not asked:
        return search.skip("no name in the query")
    covers: dict[str, float] = {}
    for key, documents in tools.store.named(names).items():
        part = len(set(terms(names[key])) & asked) / len(asked)
        for document in documents:
            covers[document] = max(covers.get(document, 0.0), part)
    bonus = {
        document: product(
            "its name stands in the query",
            value(settings.auto.exact, "weight"),
            value(part, "part of the query it covers"),
        )
        for document, part in covers.items()
        if part
    }
    return _lifted(search, tools, bonus, "name")


def _names(text: str) -> dict[str, str]:
    """List the keys under which a document named in the query would be known, with the words each stands for."""
    tokens = [token.strip(_AROUND) for token in text.split()[:_MOST_WORDS]]
    keys = {called(token): token for token in tokens if token}
    keys |= {located(token.removeprefix("./")): token for token in tokens if "/" in token}
    words = plain(text).split()[:_MOST_WORDS]
    for length in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            keys[titled(name)] = name
    return keys


class _Gift(NamedTuple):
    """A part of its score that one document hands to another."""

    worth: float
    giver: str
    outward: bool
    weight: float
    number: int
    """How many neighbours the giver has."""


def spread(search: Search, tools: Tools, settings: Settings) -> Search:
    """Hand a part of each leading document's score to its neighbours: the strongest gift counts, not the sum."""
    if search.query.depth == 0 or not search.candidates:
        return search.skip("nothing to start from" if search.query.depth != 0 else "depth 0")
    best: dict[str, float] = {}
    for each in search.candidates:
        best.setdefault(each.document, each.score.value)
    givers = list(best)[: search.query.limit * settings.pool.starts]
    gifts, cut = _gifts(tools.store.neighbours(givers, search.query.link_types), best, settings)
    known = {document for document in gifts if document in best}
    most = max(search.query.limit * settings.pool.factor, settings.pool.least)
    entering = sorted(gifts.keys() - known, key=lambda document: (-gifts[document].worth, document))[:most]
    told = {document: _told(gifts[document], best) for document in (*known, *entering)}
    search = _lifted(search, tools, told, "graph")
    return fanned_out(search, cut, settings) if cut else search


def _gifts(
    around: Mapping[str, Sequence[Neighbour]], best: Mapping[str, float], settings: Settings
) -> tuple[dict[str, _Gift], list[str]]:
    """Find the strongest gift to each document, and name the givers that had more neighbours than are served."""
    gifts: dict[str, _Gift] = {}
    cut = []
    for giver, near in around.items():
        ways = _ways(near, settings.auto)
        if len(ways) > settings.graph.fan_out:
            cut.append(giver)
        served = sorted(ways.items(), key=lambda each: (-each[1][0], each[0]))[: settings.graph.fan_out]
        for document, (weight, outward) in served:
            handed = carried(weight, len(ways))
            worth = handed * best[giver]
            if worth > 0.0 and (document not in gifts or worth > gifts[document].worth):
                gifts[document] = _Gift(worth, giver, outward, handed, len(ways))
    return gifts, cut


def _ways(near: Sequence[Neighbour], auto: Auto) -> dict[str, tuple[float, bool]]:
    """Weigh the way to each neighbour by the link that leads there best, and say whether that leads away."""
    ways: dict[str, tuple[float, bool]] = {}
    for document, kind, outward, _ in near:
        out_part, in_part = getattr(auto.links, kind, auto.links.other)
        weight = auto.out_link * out_part if outward else auto.in_link * in_part
        if weight > 0.0 and (document not in ways or weight > ways[document][0]):
            ways[document] = weight, outward
    return ways


def _told(gift: _Gift, best: Mapping[str, float]) -> Explanation:
    return product(
        f"{'linked from' if gift.outward else 'links to'} {gift.giver}",
        value(gift.weight, f"link weight, {gift.number} neighbour{'s' if gift.number > 1 else ''}"),
        value(best[gift.giver], f"score of {gift.giver}"),
    )


def _lifted(search: Search, tools: Tools, bonus: Mapping[str, Explanation], source: str) -> Search:
    """Add a bonus to every candidate of a document; one without any enters with its first chunk that may be shown."""
    new = tools.store.passing(bonus.keys() - {each.document for each in search.candidates}, search.filters)
    by_worth = sorted(bonus, key=lambda document: (-bonus[document].value, document))
    found = {document: Found(source, rank, bonus[document].value) for rank, document in enumerate(by_worth, start=1)}
    lifted = [
        with_bonus(each, bonus[each.document], found[each.document])
        for each in search.candidates
        if each.document in bonus
    ]
    kept = [each for each in search.candidates if each.document not in bonus]
    entered = [
        Candidate(document, (chunk,), total(_FOUND_BY[source], bonus[document]), (found[document],))
        for document, chunk in new.items()
    ]
    if not lifted and not entered:
        return search.skip(f"nothing found by {_FOUND_BY[source]}")
    kind = "links" if search.search_type == "none" and source == "graph" else search.search_type
    return replace(search, candidates=ordered((*kept, *lifted, *entered)), search_type=kind)


def with_bonus(candidate: Candidate, gift: Explanation, found: Found) -> Candidate:
    """Add a bonus to a candidate's score; bonuses stand side by side in its explanation."""
    score = candidate.score
    if score.description in _SUMS:
        score = total(score.description, *score.parts, gift)
    else:
        score = total("with what its name and links add", score, gift)
    return replace(candidate, score=score, found=(*candidate.found, found))


def diversify(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Show at most a few sections of one document."""
    seen: defaultdict[str, int] = defaultdict(int)
    kept = []
    for each in search.candidates:
        seen[each.document] += 1
        if seen[each.document] <= settings.auto.per_document:
            kept.append(each)
    return replace(search, candidates=tuple(kept))
