"""The bits of quantised vectors, for a fast first pass over many.

The code of a vector has a byte per dimension (see `formulas/vector_codes.py`). Large files store its bits apart: the
highest bits of all vectors together, which a query reads first, then the next three bits and the other four of each
vector. So the first passes read an eighth to a half of the codes, and nothing is stored twice.

Vectors are rotated before they are quantised. So all dimensions carry about the same information, are nearly normally
distributed, and one grid suits them all. Without the rotation, models whose dimensions differ much in size lose a tenth
of the nearest vectors. A query is quantised to the levels -7, -5, … 7 (3 bits): half of the quantisation error comes
from the query's side (Gao and Long, RaBitQ, 2024), and there is only one query.

A level is a sum of signs: 8s + 4t + 2u + v for the high four bits of a code and 4s + 2t + u for a query, with s, t, u,
v = ±1. So a product of two levels is a sum of products of signs, and the dot product of two quantised vectors is a
weighted sum of Hamming distances between bit planes. The distance between the first planes alone estimates the angle
(Charikar, 2002).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Matrix = NDArray[np.float32]
    Distances = NDArray[Any]
    Rows = NDArray[np.int64]
    Codes = NDArray[np.int8]

_STEP_SIZES = {2: 0.9957, 3: 0.5860}
"""Optimal step sizes of uniform quantisers with so many bits for the standard normal distribution (Max, 1960)."""
_MAX_WORDS_16_BIT = 48
"""Words per vector up to which the weighted sum of distances fits into 16 bits: at most 64 · 3 · 7 per word."""
_MIDDLE_BITS = (6, 5, 4)
"""The bits of a code that are compared in the third pass."""
_LOW_BITS = 4
"""The number of the other bits of a code."""
_SPREAD_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1).view(np.uint64).reshape(-1)
"""For each byte, its bits as the lowest bits of eight bytes. Faster than `unpackbits` and shifts of single bytes."""


class SplitCodes(NamedTuple):
    """The codes of vectors with their bits apart, 64 dimensions in a word."""

    dimension: int
    high: Words
    """The highest bits, one row per word: all vectors are compared, word by word."""
    middle: Words
    """The next three bits: vector, bit, word. Few vectors are compared, after the first pass."""
    low: NDArray[np.uint8]
    """The other four bits, one row per vector: those of the first half of the dimensions are the low ones of bytes."""

    def take(self, rows: Rows) -> Codes:
        """Put the codes of some vectors together."""
        high = np.ascontiguousarray(np.take(self.high, rows, axis=1).T)
        planes = np.concatenate([high[:, np.newaxis], np.take(self.middle, rows, axis=0)], axis=1).view(np.uint8)
        low = np.take(self.low, rows, axis=0)
        levels = np.concatenate([low & np.uint8(15), low >> np.uint8(4)], axis=1)
        bits = _SPREAD_BITS.take(planes[:, 0])
        for plane in range(1, planes.shape[1]):
            bits <<= np.uint64(1)
            bits |= _SPREAD_BITS.take(planes[:, plane])
        bits <<= np.uint64(_LOW_BITS)
        levels.view(np.uint64)[:] |= bits
        levels ^= np.uint8(128)
        return levels[:, : self.dimension].view(np.int8)


def split_codes(codes: Codes) -> SplitCodes:
    """Store the bits of codes apart."""
    count, dimension = codes.shape
    words = -(-dimension // 64)
    levels = np.zeros((count, words * 64), dtype=np.uint8)
    levels[:, :dimension] = codes.view(np.uint8) ^ np.uint8(128)  # from 1 to 255: the highest bit is the sign
    high, *middle = (np.packbits(levels >> np.uint8(bit) & 1, axis=1).view(np.uint64) for bit in (7, *_MIDDLE_BITS))
    low: NDArray[np.uint8] = levels & np.uint8(15)
    return SplitCodes(
        dimension,
        np.ascontiguousarray(high.T),
        np.stack(middle, axis=1),
        low[:, : words * 32] | low[:, words * 32 :] << np.uint8(4),
    )


def quantise_query(rotated: Matrix) -> Words:
    """Quantise a rotated unit vector to planes of 3 bits per dimension, the highest first."""
    return bit_planes(rotated[np.newaxis], 3)[:, 0]


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
