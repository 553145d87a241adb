"""Stages of the recipe `deep` that check, fuse and blend scores."""

from msgspec.structs import replace

from waymeet.formulas.explanation import total, value
from waymeet.formulas.fusion import is_strong_signal, rrf, share_of_best, top_rank_bonus
from waymeet.formulas.rerank import blend_scores, fused_weight
from waymeet.search.fuse.fusion import find_search_type, iterate_rows, sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate, Filters

_ORIGINAL = ("lexical", "vector")
"""Lists of the query as written; those of alternative wordings carry a number."""


def strong_signal(search: Search, tools: Tools, settings: Settings) -> Search:
    """Check whether the lexical list has a clear winner, so that expansion is not needed.

    Scores are divided by the sum of the best scores that each word of the query reaches in this index. The best score
    of the list itself would hide that all of its scores are low.
    """
    ranking = search.ranking("lexical")
    if not ranking:
        return replace(search, strong_signal=False).skip("no lexical results")
    first, second = ranking[0].score, ranking[1].score if len(ranking) > 1 else 0.0
    min_score, min_gap = settings.deep.clear_score, settings.deep.clear_gap
    reachable = 0.0
    for word in search.words:
        best = tools.store.rank_lexical([word], 1, Filters(), settings.bm25)
        reachable += best[0].score if best else 0.0
        if first < min_score * reachable:  # `reachable` only grows, so the answer is clear already
            return replace(search, strong_signal=False)
    is_clear = reachable > 0.0 and is_strong_signal(first / reachable, second / reachable, min_score, min_gap)
    return replace(search, strong_signal=is_clear)


def fuse_variants(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse the lists of all wordings by reciprocal rank, with a bonus for top ranks."""
    numbers = settings.deep
    weights = {source: numbers.original if source in _ORIGINAL else numbers.alternative for source in search.lists}
    candidates = []
    for rows, sources in iterate_rows(search):
        score = rrf({each.source: each.rank for each in sources}, weights, settings.rrf.k)
        best_rank = min(each.rank for each in sources)
        bonus = top_rank_bonus(best_rank, numbers.bonus)
        if bonus:
            score = total(
                "RRF + top rank bonus", score, value(bonus, f"bonus for best rank {best_rank} in any list", "bonuses")
            )
        row = next(iter(rows.values()))
        candidates.append(Candidate(row.document, (row.chunk,), score, sources))
    best = sort_candidates(candidates)[: max(numbers.keep, search.query.limit)]
    return replace(search, candidates=best, search_type=find_search_type(search))


def blend_reranker(search: Search, tools: Tools, settings: Settings) -> Search:
    """Blend fused and reranker scores, with more weight on the reranker further down the list."""
    if not search.candidates:
        return search.skip("no candidates")
    if not search.reranker_scores:
        if tools.reranker is None:
            return search.miss("rerank", "no_reranker", "no reranker configured; results are in fused order")
        return search.skip("not_reranked")
    numbers = settings.deep
    bands = ((numbers.first, numbers.first_trust), (numbers.middle, numbers.middle_trust))
    best = search.candidates[0].score.value
    blended = []
    for position, candidate in enumerate(search.candidates, start=1):
        reranked = search.reranker_scores.get(candidate.chunks[0]) if candidate.chunks else None
        reranker = value(reranked.score, "reranker score") if reranked else value(0.0, "not reranked")
        fused = share_of_best("fused score", candidate.score, best)
        score = blend_scores(fused, reranker, fused_weight(position, bands, numbers.tail_trust))
        blended.append(replace(candidate, score=score))
    return replace(search, candidates=sort_candidates(blended))
