"""Quantised vectors in the memory store: encoding and scoring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.shared.vectors import (
    encode_unit_vectors,
    normalise_vector,
    quantise_parts,
    rotate_query,
    sample_part_similarities,
    sample_step,
    summarise_similarities,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.memory.snapshot import Snapshot
    from waymeet.stores.segments.part_vectors import PartBlock

    Code = NDArray[Any]
    """The bytes that are stored for a chunk."""


def dimensions(snapshot: Snapshot) -> dict[str, int]:
    """Return the dimension of every space that has vectors."""
    return {space: _dimension(space, vectors) for space, vectors in sorted(snapshot.vectors.items())}


def encode(space: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, Code]:
    """Encode vectors, or refuse all of them if one does not fit the space."""
    if not is_part_space(space):
        return dict(encode_unit_vectors(space, vectors, dimension))
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    codes = quantise_parts(space, vectors, dimension)
    return {chunk: np.frombuffer(code, dtype=np.uint8) for chunk, code in codes.items()}


def score_chunks(space: str, codes: Mapping[str, Code], vector: Vector) -> dict[str, float]:
    """Score all chunks of a space by their similarity to a query vector."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.formulas.vector_codes import cosines  # noqa: PLC0415 - likewise

    label, dimension = f"The query vector for space {space}", _dimension(space, codes)
    if is_part_space(space):
        query = normalise_vector(vector, dimension, label)
        scores = _part_block(codes).score(query, np.arange(len(codes))).tolist()
    else:
        scores = cosines(list(codes.values()), rotate_query(vector, dimension, label))
    return dict(zip(codes, scores, strict=True))


def similarity_statistics(space: str, codes: Mapping[str, Code], vector: Vector) -> tuple[float, float]:
    """Compute mean and standard deviation of a space's similarities to a query vector."""
    label, dimension = f"The query vector for space {space}", _dimension(space, codes)
    if is_part_space(space):
        return sample_part_similarities(_part_block(codes), normalise_vector(vector, dimension, label))
    sample = list(codes.values())[:: sample_step(len(codes))]
    return summarise_similarities(sample, rotate_query(vector, dimension, label))


def _dimension(space: str, codes: Mapping[str, Code]) -> int:
    code = next(iter(codes.values()))
    return int.from_bytes(code[:2].tobytes(), "little") if is_part_space(space) else len(code)


def _part_block(codes: Mapping[str, Code]) -> PartBlock:
    from waymeet.stores.segments.part_vectors import build_part_block  # noqa: PLC0415 - start-up is a feature

    return build_part_block([code.tobytes() for code in codes.values()])
