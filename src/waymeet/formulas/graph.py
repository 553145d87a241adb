"""Scores from distances and links in the graph."""

from math import log


def proximity(hops: int) -> float:
    """Score a document by its distance from a start of the walk, `1 / max(hops, 1)`.

    >>> [round(proximity(hops), 2) for hops in range(4)]
    [1.0, 1.0, 0.5, 0.33]
    """
    return 1.0 / max(hops, 1)


def propagated_share(weight: float, degree: int) -> float:
    """Compute the share of a score that passes along one link, `weight / (1 + ln(degree))`.

    >>> propagated_share(0.3, 1)
    0.3
    >>> round(propagated_share(0.3, 20), 3)
    0.075
    """
    return weight / (1.0 + log(max(degree, 1)))
