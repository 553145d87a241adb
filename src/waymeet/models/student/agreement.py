"""Measurement of how far a student's vectors can be trusted in one project."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.models.student.features import Features
from waymeet.models.student.predict import Student

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FOLDS = 5


class Trust(NamedTuple):
    """Agreement of predicted and true vectors, on texts that the correction was not fitted on."""

    cosine: float
    """Mean cosine of a predicted vector and the true one."""
    correlation: float
    """Mean correlation of true vectors' similarities to predicted vectors with those to true ones.

    Queries have true vectors, so this is how well the student orders sections for a query.
    """


def measure_trust(student: Student, features: Features, vectors: "NDArray[np.floating]") -> Trust:
    """Measure a student by refitting it on four fifths of the texts and predicting the rest."""
    true = np.asarray(vectors, dtype=np.float32)
    count = len(features)
    if count < 2 * _FOLDS:
        return Trust(0.0, 0.0)
    predicted = np.empty_like(true)
    fold = np.arange(count) % _FOLDS
    for number in range(_FOLDS):
        held_out, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        predicted[held_out] = student.refit(features.take(rest), true[rest]).predict(features.take(held_out))
    cosine = float((predicted * true).sum(axis=1).mean())
    return Trust(cosine, float(_row_correlations(true @ true.T, true @ predicted.T).mean()))


def _row_correlations(first: "NDArray[np.float32]", second: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Correlate the rows of two square matrices, without their diagonals."""
    is_other = ~np.eye(len(first), dtype=bool)
    a, b = (values[is_other].reshape(len(values), -1) for values in (first, second))
    a, b = (values - values.mean(axis=1, keepdims=True) for values in (a, b))
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return np.asarray((a * b).sum(axis=1) / np.maximum(norms, 1e-12), dtype=np.float32)
