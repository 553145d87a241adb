"""Vectors by their signs alone: a first, cheap look at which of very many are near.

Vectors are turned in space by a fixed random rotation, after which every number says equally much, and only the signs
are kept: one bit for each number. How many signs two vectors share grows with their cosine (Charikar, 2002). Without
the rotation, models whose numbers differ much in size lose a tenth of what is near.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Matrix = NDArray[np.float32]

_AT_ONCE = 8192


@lru_cache(maxsize=2)
def rotation(dimension: int) -> Matrix:
    """Make a rotation, one direction in each row; it is kept with the signs, for other machines may round otherwise."""
    turned, triangle = np.linalg.qr(np.random.default_rng(dimension).standard_normal((dimension, dimension)))
    return (turned * np.sign(np.diag(triangle))).astype(np.float32)


def signs(matrix: Matrix, turn: Matrix) -> Words:
    """Give the signs of each row: one row for each 64 of them, one column for each vector."""
    found = np.zeros((-(-matrix.shape[1] // 64), len(matrix)), dtype=np.uint64)
    for start in range(0, len(matrix), _AT_ONCE):
        found[:, start : start + _AT_ONCE] = _packed(matrix[start : start + _AT_ONCE] @ turn.T > 0.0)
    return found


def fewest_differing(
    words: Words, question: Matrix, wanted: int, barring: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Find vectors that differ from a question, turned like them, in the fewest signs; ties are all taken.

    Those that are barred are left out from the start: they may be all that is near.
    """
    asked = _packed(question[np.newaxis] > 0.0)[:, 0]
    counts = _counted(np.bitwise_xor, words, asked)
    most = 64 * len(words)
    if barring is not None:
        counts[barring] = most + 1
    bound = int(np.searchsorted(np.cumsum(np.bincount(counts)), wanted))
    return np.flatnonzero(counts <= min(bound, most))


def most_agreeing(words: Words, question: Matrix, wanted: int) -> NDArray[np.int64]:
    """Find vectors whose signs agree most with a question where its numbers are large, taken to four bits; with ties.

    Half of what is lost by looking at signs is lost on the question's side (Gao and Long, 2024); this gives it back,
    for four times the work.
    """
    levels = np.clip(np.round(question * (7.0 / np.abs(question).max())), -8, 7).astype(np.int8)
    planes = _packed((levels[np.newaxis] >> np.arange(4, dtype=np.int8)[:, np.newaxis]) & 1 == 1)
    small = np.dtype(np.uint16 if len(words) <= 64 else np.uint32)
    agreement: NDArray[Any] = np.full(words.shape[1], 8 * 64 * len(words), small)  # as much as may be taken away
    for plane, weigh in enumerate((np.add, np.add, np.add, np.subtract)):  # two's complement
        counts: NDArray[Any] = _counted(np.bitwise_and, words, planes[:, plane]).astype(small, copy=False)
        weigh(agreement, np.left_shift(counts, small.type(plane)), out=agreement)
    fewer = np.cumsum(np.bincount(agreement)[::-1])  # how many agree at least so much, from the most on
    bound = len(fewer) - 1 - int(np.searchsorted(fewer, wanted))
    return np.flatnonzero(agreement >= bound)


def _counted(between: np.ufunc, words: Words, asked: Words) -> NDArray[np.uint16]:
    """Count in each column the bits that come out between its words and those asked about."""
    found = np.zeros(words.shape[1], dtype=np.uint16)
    for first in range(0, len(words), 3):  # three words have 192 bits at most: a byte holds that, and bytes add quickly
        part = np.bitwise_count(between(words[first], asked[first]))
        for row in range(first + 1, min(first + 3, len(words))):
            part += np.bitwise_count(between(words[row], asked[row]))
        found += part
    return found


def _packed(bits: NDArray[np.bool_]) -> Words:
    """Pack each row of bits into a column of words."""
    part = np.packbits(bits, axis=1)
    filled = np.zeros((len(part), -(-bits.shape[1] // 64) * 8), dtype=np.uint8)
    filled[:, : part.shape[1]] = part
    found: Words = filled.view(np.uint64).T
    return found
