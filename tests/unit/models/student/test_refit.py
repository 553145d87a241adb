from collections.abc import Callable

import numpy as np
import pytest

from waymeet.errors import EmbeddingError
from waymeet.models.student.predict import Student
from waymeet.models.student.refit import Correction, compute_kernel, fit_correction

WORDS = "server cache index query token vector weight model section file search rank score key lock".split()


def _texts(count: int) -> list[str]:
    random = np.random.default_rng(3)
    return [" ".join(random.choice(WORDS, 6)) for _ in range(count)]


def test_a_correction_solves_the_ridge_regression(make_student: Callable[[], Student]) -> None:
    student = make_student()
    features = student.features(_texts(30))
    missed = np.random.default_rng(4).standard_normal((30, 384))
    correction = fit_correction(features, missed, ridge=0.5)
    tokens = np.unique(features.tokens)
    dense = np.zeros((30, len(tokens)))
    rows = np.repeat(np.arange(30), np.diff(features.ends, prepend=0))
    dense[rows, np.searchsorted(tokens, features.tokens)] = features.weights
    assert compute_kernel(features) == pytest.approx(dense @ dense.T, abs=1e-5)
    mean = missed.sum(axis=0) / 40
    expected = np.linalg.solve(dense.T @ dense + 0.5 * np.eye(len(tokens)), dense.T @ (missed - mean))
    assert correction.mean == pytest.approx(mean, abs=1e-5)
    assert correction.rows == pytest.approx(expected, abs=1e-3)


def test_a_refitted_student_is_closer_to_the_true_vectors(make_student: Callable[[], Student]) -> None:
    student = make_student()
    texts = _texts(120)
    features = student.features(texts)
    # what is true differs from the prediction by a linear map of the same features
    true = student.correct(
        fit_correction(features, np.random.default_rng(5).standard_normal((120, 384)), ridge=0.1)
    ).predict(features)
    refitted = student.refit(features.take(range(100)), true[:100])
    rest = features.take(range(100, 120))
    before = (student.predict(rest) * true[100:]).sum(axis=1).mean()
    after = (refitted.predict(rest) * true[100:]).sum(axis=1).mean()
    assert after > before + 0.1
    again = refitted.refit(features.take(range(100)), true[:100])
    assert np.allclose(again.predict(rest), refitted.predict(rest))
    assert refitted.correct(None).correction is None


def test_a_correction_survives_serialisation(make_student: Callable[[], Student]) -> None:
    student = make_student()
    features = student.features(_texts(20))
    refitted = student.refit(features, np.random.default_rng(6).standard_normal((20, 384)))
    assert refitted.correction is not None
    read = student.correct(Correction.from_bytes(refitted.correction.to_bytes()))
    assert np.array_equal(read.predict(features), refitted.predict(features))


@pytest.mark.parametrize("damage", [lambda content: content[:-9], lambda _: b"", lambda _: b"\x95\xc4\x01a\xc4\x00"])
def test_a_damaged_correction_is_refused(make_student: Callable[[], Student], damage: Callable[[bytes], bytes]) -> None:
    student = make_student()
    features = student.features(_texts(20))
    correction = fit_correction(features, np.zeros((20, 384)))
    with pytest.raises(EmbeddingError, match="cannot be read"):
        Correction.from_bytes(damage(correction.to_bytes()))
