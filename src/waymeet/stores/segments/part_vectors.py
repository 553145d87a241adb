"""Vectors of sections and their parts, quantised to two bits per dimension.

A section has the vector of its whole text first, then those of its parts. Its score for a query is the mean of the
whole text's cosine and the best cosine of a part. The quantisation is that of `quantization.py`, but the rotation is a
Walsh–Hadamard transform with pseudo-random signs: it is the same on every machine, and is not stored. It needs a power
of two of at least 64 dimensions, so shorter vectors are padded with zeros.

The code of a section has the dimension in two bytes, then for each vector the high plane and the low plane.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import shake_128
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.stores.segments.quantization import bit_planes, hamming_distances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Scores = NDArray[np.float64]

_WEIGHTS, _QUERY_WEIGHTS = (2, 1), (4, 2, 1)
"""Weights of the bit planes of a vector and of a query in its levels (see `quantization.py`)."""
HEADER_BYTES = 2
_MAX_DIMENSION = 8192
_COMPARED_PER_RESULT = 4
_COMPARED_AT_LEAST = 1000
"""Sections compared exactly after the approximate pass. Up to so many are all compared exactly."""


def encode_parts(sections: Sequence[Matrix]) -> list[bytes]:
    """Quantise the vectors of sections and their parts, a matrix for each section."""
    if not sections:
        return []
    rows = np.concatenate(sections)
    header = rows.shape[1].to_bytes(HEADER_BYTES, "little")
    planes = bit_planes(_rotate(rows), 2)  # plane, vector, word
    codes = planes.transpose(1, 0, 2).astype("<u8")
    ends = np.cumsum([len(section) for section in sections])
    return [header + part.tobytes() for part in np.split(codes, ends[:-1])]


def code_dimension(code: bytes) -> int:
    """Return the dimension of the vectors of a code, or of its header."""
    return int.from_bytes(code[:HEADER_BYTES], "little")


def is_valid_code(code: bytes) -> bool:
    """Check whether bytes are the code of a section: whole vectors, at least one."""
    dimension = code_dimension(code)
    size = len(code) - HEADER_BYTES
    return size > 0 and 0 < dimension <= _MAX_DIMENSION and size % (padded_dimension(dimension) // 4) == 0


class PartBlock(NamedTuple):
    """The codes of many sections."""

    dimension: int
    starts: NDArray[np.int64]
    """Column of each section's first vector."""
    planes: NDArray[np.uint64]
    """One column per vector: the words of its high plane, then those of its low plane."""
    norms: Scores
    """Length of each vector in levels."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Return the number of vectors of each section."""
        return np.diff(self.starts, append=self.planes.shape[1])

    def rank(self, query: Matrix, limit: int, excluded: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], Scores]:
        """Find sections that almost certainly include the best `limit`, with their exact scores.

        `excluded` are sections that take no part.
        """
        candidates = np.arange(len(self.starts))
        if excluded is not None:
            candidates = np.delete(candidates, excluded)
        compared = max(_COMPARED_PER_RESULT * limit, _COMPARED_AT_LEAST)
        if len(candidates) > compared:
            approximate = self._approximate_scores(query)[candidates]
            candidates = candidates[np.argpartition(-approximate, compared)[:compared]]
        return candidates, self.score(query, candidates)

    def score(self, query: Matrix, sections: NDArray[np.int64]) -> Scores:
        """Compute the scores of some sections from their codes.

        Every row is summed in the same order, so that equal codes have equal scores.
        """
        counts = self.counts[sections]
        starts = np.cumsum(counts) - counts
        columns = np.repeat(self.starts[sections] - starts, counts) + np.arange(counts.sum())
        levels = _unpack_levels(np.take(self.planes, columns, axis=1).T)
        rotated = _rotate(query[np.newaxis])[0].astype(np.float64)
        return _combine((levels * rotated).sum(axis=1) / self.norms[columns], starts, counts)

    def _approximate_scores(self, query: Matrix) -> Scores:
        """Estimate the scores of all sections by Hamming distances between bit planes."""
        words = len(self.planes) // 2
        query_planes = bit_planes(_rotate(query[np.newaxis]), 3)[:, 0]
        distances = np.zeros(self.planes.shape[1], dtype=np.float32)
        for plane, weight in zip((self.planes[:words], self.planes[words:]), _WEIGHTS, strict=True):
            for query_plane, query_weight in zip(query_planes, _QUERY_WEIGHTS, strict=True):
                distances += np.float32(weight * query_weight) * hamming_distances(plane, query_plane)
        products = words * 64.0 * sum(_WEIGHTS) * sum(_QUERY_WEIGHTS) - 2.0 * distances
        return _combine(products / self.norms, self.starts, self.counts)


def build_part_block(codes: Sequence[bytes]) -> PartBlock:
    """Build a block from the codes of sections.

    Raises:
        EmbeddingError: codes are invalid or differ in dimension.
    """
    dimensions = set(map(code_dimension, codes))
    if not all(map(is_valid_code, codes)) or len(dimensions) != 1:
        raise EmbeddingError("The vectors of parts of sections differ in length.", "Run `waymeet check --repair`.")
    dimension = dimensions.pop()
    words = padded_dimension(dimension) // 64
    counts = np.array([(len(code) - HEADER_BYTES) // (words * 16) for code in codes], dtype=np.int64)
    rows = np.frombuffer(b"".join(code[HEADER_BYTES:] for code in codes), dtype="<u8").reshape(-1, 2 * words)
    planes = np.ascontiguousarray(rows.T)
    # A level is ±3 where both bits are equal, else ±1: its square is 1 + 8 · equal.
    equal = words * 64.0 - hamming_distances(planes[:words], planes[words:])
    return PartBlock(dimension, np.cumsum(counts) - counts, planes, np.sqrt(words * 64.0 + 8.0 * equal))


def _combine(cosines: Scores, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> Scores:
    """Compute the mean of the first cosine of each section and the best of its others, if any."""
    whole = cosines[starts]
    if not len(cosines):
        return whole
    parts = cosines.copy()
    parts[starts[counts > 1]] = -np.inf  # the whole text is not one of its parts
    combined: Scores = (whole + np.maximum.reduceat(parts, starts)) / 2.0
    return combined


def _unpack_levels(planes: NDArray[np.uint64]) -> Scores:
    """Convert bit planes to the levels -3, -1, 1, 3."""
    bits = np.unpackbits(np.ascontiguousarray(planes).view(np.uint8), axis=1).astype(np.float64)
    dimension = bits.shape[1] // 2
    return (2.0 * bits[:, :dimension] - 1.0) * 2.0 + (2.0 * bits[:, dimension:] - 1.0)


def _rotate(vectors: Matrix) -> Matrix:
    """Rotate vectors, one per row, after padding them with zeros."""
    dimension = padded_dimension(vectors.shape[1])
    vectors = np.pad(vectors, ((0, 0), (0, dimension - vectors.shape[1])))
    rotated: Matrix = np.matmul(vectors * _signs(dimension), _hadamard(dimension))
    return rotated


@lru_cache(maxsize=2)
def _hadamard(dimension: int) -> Matrix:
    """Build the Walsh–Hadamard matrix, scaled to a rotation (Sylvester, 1867)."""
    matrix: Matrix = np.ones((1, 1), dtype=np.float32)
    while len(matrix) < dimension:
        matrix = np.concatenate([np.hstack([matrix, matrix]), np.hstack([matrix, -matrix])])
    return matrix * np.float32(dimension**-0.5)


@lru_cache(maxsize=2)
def _signs(dimension: int) -> Matrix:
    """Choose a sign for each dimension, the same on every machine."""
    digest = np.frombuffer(shake_128(b"waymeet part vectors").digest(dimension // 8), dtype=np.uint8)
    return (2.0 * np.unpackbits(digest).astype(np.float32) - 1.0).astype(np.float32)


def padded_dimension(dimension: int) -> int:
    """Return the next power of two from 64 on.

    >>> padded_dimension(384), padded_dimension(512), padded_dimension(2)
    (512, 512, 64)
    """
    padded = max(64, 1 << (dimension - 1).bit_length())
    if padded > _MAX_DIMENSION:
        raise EmbeddingError(f"Vectors of more than {_MAX_DIMENSION} dimensions are not quantised, not {dimension}.")
    return padded
