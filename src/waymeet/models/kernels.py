"""What stands between the matrix products of a transformer, in float32, in place, in blocks that fit a cache."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

BLOCK = 64
"""Rows that are worked on at a time: a block of the widest layer stays in the second-level cache."""

# erf by Abramowitz & Stegun 7.1.26, with 1/√2 and the ½ of GELU folded in; off by less than 2e-7 before rounding
_P = np.float32(0.3275911 * 0.7071067811865476)
_A = tuple(np.float32(0.5 * value) for value in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))


def gelu(x: "Matrix") -> "Matrix":
    """Apply the exact GELU x·Φ(x), in place.

    >>> gelu(np.array([[-1.0, 0.0, 1.0, 9.0]], dtype=np.float32)).round(5).tolist()
    [[-0.15865999460220337, 0.0, 0.8413400053977966, 9.0]]
    """
    for start in range(0, len(x), BLOCK):
        part = x[start : start + BLOCK]
        size = np.abs(part)
        t = size * _P
        t += 1.0
        np.reciprocal(t, out=t)
        tail = t * _A[0]
        for a in _A[1:]:
            tail += a
            tail *= t
        np.multiply(part, part, out=t)
        t *= np.float32(-0.5)
        np.exp(t, out=t)
        tail *= t  # Φ(-|x|)
        tail *= size  # x·Φ(x) is max(x, 0) - |x|·Φ(-|x|), whatever the sign of x
        np.maximum(part, 0.0, out=part)
        part -= tail
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
