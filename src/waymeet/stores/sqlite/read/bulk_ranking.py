"""Lexical ranking of many postings: segments by numpy, the buffer by loops."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

import numpy as np

from waymeet.formulas.bm25 import idf
from waymeet.stores.segments.bulk_scorer import sum_scores, top_positions
from waymeet.stores.shared import bm25f
from waymeet.stores.sqlite.read.top_k import rank_chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from waymeet.settings import Bm25
    from waymeet.stores.segments.bulk_scorer import Matches
    from waymeet.stores.sqlite.read.filters import FilterSet
    from waymeet.stores.sqlite.read.lexicon import Lexicon
    from waymeet.types import Ranking, Word

_GROWTH = 8
"""Factor by which more candidates are read while too few of them have the phrases."""


def rank(
    lexicon: Lexicon, words: Sequence[tuple[Word, Sequence[int]]], bm25: Bm25, filters: FilterSet, limit: int
) -> tuple[Ranking, list[int]]:
    """Rank chunks by words with their term ids, and return the chunk frequency of each word."""
    scales = bm25f.field_scales(bm25, lexicon.statistics.averages)
    buffered: list[dict[int, float]] = [{} for _ in words]
    if lexicon.buffer.chunks:
        fields = bm25f.scored_fields(bm25)
        postings = (lexicon.buffered_postings(terms, fields) for _, terms in words)
        buffered = [bm25f.saturations(word_postings, scales, bm25.k1) for word_postings in postings]
    matches = {
        segment: [scorer.find_matches(terms) for _, terms in words]
        for segment, scorer in ((segment, lexicon.scorer(segment, bm25)) for segment in lexicon.segments)
    }
    frequencies = [
        len(weights) + sum(len(segment_matches[index].positions) for segment_matches in matches.values())
        for index, weights in enumerate(buffered)
    ]
    chunks = lexicon.statistics.chunks
    factors = [word.weight * idf(chunks, containing) for (word, _), containing in zip(words, frequencies, strict=True)]
    buffer_scores = _score_buffer(factors, buffered, filters)
    segment_scores = _score_segments(lexicon, factors, matches, filters)
    return _select_best(lexicon, segment_scores, buffer_scores, filters, limit), frequencies


def _score_buffer(
    factors: Sequence[float], buffered: Sequence[dict[int, float]], filters: FilterSet
) -> dict[int, float]:
    """Score the buffered chunks that pass the filters except for the phrases."""
    scores: dict[int, float] = {}
    for factor, weights in zip(factors, buffered, strict=True):
        for chunk, weight in weights.items():
            if filters.allows(chunk):
                scores[chunk] = scores.get(chunk, 0.0) + factor * weight
    return scores


def _score_segments(
    lexicon: Lexicon, factors: Sequence[float], matches: dict[int, list[Matches]], filters: FilterSet
) -> dict[int, NDArray[np.float64]]:
    """Score the chunks of each segment by position, with 0 for those that do not pass."""
    by_segment = {}
    for id_, segment in lexicon.segments.items():
        scores = sum_scores(len(segment.chunks), list(zip(factors, matches[id_], strict=True)))
        excluded = filters.excluded_positions(segment.chunks)
        if excluded is not None:
            scores[excluded] = 0.0
        by_segment[id_] = scores
    return by_segment


def _select_best(
    lexicon: Lexicon,
    segment_scores: dict[int, NDArray[np.float64]],
    buffer_scores: dict[int, float],
    filters: FilterSet,
    limit: int,
) -> Ranking:
    """Select the best chunks with all phrases, reading more candidates until there are enough."""
    size = limit
    while True:
        candidates = dict(buffer_scores)
        for id_, scores in segment_scores.items():
            positions = top_positions(scores, size)
            chunks = np.asarray(lexicon.segments[id_].chunks)[positions]
            candidates |= zip(chunks.tolist(), scores[positions].tolist(), strict=True)
        best = _keep_highest(candidates, size)
        locations = filters.locate(best)
        is_complete = len(best) == len(candidates) < size
        if len(locations) >= limit or is_complete or not filters.phrases:
            return rank_chunks(locations, best, limit)
        size *= _GROWTH


def _keep_highest(scores: dict[int, float], size: int) -> dict[int, float]:
    """Keep the highest scores, with all ties of the last one, which are ordered by location."""
    if len(scores) <= size or size == 0:
        return scores if size else {}
    bound = nlargest(size, scores.values())[-1]
    return {chunk: score for chunk, score in scores.items() if score >= bound}
