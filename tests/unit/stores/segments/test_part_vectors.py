"""Quantised vectors of sections and their parts."""

import numpy as np
import pytest
from numpy.typing import NDArray

from waymeet.errors import EmbeddingError
from waymeet.stores.segments.part_vectors import PartBlock, build_part_block, encode_parts, is_valid_code

Matrix = NDArray[np.float32]


def unit_rows(rows: NDArray[np.float64]) -> Matrix:
    scaled: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def make_sections(number: int, dimension: int = 512) -> list[Matrix]:
    """Make sections about 20 topics, with one to five vectors each."""
    rng = np.random.default_rng(5)
    topics = rng.standard_normal((20, dimension))
    return [
        unit_rows(topics[index % 20] + 1.2 * rng.standard_normal((1 + index % 5, dimension))) for index in range(number)
    ]


def exact_scores(sections: list[Matrix], query: Matrix) -> list[float]:
    """Compute the scores in the simplest way: mean of the whole text and the best part."""
    cosines = [(section @ query).tolist() for section in sections]
    return [(whole + max(parts, default=whole)) / 2 for whole, *parts in cosines]


def test_a_code_has_two_bits_per_dimension_and_a_header() -> None:
    codes = encode_parts([np.eye(3, 512, dtype=np.float32), np.eye(1, 512, dtype=np.float32)])
    assert [len(code) for code in codes] == [2 + 3 * 128, 2 + 128]
    assert all(map(is_valid_code, codes))
    assert encode_parts([]) == []


def test_scores_are_close_to_those_of_the_vectors() -> None:
    sections = make_sections(300)
    block = build_part_block(encode_parts(sections))
    query = unit_rows(sections[7].astype(np.float64)[:1] + 0.02 * np.random.default_rng(1).standard_normal((1, 512)))[0]
    scores = block.score(query, np.arange(300))
    exact = exact_scores(sections, query)
    assert np.corrcoef(scores, exact)[0, 1] > 0.98
    best = np.argsort(exact)[::-1][:10]
    assert len(set(best) & set(np.argsort(scores)[::-1][:10])) >= 8


def test_the_approximate_pass_keeps_the_best() -> None:
    sections = make_sections(3000)
    block = build_part_block(encode_parts(sections))
    query = sections[41][0]
    candidates, scores = block.rank(query, 10, None)
    assert len(candidates) == 1000
    all_scores = block.score(query, np.arange(3000))
    best = set(np.argsort(all_scores)[::-1][:50].tolist())
    assert best <= set(candidates.tolist())
    assert scores.tolist() == all_scores[candidates].tolist()


def test_excluded_sections_take_no_part() -> None:
    block = build_part_block(encode_parts(make_sections(30)))
    candidates, _ = block.rank(make_sections(30)[3][0], 10, np.arange(0, 30, 2))
    assert candidates.tolist() == list(range(1, 30, 2))


def test_equal_sections_have_equal_scores_and_an_order_of_blocks_does_not_matter() -> None:
    sections = make_sections(40)
    codes = encode_parts([*sections, sections[0]])
    block, reverse = build_part_block(codes), build_part_block(codes[::-1])
    query = sections[9][0]
    scores = block.score(query, np.arange(41))
    assert scores[0] == scores[40]
    assert scores.tolist() == reverse.score(query, np.arange(41)).tolist()[::-1]


@pytest.mark.parametrize("code", [b"", b"\x00\x02", b"\x00" * 10, b"\x00\x02" + b"x" * 127])
def test_other_bytes_are_no_code(code: bytes) -> None:
    assert not is_valid_code(code)
    with pytest.raises(EmbeddingError, match="differ in length"):
        build_part_block([code])


def test_other_dimensions_are_padded() -> None:
    sections = make_sections(200, dimension=384)
    block = build_part_block(encode_parts(sections))
    query = sections[11][0]
    assert np.corrcoef(block.score(query, np.arange(200)), exact_scores(sections, query))[0, 1] > 0.97
    assert block.dimension == 384
    with pytest.raises(EmbeddingError, match="not quantised"):
        encode_parts([np.ones((1, 9000), dtype=np.float32)])


def test_a_block_knows_its_dimension() -> None:
    block: PartBlock = build_part_block(encode_parts(make_sections(4, dimension=64)))
    assert block.dimension == 64
    assert block.counts.tolist() == [1, 2, 3, 4]
