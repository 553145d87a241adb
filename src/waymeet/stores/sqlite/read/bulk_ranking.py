"""Ranking by words where many chunks are touched: whole segments by numpy, loose documents by hand, one list."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

import numpy as np

from waymeet.formulas.bm25 import idf
from waymeet.stores.segments.bulk_scorer import best, summed
from waymeet.stores.shared import bm25f
from waymeet.stores.sqlite.read.top_k import ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from waymeet.settings import Bm25
    from waymeet.stores.sqlite.read.filters import FilterSet
    from waymeet.stores.sqlite.read.lexicon import Lexicon
    from waymeet.types import Ranking, Word


def rank(
    lexicon: Lexicon, asked: Sequence[tuple[Word, Sequence[int]]], bm25: Bm25, gate: FilterSet, limit: int
) -> tuple[Ranking, list[int]]:
    """Rank chunks by words, each given with its terms, and say how many chunks hold each word."""
    words, terms = [word for word, _ in asked], [each for _, each in asked]
    fields = bm25f.counted(bm25)
    scorers = {number: lexicon.scorer(number, bm25) for number in lexicon.segments}
    scales = bm25f.scales(bm25, lexicon.statistics.averages)
    by_hand: list[dict[int, float]] = [{} for _ in terms]
    if lexicon.loose.chunks:
        by_hand = [bm25f.saturations(_loose(lexicon, each, fields), scales, bm25.k1) for each in terms]
    held = {number: [scorer.held(each) for each in terms] for number, scorer in scorers.items()}
    holding = [len(own) + sum(len(each[at].places) for each in held.values()) for at, own in enumerate(by_hand)]
    factors = [word.weight * idf(lexicon.statistics.chunks, n) for word, n in zip(words, holding, strict=True)]
    loose: dict[int, float] = {}
    for factor, own in zip(factors, by_hand, strict=True):
        for chunk, weight in own.items():
            if gate.admits(chunk):
                loose[chunk] = loose.get(chunk, 0.0) + factor * weight
    scores = {}
    for number, segment in lexicon.segments.items():
        found = summed(len(segment.chunks), list(zip(factors, held[number], strict=True)))
        barred = gate.barred(segment.chunks)
        if barred is not None:
            found[barred] = 0.0
        scores[number] = found
    return _best(lexicon, scores, loose, gate, limit), holding


def _best(
    lexicon: Lexicon, scores: dict[int, NDArray[np.float64]], loose: dict[int, float], gate: FilterSet, limit: int
) -> Ranking:
    """Take the best that have all the phrases, looking at more of them until there are enough."""
    size = limit
    while True:
        found = dict(loose)
        for number, each in scores.items():
            at = best(each, size)
            found |= zip(np.asarray(lexicon.segments[number].chunks)[at].tolist(), each[at].tolist(), strict=True)
        nearly = _highest(found, size)
        places = gate.places(nearly)
        if len(places) >= limit or len(nearly) == len(found) < size or not gate.phrases:
            return ranked(places, nearly, limit)
        size *= 8


def _highest(scores: dict[int, float], size: int) -> dict[int, float]:
    """Keep the highest scores, and those that tie with the last of them: their places decide."""
    if len(scores) <= size or size == 0:
        return scores if size else {}
    bound = nlargest(size, scores.values())[-1]
    return {chunk: score for chunk, score in scores.items() if score >= bound}


def _loose(lexicon: Lexicon, terms: Sequence[int], fields: tuple[str, ...]) -> dict[str, dict[int, tuple[int, int]]]:
    found: dict[str, dict[int, tuple[int, int]]] = {field: {} for field in fields}
    for term in terms:
        for chunk, field, times, length in lexicon.loose.occurrences(term):
            here = found.get(field)
            if here is not None:
                here[chunk] = (here[chunk][0] + times if chunk in here else times), length
    return found
