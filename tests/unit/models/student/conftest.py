from collections.abc import Callable

import numpy as np
import pytest

from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.student.file import Weights
from waymeet.models.student.predict import Student
from waymeet.models.tokenizers.bpe import BytePairs

VOCABULARY = 50_265


@pytest.fixture(scope="session")
def tokenizer() -> BytePairs:
    return GraniteEmbedder().load_tokenizer()


@pytest.fixture(scope="session")
def weights() -> Weights:
    """Make a small random student."""
    random = np.random.default_rng(1)
    return Weights(
        idf=random.uniform(0.5, 8, VOCABULARY).astype(np.float16).astype(np.float32),
        rows=random.integers(0, 256, (VOCABULARY, 4)).astype(np.uint8),
        scales=np.full(VOCABULARY, 0.004, dtype=np.float32),
        basis=random.standard_normal((8, 384)).astype(np.float16).astype(np.float32),
        mean=(random.standard_normal(384) / 40).astype(np.float32),
    )


@pytest.fixture
def make_student(weights: Weights, tokenizer: BytePairs) -> Callable[[], Student]:
    return lambda: Student(weights, tokenizer)
