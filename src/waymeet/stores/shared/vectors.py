"""Normalisation and comparison of vectors. numpy is imported only when there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.segments.part_vectors import PartBlock


_SAMPLE_SIZE = 512
"""Vectors sampled to estimate the similarities of a space."""


def normalise_vectors(space: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, Vector]:
    """Scale vectors to length 1, or refuse all of them if one does not fit the space.

    An empty space (`dimension` is None) gets the dimension of the first vector.
    """
    unit_vectors: dict[str, Vector] = {}
    for chunk, vector in vectors.items():
        unit_vectors[chunk] = normalise_vector(vector, dimension, f"The vector of {chunk} in space {space}")
        dimension = len(unit_vectors[chunk])
    return unit_vectors


def quantise_parts(space: str, sections: Mapping[str, Vector], dimension: int | None) -> dict[str, bytes]:
    """Quantise the vectors of sections and their parts, or refuse all if one does not fit.

    Each section has a matrix with the vector of its whole text in the first row.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.part_vectors import encode_parts  # noqa: PLC0415 - likewise

    matrices: dict[str, Vector] = {}
    for chunk, matrix in sections.items():
        label = f"The vector of {chunk} in space {space}"
        rows = [normalise_vector(row, dimension, label) for row in np.atleast_2d(matrix)]
        dimension = len(rows[0])
        matrices[chunk] = np.stack(rows)
    return dict(zip(matrices, encode_parts(list(matrices.values())), strict=True))


def normalise_vector(vector: Vector, dimension: int | None, label: str) -> Vector:
    """Scale a vector to length 1. `label` names it in errors.

    Raises:
        EmbeddingError: the vector is not finite, is zero, or has another dimension.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    exact = np.asarray(vector, dtype=np.float64)
    if exact.ndim != 1 or (dimension is not None and len(exact) != dimension):
        raise EmbeddingError(
            f"{label} has shape {exact.shape}, not ({'n' if dimension is None else dimension},).",
            "The model returns vectors of another size than before. Delete the index and run `waymeet index` again.",
        )
    length = float(np.linalg.norm(exact))
    if not np.isfinite(length) or length == 0.0:
        raise EmbeddingError(
            f"{label} is {'zero' if length == 0.0 else 'not finite'}.",
            "The embedding model returned something unusable. Check the model, or search without it.",
        )
    return (exact / length).astype(np.float32)


def sample_similarities(blocks: Sequence[Sequence[Vector] | NDArray[np.float32]], query: Vector) -> tuple[float, float]:
    """Compute mean and standard deviation of the cosines with a query, from an even sample."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    step = -(-sum(len(block) for block in blocks) // _SAMPLE_SIZE)
    sample = np.concatenate([np.asarray(block[::step], dtype=np.float32) @ query for block in blocks])
    return float(sample.mean()), float(sample.std())


def sample_part_similarities(block: PartBlock, query: Vector) -> tuple[float, float]:
    """Compute mean and standard deviation of the scores of sections, from an even sample."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    sections = len(block.starts)
    scores = block.score(query, np.arange(0, sections, -(-sections // _SAMPLE_SIZE)))
    return float(scores.mean()), float(scores.std())


def cosines(vectors: Sequence[Vector] | NDArray[np.float32], query: Vector) -> list[float]:
    """Compute the cosines of unit vectors, one per row, with a unit vector.

    Products of 32-bit numbers are exact in 64 bits, and every row is summed in the same order, so that equal rows have
    equal scores and tie in every backend. A matrix product guarantees neither.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    products: list[float] = (np.asarray(vectors, dtype=np.float64) * query.astype(np.float64)).sum(axis=1).tolist()
    return products
