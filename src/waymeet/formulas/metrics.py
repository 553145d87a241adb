"""How sure a mean is: intervals by drawing the same queries again and again (Efron, 1979; Sakai, 2006 for search)."""

from collections.abc import Mapping, Sequence
from math import fsum, log2
from typing import NamedTuple

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


DRAWS = 5000
CONFIDENCE = 0.95
_SEED = 20_111
_AT_ONCE = 1 << 21
"""Numbers drawn at once: memory stays bounded, however many queries there are."""


class Interval(NamedTuple):
    """A mean, and the bounds within which 95 of 100 means of such samples lie."""

    mean: float
    low: float
    high: float

    @property
    def within_noise(self) -> bool:
        """Whether 0 lies in it: the difference may be chance."""
        return self.low <= 0.0 <= self.high


def interval(values: Sequence[float]) -> Interval:
    """Give the mean of values, one for each query, with its interval; the same values always have the same.

    >>> interval([0.5, 0.5, 0.5])
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    if not values:
        return Interval(0.0, 0.0, 0.0)
    mean = fsum(values) / len(values)
    if min(values) == max(values):
        return Interval(mean, mean, mean)
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    sample, chance = np.asarray(values, dtype=np.float64), np.random.default_rng(_SEED)
    rows = max(1, _AT_ONCE // len(sample))
    means = np.concatenate(
        [
            sample[chance.integers(0, len(sample), (min(rows, DRAWS - done), len(sample)))].mean(axis=1)
            for done in range(0, DRAWS, rows)
        ]
    )
    aside = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (aside, 1 - aside))
    return Interval(mean, float(low), float(high))


def paired(these: Sequence[float], those: Sequence[float]) -> Interval:
    """Give by how much these are better than those, query by query: what both find easy or hard cancels out.

    >>> paired([1.0, 0.5], [0.5, 0.0])
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    return interval([this - that for this, that in zip(these, those, strict=True)])
