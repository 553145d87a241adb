from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from waymeet.errors import EmbeddingError
from waymeet.models.student.file import MAGIC, PATH, SHA256, Weights, read_student, write_student


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def test_a_written_student_is_read_again(tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "a.student"
    write_student(path, weights, "space/1", 100)
    read = read_student(path, _digest(path))
    for name in Weights._fields:
        assert np.array_equal(getattr(weights, name), getattr(read, name))


def test_a_changed_file_is_refused(tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "a.student"
    write_student(path, weights, "space/1", 100)
    digest = _digest(path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(EmbeddingError, match="not the published one"):
        read_student(path, digest)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"something else", "unknown format"),
        (MAGIC + (2).to_bytes(8, "little") + b"[]", "header"),
        (MAGIC + (44).to_bytes(8, "little") + b'{"space": "a", "sections": 1, "arrays": []}  ', "other arrays"),
        (
            MAGIC
            + (96).to_bytes(8, "little")
            + b'{"space":"a","sections":1,"arrays":[{"name":"idf","dtype":"uint8","shape":[9]}]}'.ljust(96),
            "incomplete",
        ),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.student"
    path.write_bytes(content)
    with pytest.raises(EmbeddingError, match=message):
        read_student(path, _digest(path))


def test_the_shipped_file_is_small_and_the_published_one() -> None:
    assert PATH.stat().st_size <= 15_000_000
    assert _digest(PATH) == SHA256
