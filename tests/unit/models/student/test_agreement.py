from collections.abc import Callable

import numpy as np
import pytest

from waymeet.models.student.agreement import measure_trust
from waymeet.models.student.predict import Student

WORDS = "server cache index query token vector weight model section file search rank score key lock".split()


def test_a_student_that_is_right_is_trusted_and_a_wrong_one_is_not(make_student: Callable[[], Student]) -> None:
    random = np.random.default_rng(7)
    student = make_student()
    features = student.features([" ".join(random.choice(WORDS, 6)) for _ in range(60)])
    right = measure_trust(student, features, student.predict(features))
    noise = random.standard_normal((60, 384))
    wrong = measure_trust(student, features, noise / np.linalg.norm(noise, axis=1, keepdims=True))
    assert right.correlation > 0.9
    assert abs(wrong.correlation) < 0.2
    assert wrong.cosine < 0.5


def test_too_few_texts_give_no_trust(make_student: Callable[[], Student]) -> None:
    student = make_student()
    features = student.features(["one", "two"])
    assert measure_trust(student, features, np.eye(2, 384, dtype=np.float32)) == pytest.approx((0.0, 0.0))
