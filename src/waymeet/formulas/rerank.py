"""What becomes of a reranker's scores."""

from collections.abc import Sequence
from math import exp

from waymeet.formulas.explanation import total, weighted
from waymeet.types import Explanation


def logistic(logit: float) -> float:
    """Map any number to one between 0 and 1.

    >>> logistic(0.0), round(logistic(2.0), 4), logistic(-1e9)
    (0.5, 0.8808, 0.0)
    """
    if logit >= 0.0:
        return 1.0 / (1.0 + exp(-min(logit, 700.0)))
    small = exp(max(logit, -750.0))
    return small / (1.0 + small)


def length_penalty(characters: int, enough: int = 100, least: float = 0.8) -> float:
    """Trust a score less if there was little text to judge by.

    >>> length_penalty(50), length_penalty(100), length_penalty(0)
    (0.9, 1.0, 0.8)
    """
    return least + (1.0 - least) * min(characters, enough) / enough if enough > 0 else 1.0


def fused_weight(
    position: int, bands: Sequence[tuple[int, float]] = ((3, 0.75), (10, 0.60)), tail: float = 0.40
) -> float:
    """Say how much the fused score counts beside the reranker's, by the position in the fused list, from 1.

    >>> [fused_weight(position) for position in (1, 3, 4, 10, 11)]
    [0.75, 0.75, 0.6, 0.6, 0.4]
    """
    return next((weight for last, weight in bands if position <= last), tail)


def blend_scores(fused: Explanation, reranked: Explanation, weight: float) -> Explanation:
    """Mix the fused score, as a part of the best, with the reranker's.

    >>> from waymeet.formulas.explanation import value
    >>> round(blend_scores(value(0.9, "rrf / best"), value(0.4, "reranker"), fused_weight(2)).value, 4)
    0.775
    """
    return total("fused and reranked", weighted(weight, "fused", fused), weighted(1.0 - weight, "reranker", reranked))
