from collections.abc import Callable

import numpy as np
import pytest

from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.student.file import Weights
from waymeet.models.student.predict import Student, unpack_rows

TEXTS = [
    "Install the package with pip, then run the command to create an index of the folder.",
    "def read_lines(path):\n    with open(path) as file:\n        return [line.strip() for line in file]",
    "The heart pumps blood through the arteries; high pressure damages the walls of the vessels.",
    "Configuration\nTimeouts\nThe server closes a connection after 30 seconds without a request.",
]


def test_a_vector_is_the_mean_plus_weighted_rows_in_the_basis(
    make_student: Callable[[], Student], weights: Weights
) -> None:
    student = make_student()
    features = student.features(TEXTS)
    start = 0
    for end, vector in zip(features.ends.tolist(), student.predict_raw(features), strict=True):
        tokens, factors = features.tokens[start:end], features.weights[start:end]
        rows = unpack_rows(weights.rows[tokens]) * weights.scales[tokens][:, None]
        assert vector == pytest.approx(weights.mean + factors @ rows @ weights.basis, rel=1e-3, abs=1e-5)
        start = end


def test_vectors_do_not_depend_on_the_other_texts(make_student: Callable[[], Student]) -> None:
    student = make_student()
    together = student.predict(student.features([*TEXTS, "", *TEXTS] * 20))
    assert together.shape == (180, 384)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for number in (0, 4, 8, 179):
        alone = student.predict(student.features([[*TEXTS, "", *TEXTS][number % 9]]))
        assert np.allclose(together[number], alone[0], atol=1e-5)


def test_no_texts_have_no_vectors(make_student: Callable[[], Student]) -> None:
    student = make_student()
    assert student.predict(student.features([])).shape == (0, 384)


@pytest.mark.slow
def test_the_shipped_student_is_close_to_the_model() -> None:
    student = Student.load()
    predicted = student.predict(student.features(TEXTS))
    true = np.stack(GraniteEmbedder().embed_passages(TEXTS))
    cosines = (predicted * true).sum(axis=1)
    assert cosines.min() > 0.75
    similarities = predicted @ true.T
    assert (similarities.argmax(axis=1) == np.arange(len(TEXTS))).all()
