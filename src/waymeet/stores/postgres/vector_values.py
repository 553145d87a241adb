"""Vectors as the table contains them.

A row has the stored code of the vector, and an approximation that the server compares. This is the only module that
knows how a vector is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.shared.vectors import (
    encode_unit_vectors,
    quantise_parts,
    rotate_query,
)
from waymeet.stores.shared.vectors import summarise_similarities as summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from waymeet.formulas.vector_codes import Codes
    from waymeet.ports import Vector

TOLERANCE = 2.5e-3
"""Largest error of a cosine that is computed from the approximations.

A number of 16 bits has a relative error of at most 2⁻¹¹, so the lengths of query and vector are off by at most 2⁻¹¹ and
their product by 2⁻¹⁰. A candidate and the bound may both be off.
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
    if is_part_space(space):
        return from_stored(space, quantise_parts(space, vectors, dimension))
    codes = encode_unit_vectors(space, vectors, dimension)
    return from_stored(space, {chunk: code.tobytes() for chunk, code in codes.items()})


def from_stored(space: str, values: Mapping[str, bytes]) -> dict[str, StoredVector]:
    """Return the columns of vectors that are encoded, as other stores have them."""
    if is_part_space(space) or not values:
        return {chunk: StoredVector(value, None) for chunk, value in values.items()}
    from waymeet.formulas.vector_codes import code_lengths  # noqa: PLC0415 - start-up is a feature

    codes = _decode(list(values.values()))
    unit_vectors = codes / code_lengths(codes)[:, None]
    header = codes.shape[1].to_bytes(2, "big") + b"\0\0"
    embeddings = (header + row.tobytes() for row in unit_vectors.astype(">f2"))
    return {chunk: StoredVector(value, half) for (chunk, value), half in zip(values.items(), embeddings, strict=True)}


def value_dimension(space: str, value: bytes) -> int:
    """Return the dimension of a stored vector."""
    return int.from_bytes(value[:2], "little") if is_part_space(space) else len(value)


def prepare_query(vector: Vector, dimension: int, label: str) -> Vector:
    """Return a query vector as it is compared with stored ones. `label` names it in errors.

    Raises:
        EmbeddingError: it does not fit.
    """
    return rotate_query(vector, dimension, label)


def query_text(query: Vector) -> str:
    """Write a query as the server reads it, to be compared with the approximations."""
    return f"[{','.join(map(repr, query.tolist()))}]"


def compare_values(values: Sequence[bytes], query: Vector) -> list[float]:
    """Compute the exact cosines of stored vectors with a query."""
    if not values:
        return []
    from waymeet.formulas.vector_codes import cosines  # noqa: PLC0415 - start-up is a feature

    return cosines(_decode(values), query)


def summarise_similarities(values: Sequence[bytes], query: Vector) -> tuple[float, float]:
    """Compute mean and standard deviation of the cosines of stored vectors with a query."""
    return summarise(_decode(values), query)


def _decode(values: Sequence[bytes]) -> Codes:
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    return np.frombuffer(b"".join(values), dtype=np.int8).reshape(len(values), -1)
