"""The student as indexing uses it."""

from collections.abc import Callable

import numpy as np
import pytest

from waymeet.errors import EmbeddingError
from waymeet.models.choose_embedders import choose_student
from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.student.predict import Student
from waymeet.models.student.texts import TextStudent

TEXTS = [f"How to rotate key number {number} of {number * 7} keys" for number in range(40)]


@pytest.fixture
def student(make_student: Callable[[], Student]) -> TextStudent:
    return TextStudent(make_student())


def test_it_predicts_unit_vectors(student: TextStudent) -> None:
    vectors = np.array(student.predict(TEXTS))
    assert vectors.shape == (40, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(40))
    assert student.predict([]) == []


def test_a_refit_brings_predictions_nearer_to_true_vectors(student: TextStudent) -> None:
    random = np.random.default_rng(3)
    true = np.array(student.predict(TEXTS)) + random.normal(scale=0.02, size=384).astype(np.float32)
    true /= np.linalg.norm(true, axis=1, keepdims=True)
    refit = student.refit(TEXTS, list(true))
    before = (np.array(student.predict(TEXTS)) * true).sum(axis=1).mean()
    corrected = student.correct(refit.correction)
    assert (np.array(corrected.predict(TEXTS)) * true).sum(axis=1).mean() > before
    assert 0.0 < refit.trust <= 1.0
    assert np.array(corrected.correct("").predict(TEXTS)) == pytest.approx(np.array(student.predict(TEXTS)))


def test_a_damaged_correction_is_an_error(student: TextStudent) -> None:
    for damaged in ("not base64!", "AAAA"):
        with pytest.raises(EmbeddingError, match="cannot be read"):
            student.correct(damaged)


def test_it_selects_texts_that_represent_all(student: TextStudent) -> None:
    chosen = student.select(TEXTS, 5)
    assert 0 < len(chosen) <= 5
    assert set(chosen) <= set(range(40))


def test_only_the_default_english_model_has_a_student() -> None:
    found = choose_student(GraniteEmbedder.space)
    assert isinstance(found, TextStudent)
    assert found.space == GraniteEmbedder.space
    assert choose_student("hashing-256") is None
