"""Vectors as every backend keeps and compares them. numpy is imported only when there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector


_SAMPLED = 512
"""Vectors that are enough to know a space by."""


def units(space: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, Vector]:
    """Give the vectors as unit vectors, or refuse them all if one does not fit the space.

    A space that holds nothing yet (`dimension` is None) takes the dimension of the first vector.
    """
    kept: dict[str, Vector] = {}
    for chunk, vector in vectors.items():
        kept[chunk] = unit(vector, dimension, f"the vector of {chunk} in space {space}")
        dimension = len(kept[chunk])
    return kept


def unit(vector: Vector, dimension: int | None, what: str) -> Vector:
    """Bring a vector to length 1.

    Raises:
        EmbeddingError: it is not finite, is zero, or has not the dimension it must have.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    exact = np.asarray(vector, dtype=np.float64)
    if exact.ndim != 1 or (dimension is not None and len(exact) != dimension):
        raise EmbeddingError(
            f"{what} has shape {exact.shape}, not ({'n' if dimension is None else dimension},).",
            "The model gives vectors of another size than it did: delete the index and run `waymeet index` again.",
        )
    length = float(np.linalg.norm(exact))
    if not np.isfinite(length) or length == 0.0:
        raise EmbeddingError(
            f"{what} is {'zero' if length == 0.0 else 'not finite'}.",
            "The embedding model returned something unusable; check the model, or search without it.",
        )
    return (exact / length).astype(np.float32)


def usual(parts: Sequence[Sequence[Vector] | NDArray[np.float32]], query: Vector) -> tuple[float, float]:
    """Give mean and standard deviation of the cosines of vectors with another, from a sample evenly drawn."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    step = -(-sum(len(part) for part in parts) // _SAMPLED)
    found = np.concatenate([np.asarray(part[::step], dtype=np.float32) @ query for part in parts])
    return float(found.mean()), float(found.std())


def cosines(vectors: Sequence[Vector] | NDArray[np.float32], query: Vector) -> list[float]:
    """Compare unit vectors, one in each row, with another unit vector.

    Products of 32-bit numbers are exact in 64 bits and every row is summed in the same order, so that equal rows
    have equal scores and tie in every backend. A matrix product promises neither.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    found: list[float] = (np.asarray(vectors, dtype=np.float64) * query.astype(np.float64)).sum(axis=1).tolist()
    return found
