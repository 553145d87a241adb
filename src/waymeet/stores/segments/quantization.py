"""Quantisation of vectors to two bits per dimension, for a fast first pass.

Vectors are first rotated by a fixed random rotation. Then all dimensions carry about the same information and are
nearly normally distributed, so that one grid suits them all. Without the rotation, models whose dimensions differ much
in size lose a tenth of the nearest vectors. A stored vector is quantised to the levels -3, -1, 1, 3 (2 bits), a query
to -7, -5, … 7 (3 bits): half of the quantisation error comes from the query's side (Gao and Long, RaBitQ, 2024), and
there is only one query.

A level is a sum of signs: 2s + t for 2 bits and 4s + 2t + u for 3 bits, with s, t, u = ±1. So a product of two levels
is a sum of products of signs, and the dot product of two quantised vectors is a weighted sum of Hamming distances
between bit planes. The distance between the first planes alone estimates the angle (Charikar, 2002).
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Matrix = NDArray[np.float32]
    Distances = NDArray[Any]

_BATCH = 8192
_STEP_SIZES = {2: 0.9957, 3: 0.5860}
"""Optimal step sizes of uniform quantisers with so many bits for the standard normal distribution (Max, 1960)."""
_MAX_WORDS_16_BIT = 48
"""Words per vector up to which the weighted sum of distances fits into 16 bits: at most 64 · 3 · 7 per word."""


class BitPlanes(NamedTuple):
    """The two bits of each dimension of quantised vectors, 64 in a word."""

    high: Words
    """The signs, one row per word: all vectors are compared, word by word."""
    low: Words
    """The second bits, one row per vector: few vectors are compared, after the first pass."""


@lru_cache(maxsize=2)
def random_rotation(dimension: int) -> Matrix:
    """Generate a random rotation, one direction per row.

    It is stored with the bit planes, since another machine may round it differently. The Q of a QR decomposition of a
    normal matrix, with the signs of R's diagonal applied, is uniformly distributed (Mezzadri, 2007).
    """
    q, r = np.linalg.qr(np.random.default_rng(dimension).standard_normal((dimension, dimension)))
    return (q * np.sign(np.diag(r))).astype(np.float32)


def quantise_vectors(matrix: Matrix, rotation: Matrix) -> BitPlanes:
    """Quantise unit vectors, one per row, to 2 bits per dimension."""
    words = -(-matrix.shape[1] // 64)
    planes = BitPlanes(np.zeros((words, len(matrix)), dtype=np.uint64), np.zeros((len(matrix), words), dtype=np.uint64))
    for start in range(0, len(matrix), _BATCH):
        batch = slice(start, start + _BATCH)
        high, planes.low[batch] = bit_planes(matrix[batch] @ rotation.T, 2)
        planes.high[:, batch] = high.T
    return planes


def quantise_query(query: Matrix, rotation: Matrix) -> Words:
    """Quantise a unit vector to 3 bits per dimension: three planes, the highest bits first."""
    return bit_planes(np.vecdot(rotation, query)[np.newaxis], 3)[:, 0]


def hamming_distances(words: Words, other: Words) -> Distances:
    """Count, for each column, the bits in which its words differ from other words."""
    distances: Distances = np.zeros(words.shape[1], dtype=np.uint16 if len(words) <= _MAX_WORDS_16_BIT else np.uint32)
    # Three words have 192 bits at most, which fits into the bytes that bitwise_count returns. Bytes are added faster.
    for first in range(0, len(words), 3):
        part = np.bitwise_count(words[first] ^ other[first])
        for row in range(first + 1, min(first + 3, len(words))):
            part += np.bitwise_count(words[row] ^ other[row])
        distances += part
    return distances


def smallest_indices(distances: Distances, number: int) -> NDArray[np.int64]:
    """Find the indices of the smallest `number` distances, with all ties of the last one."""
    # Distances are small integers: a bisection over the bound, counting anew each time, is faster than a histogram.
    bound = bisect_left(
        range(int(distances.max())), number, key=lambda bound: int(np.count_nonzero(distances <= bound))
    )
    return np.flatnonzero(distances <= bound)


def bit_planes(rotated: Matrix, bits: int) -> Words:
    """Quantise rotated vectors to bit planes, the highest bits first, one row per vector."""
    # The dimensions of a unit vector have a standard deviation of 1/√d.
    levels = np.floor(rotated * (rotated.shape[1] ** 0.5 / _STEP_SIZES[bits])) + 2.0 ** (bits - 1)
    clipped = np.minimum(np.maximum(levels, 0.0), 2.0**bits - 1.0).astype(np.uint8)
    packed = np.packbits(clipped >> np.arange(bits, dtype=np.uint8)[::-1, np.newaxis, np.newaxis] & 1, axis=2)
    padded = np.zeros((bits, len(rotated), -(-rotated.shape[1] // 64) * 8), dtype=np.uint8)
    padded[:, :, : packed.shape[2]] = packed
    return padded.view(np.uint64)
