import numpy as np
import pytest

from waymeet.models.student.selection import select_texts


def test_each_cluster_is_represented() -> None:
    random = np.random.default_rng(9)
    centres = random.standard_normal((5, 32))
    vectors = np.repeat(centres, 40, axis=0) + 0.05 * random.standard_normal((200, 32))
    selected = select_texts(vectors.astype(np.float32), 20)
    assert {int(number) // 40 for number in selected} == set(range(5))
    assert len(selected) <= 20
    assert (np.diff(selected) > 0).all()


def test_few_texts_are_all_selected() -> None:
    assert select_texts(np.eye(3, 8, dtype=np.float32), 10).tolist() == [0, 1, 2]


def test_of_many_texts_a_part_is_clustered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waymeet.models.student.selection._MAX_CLUSTERED", 50)
    vectors = np.random.default_rng(10).standard_normal((200, 8)).astype(np.float32)
    selected = select_texts(vectors, 10)
    assert 0 < len(selected) <= 10
    assert (selected % 4 == 0).all()
