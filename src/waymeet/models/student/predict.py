"""Prediction of vectors from features, with a correction for the texts of one project."""

from collections.abc import Sequence
from dataclasses import replace
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
        places, tokens = _number_tokens(features.tokens, len(weights.rows))
        rows = unpack_rows(weights.rows[tokens]) * weights.scales[tokens, None]
        with single_threaded_blas():
            vectors: Matrix = _sum_rows(replace(features, tokens=places), rows) @ weights.basis + weights.mean
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


def _number_tokens(tokens: "NDArray[np.int32]", vocabulary: int) -> tuple["NDArray[np.int32]", "NDArray[np.intp]"]:
    """Number the distinct tokens, so that the row of each is unpacked once."""
    is_used = np.zeros(vocabulary, dtype=bool)
    is_used[tokens] = True
    numbers = np.cumsum(is_used, dtype=np.int32) - 1
    return numbers[tokens], np.flatnonzero(is_used)


def _sum_rows(features: Features, rows: "Matrix") -> "Matrix":
    """Sum the rows of each text's tokens, times their weights."""
    sums = np.empty((len(features), rows.shape[1]), dtype=np.float32)
    bounds = [0, *features.ends.tolist()]
    for number, (start, end) in enumerate(pairwise(bounds)):
        np.matmul(features.weights[start:end], rows[features.tokens[start:end]], out=sums[number])
    return sums


def _add_correction(vectors: "Matrix", features: Features, correction: Correction) -> None:
    places = correction.places[features.tokens]
    is_known = places >= 0
    counted = np.concatenate(([0], np.cumsum(is_known)))
    known = Features(places[is_known], features.weights[is_known], counted[features.ends])
    vectors += _sum_rows(known, correction.rows)
    vectors += correction.mean
