from collections import Counter
from math import sqrt

import numpy as np
import pytest

from waymeet.models.student.features import FIRST_COPIES, FIRST_TOKENS, MAX_TOKENS, WordTable, weigh_texts
from waymeet.models.tokenizers.bpe import BytePairs

TEXTS = [
    "The cat sat on the mat; the cat slept.",
    "",
    "def get_user(name):\n    return users[name]",
    "Ünïcode – 日本語",
]


@pytest.fixture(scope="module")
def idf() -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.random.default_rng(2).uniform(0.5, 8, 50_265).astype(np.float32)


def test_a_weight_is_the_root_of_the_frequency_times_idf_and_the_beginning_counts_more(
    tokenizer: BytePairs, idf: np.ndarray
) -> None:
    features = weigh_texts(TEXTS, WordTable(tokenizer), idf)
    starts = features.starts()
    for number, text in enumerate(TEXTS):
        ids = tokenizer.encode(text, MAX_TOKENS)
        counts = Counter(ids + FIRST_COPIES * ids[:FIRST_TOKENS])
        expected = {token: sqrt(count) * float(idf[token]) for token, count in counts.items()}
        length = sum(weight * weight for weight in expected.values()) ** 0.5
        part = slice(int(starts[number]), int(features.ends[number]))
        assert features.tokens[part].tolist() == sorted(expected)
        assert features.weights[part] == pytest.approx(
            [expected[token] / length for token in sorted(expected)], rel=1e-5
        )


def test_only_the_tokens_that_the_model_reads_are_counted(tokenizer: BytePairs, idf: np.ndarray) -> None:
    text = " one" * MAX_TOKENS + " two"
    features = weigh_texts([text], WordTable(tokenizer), idf)
    assert features.tokens.tolist() == tokenizer.encode(" one", 1)
    assert features.weights.tolist() == [1.0]


def test_texts_of_several_batches_follow_each_other(tokenizer: BytePairs, idf: np.ndarray) -> None:
    many = weigh_texts(TEXTS * 300, WordTable(tokenizer), idf)
    once = weigh_texts(TEXTS, WordTable(tokenizer), idf)
    assert len(many) == 1200
    last = many.take(range(1196, 1200))
    assert last.tokens.tolist() == once.tokens.tolist()
    assert last.weights.tolist() == once.weights.tolist()
    assert last.ends.tolist() == once.ends.tolist()


def test_no_texts_have_no_features(tokenizer: BytePairs, idf: np.ndarray) -> None:
    features = weigh_texts([], WordTable(tokenizer), idf)
    assert len(features) == 0
    assert len(features.take([])) == 0


def test_a_full_table_of_words_is_emptied(
    tokenizer: BytePairs, idf: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waymeet.models.student.features._MAX_WORDS", 3)
    table = WordTable(tokenizer)
    first = weigh_texts(TEXTS, table, idf)
    again = weigh_texts(TEXTS, table, idf)
    assert again.tokens.tolist() == first.tokens.tolist()
