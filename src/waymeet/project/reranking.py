"""Reranking of given hits, outside a recipe."""

from collections.abc import Sequence
from time import perf_counter

from msgspec.structs import replace

from waymeet.formulas.explanation import value
from waymeet.search.pipeline import iterate_stages
from waymeet.search.rank.rerank import rerank, sort_by_reranker
from waymeet.search.state import Recipe, Search, Tools
from waymeet.settings import Settings
from waymeet.types import Answer, Candidate, Hit, Query, SourceRank

_RERANK = Recipe("rerank", "Given hits in the order of the reranker.", (rerank, sort_by_reranker))


def rerank_hits(query: str, hits: Sequence[Hit], limit: int, tools: Tools, settings: Settings) -> Answer:
    """Order hits by the reranker's score × length penalty, and return the first ones.

    With a limit of 0, all are returned. At most `rerank.candidates` hits are reranked, and the others follow in their
    order. Without a reranker, or if it fails, the order stays and the answer is degraded.
    """
    started = perf_counter()
    by_chunk = {hit.id: hit for hit in hits}
    candidates = tuple(
        Candidate(hit.document, (hit.id,), value(hit.score, "score of the given hit"), hit.sources)
        for hit in by_chunk.values()
    )
    search, steps = Search(Query(query), text=query, candidates=candidates), []
    with tools.store.snapshot() as generation:
        gone = by_chunk.keys() - tools.store.chunks(list(by_chunk)).keys()
        for step, after in iterate_stages(_RERANK, search, tools, settings):
            search = after
            steps.append(step)
    if tools.reranker is None:
        detail = "no reranker is configured (setting rerank.provider); the order is that of the given hits"
        search = search.degrade("rerank", "no_reranker", detail)
    if gone:
        detail = f"not in the index any more, so not reranked: {', '.join(sorted(gone)[:5])}"
        search = search.degrade("rerank", "gone", detail)
    ranked = [_to_hit(by_chunk[each.chunks[0]], each, search, rank) for rank, each in enumerate(search.candidates, 1)]
    return Answer(
        query=query,
        recipe=_RERANK.name,
        mode="",
        search_type="none",
        hits=tuple(ranked[:limit] if limit else ranked),
        total_found=len(ranked),
        degraded=search.degraded,
        reranked=bool(search.reranker_scores),
        steps=tuple(steps),
        generation=generation,
        seconds=perf_counter() - started,
    )


def _to_hit(hit: Hit, candidate: Candidate, search: Search, rank: int) -> Hit:
    """Give a hit its new score and explanation, if there was a reranker."""
    if not search.reranker_scores:
        return hit
    scored = search.reranker_scores.get(hit.id)
    sources = (*hit.sources, SourceRank("reranker", rank, scored.score)) if scored else hit.sources
    return replace(hit, score=candidate.score.value, explanation=candidate.score, sources=sources)
