"""Products with weights in blocks equal those with the plain matrix, for any number of rows."""

import numpy as np
import pytest

from waymeet.models.files.granite_file import Quantised
from waymeet.models.local.blas_threads import detect_architecture
from waymeet.models.local.kernels import gelu
from waymeet.models.local.matmul import MAX_DEPTH, choose_block_shape, make_weight

RANDOM = np.random.default_rng(6)
KERNELS = ["SkylakeX", "Haswell"]


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize(("inputs", "outputs"), [(384, 1152), (1536, 384), (1021, 128), (640, 64), (12, 20), (1, 1)])
def test_a_product_is_that_of_the_plain_matrix(inputs: int, outputs: int, kernels: str) -> None:
    matrix = RANDOM.standard_normal((outputs, inputs)).astype(np.float32)
    weight = make_weight(matrix, kernels)
    assert np.array_equal(weight.to_matrix(), matrix.T)
    for rows in (1, 2, 11, 39, 40, 41, 97):
        x = RANDOM.standard_normal((rows, inputs)).astype(np.float32)
        expected = x.astype(np.float64) @ matrix.T.astype(np.float64)
        product = weight.times(x)
        assert product.dtype == np.float32
        assert np.abs(product - expected).max() < 1e-4 * np.sqrt(inputs)
        assert np.abs(weight.times(np.asfortranarray(x)) - expected).max() < 1e-4 * np.sqrt(inputs)


def test_no_row_is_a_product_of_no_row() -> None:
    for kernels in KERNELS:
        weight = make_weight(np.ones((128, 1024), dtype=np.float16), kernels)
        assert weight.times(np.empty((0, 1024), dtype=np.float32)).shape == (0, 128)


@pytest.mark.parametrize("inputs", [64, 384, 640, 1024, 1536, 4096])
def test_blocks_are_small_enough_and_keep_groups_together(inputs: int) -> None:
    parts, count, deep, width = choose_block_shape(inputs, 256, 64, "SkylakeX")
    assert (parts * deep, count * width) == (inputs, 256)
    assert deep % 64 == 0
    assert deep <= MAX_DEPTH
    assert choose_block_shape(704, 256, 64, "SkylakeX") == (1, 1, 704, 256)  # eleven groups: too many parts


def test_weights_of_eight_bits_are_cut_as_those_in_full_precision_are() -> None:
    values = RANDOM.integers(-127, 128, (256, 1024)).astype(np.int8)
    scales = RANDOM.random((256, 16)).astype(np.float32)
    quantised = Quantised(values, scales)
    wide = quantised.dequantise(slice(64, 192))
    assert np.array_equal(quantised.make_weight(64, 192).to_matrix(), wide.T)
    assert quantised.make_weight(64, 192).blocks.shape == make_weight(wide).blocks.shape


def test_the_kernels_of_this_machine_have_a_name_or_none() -> None:
    assert detect_architecture() == detect_architecture().strip()
    assert choose_block_shape(384, 384) in {(1, 1, 384, 384), (1, 6, 384, 64)}


def test_the_activation_bears_any_number() -> None:
    wild = np.array([[0.0, 1e-30, -1e-30, 40.0, -40.0, 3e38, -3e38]], dtype=np.float32)
    assert gelu(wild).tolist()[0][3:] == [40.0, -0.0, np.float32(3e38), -0.0]
