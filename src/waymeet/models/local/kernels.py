"""What stands between the matrix products of a transformer, in float32, in place, in blocks that fit a cache."""

from typing import TYPE_CHECKING

import numpy as np

from waymeet.errors import UnusableVectorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


def unit_rows(rows: "Matrix") -> "Matrix":
    """Bring every row to length 1; a row of zeros, which has no direction, becomes the first axis.

    What is not finite stays so: the store refuses it with the name of the model.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [1.0, 0.0]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    empty = lengths[:, 0] == 0.0
    unit: Matrix = np.divide(rows, np.where(lengths == 0.0, 1.0, lengths), dtype=np.float32)
    unit[empty, 0] = 1.0
    return unit


def refusing(rows: "Matrix", space: str) -> "Matrix":
    """Bring every row to length 1, as `unit_rows` does, and refuse what is not finite with the name of the model.

    Raises:
        UnusableVectorError: a row holds NaN or infinity.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
        unit = unit_rows(rows)
    if not np.isfinite(unit).all():
        raise UnusableVectorError(
            f"{space} gave a vector that is not finite.", "Its weights may be damaged: fetch it again."
        )
    return unit


BLOCK = 64
"""Rows that are worked on at a time: a block of the widest layer stays in the second-level cache."""

# 1 - erf by Abramowitz & Stegun 7.1.28, with 1/√2 folded in; off by less than 3e-7 before rounding
_A = tuple(
    np.float32(value * 0.5 ** (power / 2))
    for value, power in zip(
        (0.0000430638, 0.0002765672, 0.0001520143, 0.0092705272, 0.0422820123, 0.0705230784),
        range(6, 0, -1),
        strict=True,
    )
)


def gelu(x: "Matrix") -> "Matrix":
    """Apply the exact GELU x·Φ(x), in place.

    >>> gelu(np.array([[-1.0, 0.0, 1.0, 9.0, 1e9]], dtype=np.float32)).round(5).tolist()
    [[-0.15865999460220337, 0.0, 0.8413400053977966, 9.0, 1000000000.0]]
    """
    with np.errstate(over="ignore"):  # infinity is right: nothing is left beyond it
        for start in range(0, len(x), BLOCK):
            part = x[start : start + BLOCK]
            size = np.abs(part)
            rest = size * _A[0]
            for a in _A[1:]:
                rest += a
                rest *= size
            rest += 1.0
            for _ in range(4):
                rest *= rest
            size *= 0.5
            size /= rest  # |x|·Φ(-|x|)
            np.maximum(part, 0.0, out=part)  # x·Φ(x) is max(x, 0) - |x|·Φ(-|x|), whatever the sign of x
            part -= size
    return x


def layer_norm(x: "Matrix", weight: "Matrix", bias: "Matrix", eps: float) -> "Matrix":
    """Give every row mean 0 and variance 1, then scale and shift it, in place."""
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
    """Turn the last axis into shares that sum to 1, in place."""
    x -= x.max(axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=-1, keepdims=True)
    return x


def gelu_by_tanh(x: "Matrix") -> "Matrix":
    """Apply the approximation of GELU that some models were trained with, in place."""
    for start in range(0, len(x), BLOCK):
        part = x[start : start + BLOCK]
        inner = part * part
        inner *= np.float32(0.044715)
        inner += 1.0
        inner *= part
        inner *= np.float32(0.7978845608028654)
        np.tanh(inner, out=inner)
        inner += 1.0
        inner *= np.float32(0.5)
        part *= inner
    return x


def relu(x: "Matrix") -> "Matrix":
    """Cut off what is below zero, in place."""
    return np.maximum(x, 0.0, out=x)
