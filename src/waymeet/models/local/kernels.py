"""Element-wise operations of a transformer in float32, in place, block by block.

A block of rows stays in the second-level cache while several passes are made over it.
"""

from typing import TYPE_CHECKING

import numpy as np

from waymeet.errors import UnusableVectorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


def unit_rows(rows: "Matrix") -> "Matrix":
    """Normalise every row to length 1.

    A row of zeros becomes the first unit vector.

    Rows that are not finite stay so: the store refuses them with the name of the model.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [1.0, 0.0]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    is_zero = lengths[:, 0] == 0.0
    unit: Matrix = np.divide(rows, np.where(lengths == 0.0, 1.0, lengths), dtype=np.float32)
    unit[is_zero, 0] = 1.0
    return unit


def finite_unit_rows(rows: "Matrix", space: str) -> "Matrix":
    """Normalise every row to length 1 and refuse rows that are not finite.

    Raises:
        UnusableVectorError: a row holds NaN or infinity.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # the result is checked below
        unit = unit_rows(rows)
    if not np.isfinite(unit).all():
        raise UnusableVectorError(
            f"{space} gave a vector that is not finite.", "Its weights may be damaged: download it again."
        )
    return unit


BLOCK = 64
"""Rows per block: 64 rows of the widest layer (1,536 floats, 400 kB) fit the second-level cache."""

# 1 - erf(x) ≈ (1 + a1·x + … + a6·x⁶)^-16, Abramowitz & Stegun 7.1.28, error below 3e-7 before rounding. Φ needs
# erf(x/√2), so the factor 0.5^(k/2) is multiplied into a_k. Highest power first, for Horner's scheme.
_COEFFICIENTS = tuple(
    np.float32(value * 0.5 ** (power / 2))
    for value, power in zip(
        (0.0000430638, 0.0002765672, 0.0001520143, 0.0092705272, 0.0422820123, 0.0705230784),
        range(6, 0, -1),
        strict=True,
    )
)


def gelu(x: "Matrix") -> "Matrix":
    """Apply the exact GELU x·Φ(x), in place.

    numpy has no erf; Φ is computed by a rational approximation to float32 precision.

    >>> gelu(np.array([[-1.0, 0.0, 1.0, 9.0, 1e9]], dtype=np.float32)).round(5).tolist()
    [[-0.15865999460220337, 0.0, 0.8413400053977966, 9.0, 1000000000.0]]
    """
    with np.errstate(over="ignore"):  # an overflow to infinity is right: the tail |x|·Φ(-|x|) is 0 there
        for start in range(0, len(x), BLOCK):
            part = x[start : start + BLOCK]
            size = np.abs(part)
            tail = size * _COEFFICIENTS[0]
            for coefficient in _COEFFICIENTS[1:]:
                tail += coefficient
                tail *= size
            tail += 1.0
            for _ in range(4):  # the 16th power
                tail *= tail
            size *= 0.5
            size /= tail  # |x|·Φ(-|x|)
            np.maximum(part, 0.0, out=part)  # x·Φ(x) = max(x, 0) - |x|·Φ(-|x|) for both signs of x
            part -= size
    return x


def layer_norm(x: "Matrix", weight: "Matrix", bias: "Matrix", eps: float) -> "Matrix":
    """Normalise every row to mean 0 and variance 1, then scale and shift it, in place."""
    width = np.float32(1.0 / x.shape[-1])
    for start in range(0, len(x), BLOCK):
        part = x[start : start + BLOCK]
        part -= part.sum(axis=-1, keepdims=True) * width
        variance = np.einsum("ij,ij->i", part, part) * width
        part *= np.reciprocal(np.sqrt(variance + np.float32(eps)))[:, None]
        part *= weight
        part += bias
    return x


def softmax(x: "Matrix") -> "Matrix":
    """Apply softmax to the last axis, in place."""
    x -= x.max(axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=-1, keepdims=True)
    return x


def gelu_by_tanh(x: "Matrix") -> "Matrix":
    """Apply the tanh approximation of GELU, which some models were trained with, in place."""
    for start in range(0, len(x), BLOCK):
        part = x[start : start + BLOCK]
        inner = part * part
        inner *= np.float32(0.044715)
        inner += 1.0
        inner *= part
        inner *= np.float32(0.7978845608028654)  # √(2/π)
        np.tanh(inner, out=inner)
        inner += 1.0
        inner *= np.float32(0.5)
        part *= inner
    return x


def relu(x: "Matrix") -> "Matrix":
    """Replace negative numbers by 0, in place."""
    return np.maximum(x, 0.0, out=x)
