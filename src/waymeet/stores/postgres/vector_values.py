"""Vectors as the table contains them.

A row has the exact value, and an approximation that the server compares.
This is the only module that knows how a vector is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis.embedded.space_names import is_quantised_space
from waymeet.stores.shared.vectors import (
    cosines,
    normalise_vector,
    normalise_vectors,
    quantise_parts,
    sample_similarities,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector

TOLERANCE = 2.5e-3
"""Largest error of a cosine that is computed from the approximations.

A number of 16 bits has a relative error of at most 2⁻¹¹, or an absolute one of 2⁻²⁵ if it is tiny, so the lengths of
query and vector are off by at most 2⁻¹¹ and their product by 2⁻¹⁰. A candidate and the bound may both be off.
"""


class StoredVector(NamedTuple):
    """The columns of a vector."""

    value: bytes
    embedding: bytes | None
    """Numbers of 16 bits in the binary form of `halfvec`; None for a space that the server does not compare."""


def encode_vectors(space: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, StoredVector]:
    """Validate vectors and encode them as the table stores them.

    Raises:
        EmbeddingError: one of them does not fit.
    """
    if is_quantised_space(space):
        return {chunk: StoredVector(code, None) for chunk, code in quantise_parts(space, vectors, dimension).items()}
    return {
        chunk: StoredVector(vector.astype("<f4").tobytes(), _to_halfvec(vector))
        for chunk, vector in normalise_vectors(space, vectors, dimension).items()
    }


def from_stored(space: str, values: Mapping[str, bytes]) -> dict[str, StoredVector]:
    """Return the columns of vectors that another store has, which stores the same bytes."""
    if is_quantised_space(space) or not values:
        return {chunk: StoredVector(value, None) for chunk, value in values.items()}
    rows = decode_values(list(values.values()))
    return {
        chunk: StoredVector(value, _to_halfvec(row)) for (chunk, value), row in zip(values.items(), rows, strict=True)
    }


def decode_values(values: Sequence[bytes]) -> NDArray[np.float32]:
    """Decode values, one per row."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    return np.frombuffer(b"".join(values), dtype="<f4").reshape(len(values), -1)


def value_dimension(space: str, value: bytes) -> int:
    """Return the dimension of a stored vector."""
    return int.from_bytes(value[:2], "little") if is_quantised_space(space) else len(value) // 4


def prepare_query(vector: Vector, dimension: int, label: str) -> Vector:
    """Return a query vector as it is compared with stored ones. `label` names it in errors.

    Raises:
        EmbeddingError: it does not fit.
    """
    return normalise_vector(vector, dimension, label)


def query_text(query: Vector) -> str:
    """Write a query as the server reads it, to be compared with the approximations."""
    return f"[{','.join(map(repr, query.tolist()))}]"


def compare_values(values: Sequence[bytes], query: Vector) -> list[float]:
    """Compute the exact cosines of stored vectors with a query."""
    return cosines(decode_values(values), query) if values else []


def summarise_similarities(values: Sequence[bytes], query: Vector) -> tuple[float, float]:
    """Compute mean and standard deviation of the cosines of stored vectors with a query."""
    return sample_similarities([decode_values(values)], query)


def _to_halfvec(vector: Vector) -> bytes:
    header = len(vector).to_bytes(2, "big") + b"\0\0"
    return header + vector.astype(">f2").tobytes()
