"""Correction of a student by true vectors of one project.

What the student misses on a few hundred texts is learnt by ridge regression on their features. With n texts it is
solved in the kernel of their features, an n × n system (Saunders, Gammerman and Vovk, 1998), which takes milliseconds.
"""

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.models.student.features import Features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

RIDGE = 0.2
"""Strength of the regularisation, as a share of the kernel's diagonal; .1 to .4 differ by less than .002."""
_MEAN_PRIOR = 10.0
"""Texts that the assumption counts as that the student is right on average."""
_VOCABULARY = 65_536
"""Upper bound of token numbers, which are stored in two bytes."""


class _Stored(Struct, frozen=True, array_like=True):
    tokens: bytes
    weights: bytes
    ends: bytes
    coefficients: bytes
    mean: bytes


class Correction:
    """A linear correction: features of the texts it was fitted on, coefficients, and a mean."""

    def __init__(self, features: Features, coefficients: "Matrix", mean: "Matrix") -> None:
        self._features = features
        self._coefficients = coefficients
        self.mean = mean

    @cached_property
    def _tokens(self) -> "NDArray[np.int32]":
        return np.unique(self._features.tokens)

    @cached_property
    def places(self) -> "NDArray[np.int32]":
        """Return the row of each token of the vocabulary, -1 for those without one."""
        places = np.full(_VOCABULARY, -1, dtype=np.int32)
        places[self._tokens] = np.arange(len(self._tokens))
        return places

    @cached_property
    def rows(self) -> "Matrix":
        """Return the correction of each token that has one."""
        rows = np.zeros((len(self._tokens), self._coefficients.shape[1]), dtype=np.float32)
        features, start = self._features, 0
        for end, coefficients in zip(features.ends.tolist(), self._coefficients, strict=True):
            places = self.places[features.tokens[start:end]]
            rows[places] += features.weights[start:end, None] * coefficients
            start = end
        return rows

    def to_bytes(self) -> bytes:
        """Serialise the correction, about 2 KB a text."""
        features = self._features
        return msgspec.msgpack.encode(
            _Stored(
                features.tokens.astype("<u2").tobytes(),
                features.weights.astype("<f4").tobytes(),
                features.ends.astype("<u4").tobytes(),
                self._coefficients.astype("<f4").tobytes(),
                self.mean.astype("<f4").tobytes(),
            )
        )

    @classmethod
    def from_bytes(cls, content: bytes) -> "Correction":
        """Read a serialised correction.

        Raises:
            EmbeddingError: it is damaged.
        """
        try:
            stored = msgspec.msgpack.decode(content, type=_Stored)
            features = Features(
                np.frombuffer(stored.tokens, "<u2").astype(np.int32),
                np.frombuffer(stored.weights, "<f4").astype(np.float32),
                np.frombuffer(stored.ends, "<u4").astype(np.int64),
            )
            mean = np.frombuffer(stored.mean, "<f4").astype(np.float32)
            coefficients = np.frombuffer(stored.coefficients, "<f4").astype(np.float32)
            return cls(features, coefficients.reshape(len(features), len(mean)), mean)
        except (msgspec.MsgspecError, ValueError) as error:
            raise EmbeddingError(f"The correction of the student cannot be read: {error}.") from error


def fit_correction(features: Features, missed: "NDArray[np.floating]", ridge: float = RIDGE) -> Correction:
    """Fit a correction to what a student misses: true vectors minus predictions."""
    count = len(features)
    mean = missed.sum(axis=0) / (count + _MEAN_PRIOR)
    kernel = compute_kernel(features)
    kernel[np.diag_indices(count)] += ridge
    coefficients = np.linalg.solve(kernel, missed - mean)
    return Correction(features, coefficients.astype(np.float32), mean.astype(np.float32))


def compute_kernel(features: Features) -> "NDArray[np.float64]":
    """Compute the products of all pairs of texts' features."""
    tokens, columns = np.unique(features.tokens, return_inverse=True)
    dense = np.zeros((len(features), len(tokens)), dtype=np.float32)
    rows = np.repeat(np.arange(len(features)), np.diff(features.ends, prepend=0))
    dense[rows, columns] = features.weights
    return (dense @ dense.T).astype(np.float64)
