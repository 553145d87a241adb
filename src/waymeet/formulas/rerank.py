"""Normalisation of reranker scores, and their fusion with other scores."""

from collections.abc import Sequence
from math import exp

from waymeet.formulas.explanation import total, weighted
from waymeet.types import Explanation


def logistic(logit: float) -> float:
    """Compute the logistic function, `1 / (1 + exp(−x))`, without overflow.

    >>> logistic(0.0), round(logistic(2.0), 4), logistic(-1e9)
    (0.5, 0.8808, 0.0)
    """
    if logit >= 0.0:
        return 1.0 / (1.0 + exp(-min(logit, 700.0)))
    small = exp(max(logit, -750.0))
    return small / (1.0 + small)


def length_penalty(characters: int, enough: int = 100, least: float = 0.8) -> float:
    """Compute the penalty for short texts: `least + (1 − least)·characters/enough`, at most 1.

    >>> length_penalty(50), length_penalty(100), length_penalty(0)
    (0.9, 1.0, 0.8)
    """
    return least + (1.0 - least) * min(characters, enough) / enough if enough > 0 else 1.0


def fused_weight(
    position: int, bands: Sequence[tuple[int, float]] = ((3, 0.75), (10, 0.60)), tail: float = 0.40
) -> float:
    """Give the weight of the fused score beside the reranker's, by fused rank.

    >>> [fused_weight(position) for position in (1, 3, 4, 10, 11)]
    [0.75, 0.75, 0.6, 0.6, 0.4]
    """
    return next((weight for last, weight in bands if position <= last), tail)


def blend_scores(fused: Explanation, reranked: Explanation, weight: float) -> Explanation:
    """Blend the normalised fused score with the reranker's: `w·fused + (1 − w)·reranker`.

    >>> from waymeet.formulas.explanation import value
    >>> round(blend_scores(value(0.9, "rrf / best"), value(0.4, "reranker"), fused_weight(2)).value, 4)
    0.775
    """
    return total(
        f"w·fused + (1 − w)·reranker, w = {weight:g}",
        weighted(weight, "fused", fused),
        weighted(1.0 - weight, "reranker", reranked),
    )
