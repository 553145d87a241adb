"""Vectors with two bits for each number: cheap looks at which of very many are near.

Vectors are turned in space by a fixed random rotation, after which all numbers say equally much and are spread alike,
so that one grid suits them all. Without the rotation, models whose numbers differ much in size lose a tenth of what is
near. A vector's numbers become -3, -1, 1 or 3, those of a question -7, -5, ... 7: finer, since half of what is lost
is lost on its side (Gao and Long, 2024), and it is but one.

Each is a sum of signs, 2s + t and 4s + 2t + u, and so every product of two is a sum of products of signs, and a sum of
many of those is told by counting where signs differ. The first signs alone tell much of the cosine (Charikar, 2002).
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
    Counts = NDArray[Any]

_AT_ONCE = 8192
_STEPS = {2: 0.9957, 3: 0.5860}
"""By how much levels of so many bits differ best where numbers are spread normally, by one (Max, 1960)."""
_MOST_WORDS = 48
"""Words in each of which a vector may differ from a question by 3 * 7, and 16 bits hold the sum."""


class Signs(NamedTuple):
    """The signs of vectors, 64 in a word."""

    first: Words
    """A row for each word, since all vectors are looked at."""
    second: Words
    """A row for each vector, since few are."""


@lru_cache(maxsize=2)
def rotation(dimension: int) -> Matrix:
    """Make a rotation, one direction in each row; it is kept with the signs, for other machines may round otherwise."""
    turned, triangle = np.linalg.qr(np.random.default_rng(dimension).standard_normal((dimension, dimension)))
    return (turned * np.sign(np.diag(triangle))).astype(np.float32)


def signs(matrix: Matrix, turn: Matrix) -> Signs:
    """Give the signs of unit vectors, one in each row."""
    words = -(-matrix.shape[1] // 64)
    found = Signs(np.zeros((words, len(matrix)), dtype=np.uint64), np.zeros((len(matrix), words), dtype=np.uint64))
    for start in range(0, len(matrix), _AT_ONCE):
        here = slice(start, start + _AT_ONCE)
        first, found.second[here] = _digits(matrix[here] @ turn.T, 2)
        found.first[:, here] = first.T
    return found


def asked(question: Matrix, turn: Matrix) -> Words:
    """Give the signs of a question, a unit vector: the first, the second, the third."""
    return _digits(np.vecdot(turn, question)[np.newaxis], 3)[:, 0]


def differing(words: Words, other: Words) -> Counts:
    """Count in each column the bits in which its words differ from others."""
    found: Counts = np.zeros(words.shape[1], dtype=np.uint16 if len(words) <= _MOST_WORDS else np.uint32)
    for first in range(0, len(words), 3):  # three words have 192 bits at most: a byte holds that, and bytes add quickly
        part = np.bitwise_count(words[first] ^ other[first])
        for row in range(first + 1, min(first + 3, len(words))):
            part += np.bitwise_count(words[row] ^ other[row])
        found += part
    return found


def fewest(counts: Counts, wanted: int) -> NDArray[np.int64]:
    """Find where the lowest counts are; ties are all taken."""
    # Counting anew for each bound that is tried is quicker than a histogram of all.
    bound = bisect_left(range(int(counts.max())), wanted, key=lambda bound: int(np.count_nonzero(counts <= bound)))
    return np.flatnonzero(counts <= bound)


def _digits(turned: Matrix, bits: int) -> Words:
    """Put numbers on the grid and give the bits of their levels, the highest first, then a row for each vector."""
    levels = np.floor(turned * (turned.shape[1] ** 0.5 / _STEPS[bits])) + 2.0 ** (bits - 1)
    whole = np.minimum(np.maximum(levels, 0.0), 2.0**bits - 1.0).astype(np.uint8)
    planes = np.packbits(whole >> np.arange(bits, dtype=np.uint8)[::-1, np.newaxis, np.newaxis] & 1, axis=2)
    filled = np.zeros((bits, len(turned), -(-turned.shape[1] // 64) * 8), dtype=np.uint8)
    filled[:, :, : planes.shape[2]] = planes
    return filled.view(np.uint64)
