"""Lexical ranking of many postings: segments by numpy, the buffer by loops."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

from waymeet.formulas.bm25 import idf
from waymeet.stores.lexical.top_k import rank_chunks
from waymeet.stores.segments.top_chunks import QueryWord, find_top
from waymeet.stores.shared import bm25f

if TYPE_CHECKING:
    from collections.abc import Sequence

    from waymeet.settings import Bm25
    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.lexical.top_k import ChunkFilters
    from waymeet.stores.segments.bulk_scorer import SegmentScorer
    from waymeet.types import Ranking, Word

_GROWTH = 8
"""Factor by which more candidates are read while too few of them have the phrases."""


def rank(
    lexicon: Lexicon, words: Sequence[tuple[Word, Sequence[int]]], bm25: Bm25, filters: ChunkFilters, limit: int
) -> tuple[Ranking, list[int]]:
    """Rank chunks by words with their term ids, and return the chunk frequency of each word."""
    buffered: list[dict[int, float]] = [{} for _ in words]
    if lexicon.buffer.chunks:
        scales, fields = bm25f.field_scales(bm25, lexicon.statistics.averages), bm25f.scored_fields(bm25)
        postings = (lexicon.buffered_postings(terms, fields) for _, terms in words)
        buffered = [bm25f.saturations(word_postings, scales, bm25.k1) for word_postings in postings]
    scorers = [lexicon.scorer(segment, bm25) for segment in lexicon.segments]
    keys = [tuple(terms) for _, terms in words]
    frequencies = [
        len(weights) + sum(scorer.count_chunks(terms) for scorer in scorers)
        for terms, weights in zip(keys, buffered, strict=True)
    ]
    chunks = lexicon.statistics.chunks
    factors = [word.weight * idf(chunks, containing) for (word, _), containing in zip(words, frequencies, strict=True)]
    buffer_scores = _score_buffer(factors, buffered, filters)
    query_words = [QueryWord(terms, factor) for terms, factor in zip(keys, factors, strict=True) if terms]
    return _select_best(scorers, query_words, buffer_scores, filters, limit), frequencies


def _score_buffer(
    factors: Sequence[float], buffered: Sequence[dict[int, float]], filters: ChunkFilters
) -> dict[int, float]:
    """Score the buffered chunks that pass the filters except for the phrases."""
    scores: dict[int, float] = {}
    for factor, weights in zip(factors, buffered, strict=True):
        for chunk, weight in weights.items():
            if filters.allows(chunk):
                scores[chunk] = scores.get(chunk, 0.0) + factor * weight
    return scores


def _select_best(
    scorers: Sequence[SegmentScorer],
    words: Sequence[QueryWord],
    buffer_scores: dict[int, float],
    filters: ChunkFilters,
    limit: int,
) -> Ranking:
    """Select the best chunks with all phrases, reading more candidates until there are enough."""
    size = limit
    while True:
        best = dict(_keep_highest(buffer_scores, size))
        for scorer in scorers:
            threshold = min(best.values()) if len(best) >= size > 0 else 0.0
            segment = scorer.segment
            positions, scores = find_top(scorer, words, size, threshold, filters.excluded_in(segment))
            found = zip(segment.chunk_ids.take(positions).tolist(), scores.tolist(), strict=True)
            best.update((chunk, score) for chunk, score in found if score > 0.0)
            best = _keep_highest(best, size)
        locations = filters.locate(best)
        if len(locations) >= limit or len(best) < size or not filters.phrases:
            return rank_chunks(locations, best, limit)
        size *= _GROWTH


def _keep_highest(scores: dict[int, float], size: int) -> dict[int, float]:
    """Keep the highest scores, with all ties of the last one, which are ordered by location."""
    if len(scores) <= size or size == 0:
        return scores if size else {}
    bound = nlargest(size, scores.values())[-1]
    return {chunk: score for chunk, score in scores.items() if score >= bound}
