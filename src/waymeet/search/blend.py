"""The stages of `auto`: words and meaning by score, exact names, one light hop along links, diversity."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from waymeet.analysis import plain, terms
from waymeet.formulas.explain import product, quotient, total, value, weighted
from waymeet.formulas.fusion import share
from waymeet.formulas.proximity import carried
from waymeet.search.fuse import found_in, ordered, scored
from waymeet.search.retrieve import leading
from waymeet.search.state import Search, Tools
from waymeet.search.walk import other_end
from waymeet.settings import Settings
from waymeet.types import Candidate, Edge, Explanation, Found, Scored

_LONGEST_NAME = 8
"""Words of the longest title looked for in a query."""


def blend(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Mix words and meaning by score; with one list alone, its share of the best decides."""
    lists = {source: ranking for source, ranking in search.lists.items() if ranking}
    weight = {"vector": settings.auto.vector, "lexical": 1.0 - settings.auto.vector}
    by_chunk = {source: {each.chunk: each for each in ranking} for source, ranking in lists.items()}
    floor = min((each.score for each in lists.get("vector", ())), default=0.0)
    candidates = []
    for chunk, found in found_in(lists).items():
        rows = {source: by_chunk[source][chunk] for source in found}
        parts = []
        for source, row in rows.items():
            best = lists[source][0].score
            part = _above(search, row, floor, best) if source == "vector" else _share(search, row, best)
            parts.append(weighted(weight[source], source, part) if len(lists) > 1 else part)
        document = next(iter(rows.values())).document
        score = total("words and meaning", *parts) if len(lists) > 1 else parts[0]
        candidates.append(Candidate(document, (chunk,), score, tuple(found.values())))
    kind = "hybrid" if len(lists) > 1 else next(iter(lists), "none")
    return replace(search, candidates=ordered(candidates), search_type=kind)


def _share(search: Search, row: Scored, best: float) -> Explanation:
    return share("words", scored(search, "lexical", row), best)


def _above(search: Search, row: Scored, floor: float, best: float) -> Explanation:
    """Measure a cosine between the last and the best of its list: every model has a zero of its own."""
    lifted = total("above the list's last", scored(search, "vector", row), value(-floor, "the list's last"))
    return quotient("meaning / best meaning", lifted, value((best - floor) or 1.0, "best above the last"))


def exact(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lift documents whose whole title or file name stands in the query, so that fusion cannot bury them."""
    names = _names(search.query.text)
    asked = set(terms(search.query.text))
    if not names or not asked:
        return search.skip("no name in the query")
    covers: dict[str, float] = {}
    for key, documents in tools.store.named(names).items():
        part = len(set(terms(names[key])) & asked) / len(asked)
        for document in documents:
            covers[document] = max(covers.get(document, 0.0), part)
    allowed = tools.store.passing([document for document, part in covers.items() if part], search.filters)
    bonus = {
        document: product(
            "its name stands in the query",
            value(settings.auto.exact, "weight"),
            value(part, "part of the query it covers"),
        )
        for document, part in covers.items()
        if document in allowed
    }
    if not bonus:
        return search.skip("no document of that name")
    return replace(search, candidates=_lifted(search, tools, bonus, "name"))


def _names(text: str) -> dict[str, str]:
    """List the keys under which a document named in the query would be known, with the words each stands for."""
    keys = {f"n:{token.casefold()}": token for token in text.split()}
    keys |= {f"p:{token.casefold().lstrip('./')}": token for token in text.split() if "/" in token}
    words = plain(text).split()[:200]
    for length in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            keys[f"t:{name}"] = name
    return keys


def spread(search: Search, tools: Tools, settings: Settings) -> Search:
    """Hand a part of each leading document's score to its neighbours: the strongest gift counts, not the sum."""
    if not search.candidates:
        return search.skip("nothing to start from")
    if search.query.depth == 0:
        return search.skip("depth 0")
    best: dict[str, Explanation] = {}
    for each in search.candidates:
        best.setdefault(each.document, each.score)
    ranked = tuple(Scored("", each.document, each.score.value) for each in search.candidates)
    givers = leading(ranked, search.query.limit * settings.pool.starts)
    gifts: dict[str, Explanation] = {}
    for giver, edges in _touching(tools.store.edges(givers, search.query.link_types), givers).items():
        neighbours = {far: edge for edge in edges if (far := other_end(edge, giver)) is not None}
        for document, edge in neighbours.items():
            outward = edge.source.document == giver
            weight = settings.auto.out_link if outward else settings.auto.in_link
            gift = product(
                f"{'linked from' if outward else 'links to'} {giver}",
                value(carried(weight, len(neighbours)), f"link weight, {len(neighbours)} neighbours"),
                value(best[giver].value, f"score of {giver}"),
            )
            if document not in gifts or gift.value > gifts[document].value:
                gifts[document] = gift
    allowed = tools.store.passing(list(gifts), search.filters)
    gifts = {document: gift for document, gift in gifts.items() if document in allowed and gift.value > 0.0}
    return replace(search, candidates=_lifted(search, tools, gifts, "graph"))


def _touching(edges: Iterable[Edge], documents: Iterable[str]) -> Mapping[str, list[Edge]]:
    """Group edges by the documents they touch; outgoing edges last, so that a link both ways counts as outgoing."""
    wanted = set(documents)
    touching: defaultdict[str, list[Edge]] = defaultdict(list)
    for outgoing in (False, True):
        for edge in edges:
            end = edge.source.document if outgoing else edge.target.document if edge.target else None
            if end in wanted and edge.target is not None:
                touching[end].append(edge)
    return touching


def _lifted(search: Search, tools: Tools, bonus: Mapping[str, Explanation], source: str) -> tuple[Candidate, ...]:
    """Add a bonus to every candidate of a document; a document without one enters with its opening."""
    by_worth = sorted(bonus, key=lambda document: (-bonus[document].value, document))
    ranks = {document: rank for rank, document in enumerate(by_worth, start=1)}
    lifted = []
    for each in search.candidates:
        gift = bonus.get(each.document)
        if gift is not None:
            found = Found(source, ranks[each.document], gift.value)
            score = (
                total(each.score.description, *each.score.parts, gift)
                if each.score.operation == "sum"
                else total("words and links", each.score, gift)
            )
            lifted.append(replace(each, score=score, found=(*each.found, found)))
        else:
            lifted.append(each)
    missing = set(bonus) - {each.document for each in search.candidates}
    for document, chunks in tools.store.chunks_of(missing).items():
        found = Found(source, ranks[document], bonus[document].value)
        lifted.append(Candidate(document, (chunks[0].id,), total("links", bonus[document]), (found,)))
    return ordered(lifted)


def diversify(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Show at most a few sections of one document."""
    seen: defaultdict[str, int] = defaultdict(int)
    kept = []
    for each in search.candidates:
        seen[each.document] += 1
        if seen[each.document] <= settings.auto.per_document:
            kept.append(each)
    return replace(search, candidates=tuple(kept))
