"""How sure a mean is: intervals by drawing the same queries again and again (Efron, 1979; Sakai, 2006 for search)."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

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
