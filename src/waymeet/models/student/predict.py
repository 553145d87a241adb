"""Prediction of vectors from features, with a correction for the texts of one project."""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waymeet.models.local.blas_threads import single_threaded_blas
from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.local.kernels import unit_rows
from waymeet.models.student.features import Features, WordTable, weigh_texts
from waymeet.models.student.file import PATH, SHA256, Weights, read_student
from waymeet.models.student.refit import Correction, fit_correction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix
    from waymeet.models.tokenizers.bpe import BytePairs

_BATCH = 64
"""Texts whose rows are gathered at once: they fit the second-level cache."""


class Student:
    """Predicts the vectors of the default English model, thousands of texts a second.

    >>> student = Student.load()
    >>> vectors = student.predict(student.features(["How to rotate keys", "def rotate(key): ..."]))
    >>> vectors.shape
    (2, 384)
    """

    space = GraniteEmbedder.space
    dimension = GraniteEmbedder.dimension

    def __init__(self, weights: Weights, tokenizer: "BytePairs", correction: Correction | None = None) -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self._correction = correction
        self._words = WordTable(tokenizer)

    @classmethod
    def load(cls, path: Path = PATH, sha256: str = SHA256) -> "Student":
        """Verify and read the student of this package.

        Raises:
            EmbeddingError: a file is missing, damaged or not the published one.
        """
        return cls(read_student(path, sha256), GraniteEmbedder().load_tokenizer())

    @property
    def correction(self) -> Correction | None:
        """Return the correction by true vectors of a project, if there is one."""
        return self._correction

    def features(self, texts: Sequence[str]) -> Features:
        """Count and weigh the tokens of texts."""
        return weigh_texts(texts, self._words, self._weights.idf)

    def predict(self, features: Features) -> "Matrix":
        """Predict unit vectors, one row per text."""
        return unit_rows(self.predict_raw(features))

    def predict_raw(self, features: Features) -> "Matrix":
        """Predict vectors without scaling them to length 1."""
        weights = self._weights
        factors = features.weights * weights.scales[features.tokens]
        with single_threaded_blas():
            sums = _sum_rows(features, factors, lambda tokens: unpack_rows(weights.rows[tokens]), len(weights.basis))
            vectors: Matrix = sums @ weights.basis + weights.mean
            if self._correction is not None:
                _add_correction(vectors, features, self._correction)
        return vectors

    def refit(self, features: Features, vectors: "NDArray[np.floating]") -> "Student":
        """Return a student that is corrected by true vectors of a few hundred texts."""
        return self.correct(fit_correction(features, vectors - Student.predict_raw(self._base, features)))

    def correct(self, correction: Correction | None) -> "Student":
        """Return a student with another correction, or without one."""
        student = Student(self._weights, self._tokenizer, correction)
        student._words = self._words  # of the same tokenizer
        return student

    @cached_property
    def _base(self) -> "Student":
        return self if self._correction is None else self.correct(None)


def unpack_rows(packed: "NDArray[np.uint8]") -> "Matrix":
    """Unpack rows of 4-bit numbers: the low halves of all bytes, then the high halves.

    >>> unpack_rows(np.array([[0x0F, 0x98]], dtype=np.uint8)).tolist()
    [[7.0, 0.0, -8.0, 1.0]]
    """
    width = packed.shape[1]
    rows = np.empty((len(packed), 2 * width), dtype=np.float32)
    np.bitwise_and(packed, 15, out=rows[:, :width], casting="unsafe")
    np.right_shift(packed, 4, out=rows[:, width:], casting="unsafe")
    rows -= 8
    return rows


def _sum_rows(
    features: Features, factors: "Matrix", look_up: Callable[["NDArray[np.int32]"], "Matrix"], width: int
) -> "Matrix":
    """Sum the rows of each text's tokens, times their factors."""
    sums = np.empty((len(features), width), dtype=np.float32)
    bounds = [0, *features.ends.tolist()]
    for first in range(0, len(features), _BATCH):
        part = bounds[first : first + _BATCH + 1]
        rows = look_up(features.tokens[part[0] : part[-1]])
        for number, (start, end) in enumerate(pairwise(part), start=first):
            np.matmul(factors[start:end], rows[start - part[0] : end - part[0]], out=sums[number])
    return sums


def _add_correction(vectors: "Matrix", features: Features, correction: Correction) -> None:
    places = correction.places[features.tokens]
    is_known = places >= 0
    counted = np.concatenate(([0], np.cumsum(is_known)))
    known = Features(places[is_known], features.weights[is_known], counted[features.ends])
    vectors += _sum_rows(known, known.weights, lambda tokens: correction.rows[tokens], vectors.shape[1])
    vectors += correction.mean
