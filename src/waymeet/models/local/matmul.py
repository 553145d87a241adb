"""Products of rows with weights, which lie in memory as the few rows of a question want them.

A product of few rows spends most of its time on rearranging the weights for a kernel that is made for many. OpenBLAS
has kernels for small products that take weights as they lie, on processors with AVX-512. For these, a matrix is cut
into blocks of columns, each small enough, and rows are taken a tile at a time: a question is embedded in half the time,
and many passages are not slower.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.models.local.blas_threads import detect_architecture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

WIDTH = 64
"""Columns of a block: as many as the kernels for small products compute at a time."""
SHALLOWEST, DEEPEST = 128, 512
"""Rows of a block; the product with a matrix that has more is a sum, but not of very many."""
_SMALL = 1_000_000  # multiplications in a product up to which OpenBLAS uses these kernels
_AT_ONCE = 4  # rows that kernels compute together
_FEW = 64  # rows, of which a few more or less matter
_CORES = {"SkylakeX", "Cooperlake", "SapphireRapids"}  # those of OpenBLAS that have them; Zen 4 is taken for the first


class Weight(NamedTuple):
    """A matrix (in, out) in float32, whole or in blocks."""

    blocks: "NDArray[np.float32]"
    """The parts of the sum, the blocks of each, and their numbers (in, out)."""

    def times(self, x: "Matrix") -> "Matrix":
        """Give x @ the matrix."""
        parts, count, deep, width = self.blocks.shape
        if parts * count == 1:
            return _by_fours(x, self.blocks[0, 0])
        found = np.empty((parts, len(x), count * width), dtype=np.float32)
        tile = _SMALL // (deep * width) // _AT_ONCE * _AT_ONCE
        full = len(x) - len(x) % tile
        for rows, size in ((slice(0, full), tile), (slice(full, len(x)), len(x) - full)):
            if rows.start < rows.stop:
                left = x[rows].reshape(-1, size, parts, deep).transpose(2, 0, 1, 3)
                there = found[:, rows].reshape(parts, -1, size, count, width).transpose(0, 1, 3, 2, 4)
                np.matmul(left[:, :, None], self.blocks[:, None], out=there)
        total: Matrix = found[0] if parts == 1 else found.sum(axis=0)
        return total

    def plain(self) -> "Matrix":
        """Give the matrix as it is usually written, (in, out)."""
        parts, count, deep, width = self.blocks.shape
        return self.blocks.transpose(0, 2, 1, 3).reshape(parts * deep, count * width)


def _by_fours(x: "Matrix", matrix: "Matrix") -> "Matrix":
    """Multiply with rows of zeros added to a few, as kernels compute four at once and odd ones slowly."""
    missing = -len(x) % _AT_ONCE if 1 < len(x) < _FEW else 0
    if missing:
        x = np.concatenate([x, np.zeros((missing, x.shape[1]), dtype=np.float32)])
    found: Matrix = x @ matrix
    return found[: len(found) - missing]


def shape_of_blocks(inputs: int, outputs: int, group: int = 1, kernels: str | None = None) -> tuple[int, int, int, int]:
    """Say how a matrix should be cut for kernels, those of this machine unless told: parts, blocks in each, (in, out).

    Inputs that belong to one group stay together.

    >>> shape_of_blocks(1536, 384, kernels="SkylakeX"), shape_of_blocks(1536, 384, kernels="Haswell")
    ((3, 6, 512, 64), (1, 1, 1536, 384))
    """
    able = (detect_architecture() if kernels is None else kernels) in _CORES and outputs % WIDTH == 0
    possible = [deep for deep in range(group, DEEPEST + 1, group) if inputs % deep == 0]
    if not able or not possible or possible[-1] < min(inputs, SHALLOWEST):
        return 1, 1, inputs, outputs
    return inputs // possible[-1], outputs // WIDTH, possible[-1], WIDTH


def weight_of(matrix: "NDArray[np.generic]", kernels: str | None = None) -> Weight:
    """Lay out a matrix that is given as files have it, (out, in), in any precision."""
    parts, count, deep, width = shape_of_blocks(matrix.shape[1], matrix.shape[0], kernels=kernels)
    cut = matrix.reshape(count, width, parts, deep).transpose(2, 0, 3, 1)
    return Weight(np.ascontiguousarray(cut, dtype=np.float32))
