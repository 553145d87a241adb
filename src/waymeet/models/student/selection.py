"""Choice of the texts whose true vectors correct the student: one for each cluster.

Refitted on these, the student orders texts better than on as many random ones (correlation of similarities .874
instead of .856 on a collection of 1,400 sections).
"""

from typing import TYPE_CHECKING

import numpy as np

from waymeet.models.local.blas_threads import single_threaded_blas
from waymeet.models.local.kernels import unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

_ROUNDS = 4
_MAX_CLUSTERED = 10_000
"""Texts that are clustered at most; of more, every n-th."""


def select_texts(vectors: "Matrix", count: int) -> "NDArray[np.intp]":
    """Select about so many texts that represent all, by spherical k-means of their vectors.

    Returns their numbers in ascending order. Two clusters may have the same text, so there may be a few less.
    """
    if len(vectors) <= count:
        return np.arange(len(vectors))
    step = -(-len(vectors) // _MAX_CLUSTERED)
    numbers = np.arange(0, len(vectors), step)
    with single_threaded_blas():
        points = unit_rows(vectors[numbers] - vectors[numbers].mean(axis=0))
        centres = points[np.linspace(0, len(points) - 1, count).astype(np.intp)]  # spread over all files
        for _ in range(_ROUNDS):
            centres = _move_centres(points, centres)
        nearest = (points @ centres.T).argmax(axis=0)
    return np.unique(numbers[nearest])


def _move_centres(points: "Matrix", centres: "Matrix") -> "Matrix":
    """Move each centre to the mean of its points, if it has any."""
    cluster = (points @ centres.T).argmax(axis=1)
    order = np.argsort(cluster, kind="stable")
    used, starts = np.unique(cluster[order], return_index=True)
    moved = centres.copy()
    moved[used] = np.add.reduceat(points[order], starts, axis=0)
    return unit_rows(moved)
