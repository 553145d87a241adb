"""Spaces of quantised vectors in the memory store."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from waymeet.analysis.embedded.space_names import is_quantised_space
from waymeet.stores.shared.vectors import quantise_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from waymeet.ports import Vector
    from waymeet.stores.memory.snapshot import Snapshot
    from waymeet.stores.segments.part_vectors import PartBlock


def dimensions(snapshot: Snapshot) -> dict[str, int]:
    """Return the dimension of every space that has vectors."""
    first = {space: next(iter(vectors.values())) for space, vectors in sorted(snapshot.vectors.items())}
    return {
        space: int.from_bytes(vector[:2].tobytes(), "little") if is_quantised_space(space) else len(vector)
        for space, vector in first.items()
    }


def quantise(space: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, Vector]:
    """Quantise the vectors of sections and their parts. Their codes are kept as arrays of bytes."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    codes = quantise_parts(space, vectors, dimension)
    return {chunk: cast("Vector", np.frombuffer(code, dtype=np.uint8)) for chunk, code in codes.items()}


def part_block(codes: Mapping[str, Vector]) -> PartBlock:
    """Build a block of the codes of a space."""
    from waymeet.stores.segments.part_vectors import build_part_block  # noqa: PLC0415 - start-up is a feature

    return build_part_block([code.tobytes() for code in codes.values()])


def score_parts(codes: Mapping[str, Vector], query: Vector) -> list[float]:
    """Score all sections of a space, in their order."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    scores: list[float] = part_block(codes).score(query, np.arange(len(codes))).tolist()
    return scores
