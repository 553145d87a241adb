import numpy as np
from pack import make_rotation, quantise

from waymeet.models.student.predict import unpack_rows


def test_rows_of_four_bits_are_close_to_the_originals() -> None:
    rows = np.random.default_rng(8).standard_normal((50, 384)).astype(np.float32)
    packed, scales = quantise(rows)
    assert packed.shape == (50, 192)
    restored = unpack_rows(packed) * scales[:, None]
    assert np.linalg.norm(restored - rows) < 0.15 * np.linalg.norm(rows)


def test_a_row_of_zeros_stays_so() -> None:
    packed, scales = quantise(np.zeros((1, 8), dtype=np.float32))
    assert (unpack_rows(packed) * scales[:, None] == 0).all()


def test_the_rotation_keeps_lengths() -> None:
    rotation = make_rotation(64)
    assert np.allclose(rotation @ rotation.T, np.eye(64), atol=1e-2)
