"""The stages of `deep` that are its own: is the answer clear, fusion of all wordings, and the mix with a reranker."""

from msgspec.structs import replace

from waymeet.formulas.explanation import total, value
from waymeet.formulas.fusion import is_strong_signal, rrf, share_of_best, top_rank_bonus
from waymeet.formulas.rerank import blend_scores, fused_weight
from waymeet.search.fuse.fusion import made_of, ordered, rows_of
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate, Filters

_ASKED_AS_IS = ("lexical", "vector")


def strong_signal(search: Search, tools: Tools, settings: Settings) -> Search:
    """Tell whether words alone have answered so clearly that no other wording is needed.

    Scores are held against what the query's words reach at best in this index, each by itself: the share of that, not
    of the run's own best, so that a poor best is seen to be poor.
    """
    found = search.ranking("lexical")
    if not found:
        return replace(search, strong_signal=False).skip("nothing found by words")
    first, second = found[0].score, found[1].score if len(found) > 1 else 0.0
    least, gap = settings.deep.clear_score, settings.deep.clear_gap
    reachable = 0.0
    for word in search.words:
        best = tools.store.rank_lexical([word], 1, Filters(), settings.bm25)
        reachable += best[0].score if best else 0.0
        if first < least * reachable:  # it only grows from here
            return replace(search, strong_signal=False)
    clear = reachable > 0.0 and is_strong_signal(first / reachable, second / reachable, least, gap)
    return replace(search, strong_signal=clear)


def fuse_variants(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse all lists by rank, the question as it was asked counting more, with a bonus for the best rank in any."""
    numbers = settings.deep
    weights = {source: numbers.original if source in _ASKED_AS_IS else numbers.alternative for source in search.lists}
    candidates = []
    for rows, found in rows_of(search):
        score = rrf({each.source: each.rank for each in found}, weights, settings.rrf.k)
        best = min(each.rank for each in found)
        bonus = top_rank_bonus(best, numbers.bonus)
        if bonus:
            score = total("fused, with a bonus", score, value(bonus, f"best rank in any list: {best}"))
        row = next(iter(rows.values()))
        candidates.append(Candidate(row.document, (row.chunk,), score, found))
    kept = ordered(candidates)[: max(numbers.keep, search.query.limit)]
    return replace(search, candidates=kept, search_type=made_of(search))


def blend_reranker(search: Search, tools: Tools, settings: Settings) -> Search:
    """Mix fused and reranked scores; the further down in the fused list, the more the reranker counts."""
    if not search.candidates:
        return search.skip("nothing found")
    if not search.reranker_scores:
        if tools.reranker is None:
            return search.miss("rerank", "no_reranker", "no reranker is set up: the order is that of the fused lists")
        return search.skip("not_reranked")
    numbers = settings.deep
    bands = ((numbers.first, numbers.first_trust), (numbers.middle, numbers.middle_trust))
    best = search.candidates[0].score.value
    mixed = []
    for position, each in enumerate(search.candidates, start=1):
        judged = search.reranker_scores.get(each.chunks[0]) if each.chunks else None
        said = value(judged.score, "reranker") if judged else value(0.0, "not read again")
        score = blend_scores(
            share_of_best("fused", each.score, best), said, fused_weight(position, bands, numbers.tail_trust)
        )
        mixed.append(replace(each, score=score))
    return replace(search, candidates=ordered(mixed))
