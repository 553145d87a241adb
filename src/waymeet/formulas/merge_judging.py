"""What one ranked list is worth, given which of its items are right: the measures of TREC.

Items that nobody judged count as wrong. An item whose judgement is 0 or below is wrong, too.
"""

from collections.abc import Mapping, Sequence
from math import log2

Judgements = Mapping[str, int]
"""By item: how well it answers."""


def ndcg(ranked: Sequence[str], judged: Judgements, depth: int) -> float:
    """Give the discounted gain of the first items as a part of the best possible (Järvelin and Kekäläinen, 2002).

    >>> round(ndcg(["a", "x", "b"], {"a": 1, "b": 1}, 10), 4)
    0.9197
    """
    best = _gain(sorted((score for score in judged.values() if score > 0), reverse=True)[:depth])
    return _gain([max(judged.get(item, 0), 0) for item in ranked[:depth]]) / best if best else 0.0


def recall(ranked: Sequence[str], judged: Judgements, depth: int) -> float:
    """Give the part of what is right that stands among the first.

    >>> recall(["a", "x", "b"], {"a": 1, "b": 1}, 2)
    0.5
    """
    right = {item for item, score in judged.items() if score > 0}
    return len(right.intersection(ranked[:depth])) / len(right) if right else 0.0


def all_gold(ranked: Sequence[str], judged: Judgements, depth: int) -> float:
    """Give 1 if everything that is right stands among the first, else 0: what a question with several parts needs.

    >>> all_gold(["a", "x", "b"], {"a": 1, "b": 1}, 2), all_gold(["a", "b"], {"a": 1, "b": 1}, 2)
    (0.0, 1.0)
    """
    return 1.0 if recall(ranked, judged, depth) == 1.0 else 0.0


def reciprocal_rank(ranked: Sequence[str], judged: Judgements, depth: int) -> float:
    """Give one over the place of the first that is right, 0 if it stands behind the depth.

    >>> reciprocal_rank(["x", "a"], {"a": 1}, 10)
    0.5
    """
    places = (place for place, item in enumerate(ranked[:depth], start=1) if judged.get(item, 0) > 0)
    return 1 / next(places, float("inf"))


def _gain(scores: Sequence[int]) -> float:
    return sum(score / log2(place + 1) for place, score in enumerate(scores, start=1))
