"""Validation, encoding and comparison of vectors, with numpy imported when it is needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from waymeet.formulas.vector_codes import Codes
    from waymeet.ports import Vector
    from waymeet.stores.segments.part_vectors import PartBlock


_SAMPLE_SIZE = 512
"""Vectors sampled to estimate the similarities of a space."""


def encode_unit_vectors(space: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, Codes]:
    """Encode vectors as they are stored, or refuse all of them if one does not fit the space.

    An empty space (`dimension` is None) gets the dimension of the first vector.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.formulas.vector_codes import encode_vectors  # noqa: PLC0415 - likewise

    arrays = {chunk: np.asarray(vector) for chunk, vector in vectors.items()}
    shape = next(iter(arrays.values())).shape if dimension is None else (dimension,)
    if len(shape) == 1 and all(array.shape == shape for array in arrays.values()):
        matrix = np.stack(list(arrays.values()))
        largest = np.abs(matrix).max(axis=1, initial=0.0)
        if (np.isfinite(largest) & (largest > 0.0)).all():
            return dict(zip(arrays, encode_vectors(matrix), strict=True))
    for chunk, array in arrays.items():
        dimension = len(normalise_vector(array, dimension, f"The vector of {chunk} in space {space}"))
    raise EmbeddingError(f"The vectors for space {space} cannot be encoded.", "Check the embedding model.")


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


def rotate_query(vector: Vector, dimension: int, label: str) -> Vector:
    """Scale a query vector to length 1 and rotate it. `label` names it in errors."""
    return _rotate_unit(normalise_vector(vector, dimension, label).tobytes())


@lru_cache(maxsize=8)  # a query is compared with the vectors of several spaces and projects
def _rotate_unit(raw: bytes) -> Vector:
    """Rotate a unit vector, given by the bytes of its 32-bit numbers.

    The result cannot be changed.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.formulas.vector_codes import rotate  # noqa: PLC0415 - likewise

    unit: Vector = rotate(np.frombuffer(raw, dtype=np.float32)[np.newaxis])[0]
    unit.flags.writeable = False
    return unit


def sample_step(count: int) -> int:
    """Return the distance of the vectors that are sampled from so many.

    >>> sample_step(0), sample_step(512), sample_step(1025)
    (1, 1, 3)
    """
    return max(1, -(-count // _SAMPLE_SIZE))


def summarise_similarities(codes: Sequence[Codes] | Codes, query: Vector) -> tuple[float, float]:
    """Compute mean and standard deviation of the cosines of codes with a rotated unit vector."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.formulas.vector_codes import cosines  # noqa: PLC0415 - likewise

    scores = np.array(cosines(codes, query))
    return float(scores.mean()), float(scores.std())


def sample_part_similarities(block: PartBlock, query: Vector) -> tuple[float, float]:
    """Compute mean and standard deviation of the scores of sections, from an even sample."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    sections = len(block.starts)
    scores = block.score(query, np.arange(0, sections, sample_step(sections)))
    return float(scores.mean()), float(scores.std())


def score_part_codes(codes: Mapping[str, bytes], vector: Vector) -> dict[str, float]:
    """Compute the similarities of chunks to a vector from the codes of their parts."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.part_vectors import build_part_block  # noqa: PLC0415 - likewise

    if not codes:
        return {}
    block = build_part_block(list(codes.values()))
    query = normalise_vector(vector, block.dimension, "The query vector for parts of sections")
    return dict(zip(codes, block.score(query, np.arange(len(codes))).tolist(), strict=True))
