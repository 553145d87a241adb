"""Blocks of vectors, searched exactly or with quantised vectors first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.quantization import (
    BitPlanes,
    hamming_distances,
    quantise_query,
    quantise_vectors,
    random_rotation,
    smallest_indices,
)

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.segments.array_file import ArrayFile, Arrays

    Rows = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_COMPARED_SHARE = 0.003
"""The share of the vectors compared exactly after the quantised passes, at a recall of .99 or more."""
_COMPARED_PER_RESULT = 7
"""Further vectors compared exactly for each requested result."""
_REFERENCE_DIMENSION = 384
"""The dimension for which these numbers suffice. Vectors of fewer dimensions have fewer bits, so more are compared."""
_KEPT_BY_FIRST_PASS, _KEPT_BY_SECOND_PASS = 18, 5
"""Candidates kept by the first and second pass, as multiples of the vectors compared exactly."""


class VectorBlock(NamedTuple):
    """Vectors of a space, in the order of their chunk ids."""

    chunks: NDArray[np.uint32]
    ids: NDArray[np.uint64]
    """The ids of the vectors."""
    matrix: NDArray[np.float32]
    rotation: NDArray[np.float32] | None = None
    """The rotation before quantisation; None if the vectors are few and not quantised."""
    planes: BitPlanes | None = None
    live: Mask | None = None
    """Which vectors are not deleted; None for all."""

    def without_deleted(self, deleted: NDArray[np.uint64]) -> VectorBlock:
        """Mark deleted vectors, given by their ids in ascending order."""
        if not len(deleted):
            return self
        nearest = np.minimum(np.searchsorted(deleted, self.ids), len(deleted) - 1)
        live = deleted[nearest] != self.ids
        return self if live.all() else self._replace(live=live)

    @property
    def live_count(self) -> int:
        """Count the vectors that are not deleted."""
        return len(self.chunks) if self.live is None else int(np.count_nonzero(self.live))

    def excluded_mask(self, filtered: Rows | None) -> Mask | None:
        """Return a mask of the rows that are deleted or filtered out, or None if there are none."""
        if filtered is None:
            return None if self.live is None else ~self.live
        mask = np.zeros(len(self.chunks), dtype=np.bool_) if self.live is None else ~self.live
        mask[filtered] = True
        return mask

    def find_candidates(self, query: Vector, excluded: Mask | None, limit: int) -> tuple[Rows, NDArray[np.float32]]:
        """Find rows that almost certainly include the best `limit`, and their approximate cosines."""
        rows = self.select_likely(query, excluded, limit)
        if rows is None and excluded is not None:
            rows = np.flatnonzero(~excluded)
        return np.arange(len(self.chunks)) if rows is None else rows, self.approximate_cosines(query, rows)

    def select_likely(self, query: Vector, excluded: Mask | None, limit: int) -> Rows | None:
        """Select rows by quantised vectors, or return None for all that are not excluded.

        Three passes over fewer and fewer rows approximate the dot product ever more closely: the high plane of the
        vectors with the first, then with all three planes of the query, then both planes with all three.
        """
        if self.rotation is None or self.planes is None:
            return None
        count, dimension = self.matrix.shape
        compared = int(
            (_COMPARED_SHARE * count + _COMPARED_PER_RESULT * limit) * max(1.0, _REFERENCE_DIMENSION / dimension)
        )
        if _KEPT_BY_SECOND_PASS * compared >= count - (0 if excluded is None else np.count_nonzero(excluded)):
            return None
        first, second, third = quantise_query(query, self.rotation)
        distances = hamming_distances(self.planes.high, first)
        if excluded is not None:  # before the first pass: the nearest rows may all be excluded
            distances[excluded] = dimension + 1
        rows = smallest_indices(distances, _KEPT_BY_FIRST_PASS * compared)
        if excluded is not None:
            rows = rows[~excluded[rows]]
        # Levels are 4s + 2t + u for the query and 2s + t for vectors: a plane counts with the product of its weights,
        # here without the common factor 2 of the high plane.
        high = np.take(self.planes.high, rows, axis=1)
        distances = 4 * distances[rows] + 2 * hamming_distances(high, second) + hamming_distances(high, third)
        best = smallest_indices(distances, _KEPT_BY_SECOND_PASS * compared)
        rows, low = rows[best], np.take(self.planes.low, rows[best], axis=0).T
        distances = (
            2 * distances[best]
            + 4 * hamming_distances(low, first)
            + 2 * hamming_distances(low, second)
            + hamming_distances(low, third)
        )
        return rows[smallest_indices(distances, compared)]

    def approximate_cosines(self, query: Vector, rows: Rows | None) -> NDArray[np.float32]:
        """Compute cosines with a query in 32 bits, fast and inexact by rounding."""
        # Row by row: a matrix product would start further threads, which costs more than it gains on busy cores.
        matrix = self.matrix if rows is None else np.take(self.matrix, rows, axis=0)
        products: NDArray[np.float32] = np.vecdot(matrix, query)
        return products


def build_arrays(block: VectorBlock, *, quantise: bool) -> tuple[Arrays, dict[str, Any]]:
    """Build the arrays and attributes of a vector file."""
    arrays: Arrays = {
        "chunks": ("I", block.chunks),
        "ids": ("Q", block.ids),
        "vectors": ("f", block.matrix.reshape(-1)),
    }
    if quantise:
        rotation = random_rotation(block.matrix.shape[1])
        planes = quantise_vectors(block.matrix, rotation)
        arrays["rotation"] = ("f", rotation.reshape(-1))
        arrays["high plane"], arrays["low plane"] = ("Q", planes.high.reshape(-1)), ("Q", planes.low.reshape(-1))
    return arrays, {"dimension": block.matrix.shape[1]}


def read_block(file: ArrayFile) -> VectorBlock:
    """Read a mapped vector file."""
    count, dimension = len(file.array("chunks")), int(file.attributes["dimension"])
    columns: Any = [file.array(name) for name in ("chunks", "ids", "vectors")]
    columns[2] = columns[2].reshape(count, dimension)
    if "low plane" in file:
        rotation, high, low = (file.array(name) for name in ("rotation", "high plane", "low plane"))
        planes: Any = high.reshape(-1, count), low.reshape(count, -1)
        columns += [rotation.reshape(dimension, dimension), BitPlanes(*planes)]
    return VectorBlock(*columns)
