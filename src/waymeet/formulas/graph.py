"""How nearness in the graph becomes a number."""

from math import log


def proximity(hops: int) -> float:
    """Score a document by its distance from a starting point: 1 there and next door, then 1/hops.

    >>> [round(proximity(hops), 2) for hops in range(4)]
    [1.0, 1.0, 0.5, 0.33]
    """
    return 1.0 / max(hops, 1)


def propagated_share(weight: float, degree: int) -> float:
    """Say how much of its score a document hands along one of its links: less, the more links it has.

    >>> propagated_share(0.3, 1)
    0.3
    >>> round(propagated_share(0.3, 20), 3)
    0.075
    """
    return weight / (1.0 + log(max(degree, 1)))
