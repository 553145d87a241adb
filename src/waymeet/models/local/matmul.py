"""Matrix products with weights, fast for the few rows of a query.

The general kernels of OpenBLAS first copy the weights into a layout of their own. For the 5 to 20 rows of a query this
takes longer than the product itself. On processors with AVX-512 OpenBLAS also has kernels for small products, which
read the weights in place, up to a limit of multiplications per product. So a matrix is stored in blocks of columns
small enough for them, and rows are processed in tiles. A query then takes 4 to 5 ms on one thread instead of 10
(granite, `make bench-models`); many passages are not slower.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.models.local.blas_threads import detect_architecture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

WIDTH = 64
"""Columns of a block: the number the small kernels compute at a time."""
MIN_DEPTH, MAX_DEPTH = 128, 512
"""Rows of a block. A deeper matrix is cut into parts whose products are added; shallow parts would be too many."""
_MAX_SMALL_PRODUCT = 1_000_000  # multiplications up to which OpenBLAS chooses the small kernels
_ROWS_AT_ONCE = 4  # rows that kernels compute together
_FEW_ROWS = 64  # below this, rows of padding are cheaper than a remainder
_ARCHITECTURES = {"SkylakeX", "Cooperlake", "SapphireRapids"}  # names in OpenBLAS; Zen 4 is reported as SkylakeX


class Weight(NamedTuple):
    """A matrix (in, out) in float32, in one piece or in blocks."""

    blocks: "NDArray[np.float32]"
    """Axes: parts of the sum, blocks of columns in a part, rows of a block (in), columns of a block (out)."""

    def times(self, x: "Matrix") -> "Matrix":
        """Compute x @ matrix."""
        parts, count, depth, width = self.blocks.shape
        if parts * count == 1:
            return _multiply_padded(x, self.blocks[0, 0])
        products = np.empty((parts, len(x), count * width), dtype=np.float32)
        # the largest tile whose product with one block is still a small product
        tile = _MAX_SMALL_PRODUCT // (depth * width) // _ROWS_AT_ONCE * _ROWS_AT_ONCE
        full = len(x) - len(x) % tile
        for rows, size in ((slice(0, full), tile), (slice(full, len(x)), len(x) - full)):
            if rows.start < rows.stop:
                # (part, tile, row, depth) × (part, block, depth, width), written through views into the result
                left = x[rows].reshape(-1, size, parts, depth).transpose(2, 0, 1, 3)
                out = products[:, rows].reshape(parts, -1, size, count, width).transpose(0, 1, 3, 2, 4)
                np.matmul(left[:, :, None], self.blocks[:, None], out=out)
        total: Matrix = products[0] if parts == 1 else products.sum(axis=0)
        return total

    def to_matrix(self) -> "Matrix":
        """Return the matrix without blocks, (in, out)."""
        parts, count, depth, width = self.blocks.shape
        return self.blocks.transpose(0, 2, 1, 3).reshape(parts * depth, count * width)


def _multiply_padded(x: "Matrix", matrix: "Matrix") -> "Matrix":
    """Multiply a few rows padded to a multiple of four, as kernels handle a remainder slowly."""
    missing = -len(x) % _ROWS_AT_ONCE if 1 < len(x) < _FEW_ROWS else 0
    if missing:
        x = np.concatenate([x, np.zeros((missing, x.shape[1]), dtype=np.float32)])
    product: Matrix = x @ matrix
    return product[: len(product) - missing]


def choose_block_shape(
    inputs: int, outputs: int, group: int = 1, architecture: str | None = None
) -> tuple[int, int, int, int]:
    """Choose the block shape of a matrix: parts, blocks per part, rows and columns of a block.

    The default is the architecture of this machine. Rows of one group, which share a quantisation scale, stay in one
    block.

    >>> choose_block_shape(1536, 384, architecture="SkylakeX"), choose_block_shape(1536, 384, architecture="Haswell")
    ((3, 6, 512, 64), (1, 1, 1536, 384))
    """
    architecture = detect_architecture() if architecture is None else architecture
    has_small_kernels = architecture in _ARCHITECTURES and outputs % WIDTH == 0
    depths = [depth for depth in range(group, MAX_DEPTH + 1, group) if inputs % depth == 0]
    if not has_small_kernels or not depths or depths[-1] < min(inputs, MIN_DEPTH):
        return 1, 1, inputs, outputs
    return inputs // depths[-1], outputs // WIDTH, depths[-1], WIDTH


def make_weight(matrix: "NDArray[np.generic]", architecture: str | None = None) -> Weight:
    """Make a weight from a matrix as model files store it: (out, in), in any precision."""
    parts, count, depth, width = choose_block_shape(matrix.shape[1], matrix.shape[0], architecture=architecture)
    blocks = matrix.reshape(count, width, parts, depth).transpose(2, 0, 3, 1)
    return Weight(np.ascontiguousarray(blocks, dtype=np.float32))
