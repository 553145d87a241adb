"""Retrieval metrics of one query, and bootstrap intervals of their mean.

Sources: Efron (1979) for the bootstrap, Sakai (2006) for its use in search evaluation.
"""

from collections.abc import Mapping, Sequence
from math import fsum, log2
from typing import NamedTuple

Judgements = Mapping[str, int]
"""Relevance by item; 0 or less is not relevant."""

DRAWS = 5000
"""Bootstrap samples."""
CONFIDENCE = 0.95
_SEED = 20_111
_NUMBERS_AT_ONCE = 1 << 21
"""Random numbers drawn at once, so that memory stays bounded for any number of queries."""


def ndcg(ranked: Sequence[str], judgements: Judgements, depth: int) -> float:
    """Compute the normalised discounted cumulative gain (Järvelin and Kekäläinen, 2002).

    >>> round(ndcg(["a", "x", "b"], {"a": 1, "b": 1}, 10), 4)
    0.9197
    """
    ideal = _discounted_gain(sorted((score for score in judgements.values() if score > 0), reverse=True)[:depth])
    return _discounted_gain([max(judgements.get(item, 0), 0) for item in ranked[:depth]]) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], judgements: Judgements, depth: int) -> float:
    """Compute the share of relevant items among the first `depth`.

    >>> recall(["a", "x", "b"], {"a": 1, "b": 1}, 2)
    0.5
    """
    relevant = {item for item, score in judgements.items() if score > 0}
    return len(relevant.intersection(ranked[:depth])) / len(relevant) if relevant else 0.0


def all_gold(ranked: Sequence[str], judgements: Judgements, depth: int) -> float:
    """Return 1 if all relevant items are among the first `depth`, else 0.

    Queries that need several documents (multi-hop) are answered only then.

    >>> all_gold(["a", "x", "b"], {"a": 1, "b": 1}, 2), all_gold(["a", "b"], {"a": 1, "b": 1}, 2)
    (0.0, 1.0)
    """
    return 1.0 if recall(ranked, judgements, depth) == 1.0 else 0.0


def reciprocal_rank(ranked: Sequence[str], judgements: Judgements, depth: int) -> float:
    """Compute 1 / rank of the first relevant item, or 0 if it is below `depth`.

    >>> reciprocal_rank(["x", "a"], {"a": 1}, 10)
    0.5
    """
    ranks = (rank for rank, item in enumerate(ranked[:depth], start=1) if judgements.get(item, 0) > 0)
    return 1 / next(ranks, float("inf"))


def _discounted_gain(scores: Sequence[int]) -> float:
    return sum(score / log2(rank + 1) for rank, score in enumerate(scores, start=1))


class Interval(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_within_noise(self) -> bool:
        """Whether the interval contains 0, so that a difference may be chance."""
        return self.low <= 0.0 <= self.high


def bootstrap_interval(values: Sequence[float]) -> Interval:
    """Compute the mean of the values of all queries with its bootstrap interval.

    The seed is fixed, so the same values always give the same interval.

    >>> bootstrap_interval([0.5, 0.5, 0.5])
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    if not values:
        return Interval(0.0, 0.0, 0.0)
    mean = fsum(values) / len(values)
    if min(values) == max(values):
        return Interval(mean, mean, mean)
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    sample, random = np.asarray(values, dtype=np.float64), np.random.default_rng(_SEED)
    rows = max(1, _NUMBERS_AT_ONCE // len(sample))
    means = np.concatenate(
        [
            sample[random.integers(0, len(sample), (min(rows, DRAWS - done), len(sample)))].mean(axis=1)
            for done in range(0, DRAWS, rows)
        ]
    )
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return Interval(mean, float(low), float(high))


def paired_interval(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Compute the mean difference of two runs over the same queries with its bootstrap interval.

    Differences are taken query by query, so that the difficulty of a query cancels out.

    >>> paired_interval([1.0, 0.5], [0.5, 0.0])
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    return bootstrap_interval([value - other for value, other in zip(values, others, strict=True)])
