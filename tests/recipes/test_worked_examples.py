"""Worked examples of the ranking specification: shared parts, `threeway`, `classic`, `deep`."""

from math import isclose, log

import pytest

from waymeet.analysis import list_terms
from waymeet.analysis.identifiers import split_identifier
from waymeet.formulas.bm25 import idf, normalise_frequency, saturation
from waymeet.formulas.explanation import value
from waymeet.formulas.fusion import (
    aggregate,
    linear,
    rrf,
    share_of_best,
    three_way,
    three_way_weights,
    top_rank_bonus,
)
from waymeet.formulas.graph import proximity
from waymeet.formulas.rerank import blend_scores, fused_weight, length_penalty
from waymeet.settings import Settings


def test_ex_rrf_of_ranks_1_and_3() -> None:
    assert rrf({"vector": 1, "lexical": 3}, {}, Settings().rrf.k).value == pytest.approx(1 / 61 + 1 / 63)
    assert round(rrf({"vector": 1, "lexical": 3}, {}, Settings().rrf.k).value, 5) == 0.03227


def test_ex_bm25_of_3_occurrences_in_a_text_of_average_length() -> None:
    rarity = idf(documents=10, containing=2)
    frequency = saturation(normalise_frequency(3, length=40, average=40, b=0.75), Settings().bm25.k1)
    assert isclose(rarity, log(8.5 / 2.5 + 1))
    assert (round(rarity, 4), round(frequency, 4), round(rarity * frequency, 4)) == (1.4816, 1.5714, 2.3282)


@pytest.mark.parametrize("length", [1, 20, 40, 400])
@pytest.mark.parametrize("frequency", [1, 3, 30])
def test_bm25f_of_one_field_is_bm25(length: float, frequency: float) -> None:
    k1, b, average = 1.2, 0.75, 40.0
    plain = frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * length / average))
    assert saturation(normalise_frequency(frequency, length, average, b), k1) == pytest.approx(plain)


def test_ex_an_identifier_is_split() -> None:
    assert [piece.lower() for piece in split_identifier("getUserById")] == ["get", "user", "by", "id"]


def test_ex_its_parts_are_stemmed() -> None:
    assert list_terms("user_authentication_flow")[:3] == ["user", "authent", "flow"]


def test_ex_four_sections_make_one_document() -> None:
    numbers = Settings().aggregate
    sections = [value(score, "section") for score in (0.9, 0.6, 0.3, 0.1)]
    assert aggregate(sections, numbers.best, numbers.mean, numbers.top).value == pytest.approx(0.8 * 0.9 + 0.2 * 0.6)
    assert round(aggregate(sections, numbers.best, numbers.mean, numbers.top).value, 4) == 0.84


def test_ex_three_way_with_full_text() -> None:
    weights = three_way_weights(Settings().threeway.alpha, Settings().threeway.fulltext_share, any_fulltext=True)
    assert weights == pytest.approx((0.7, 0.21, 0.09))
    score = three_way(value(0.8, "vector"), value(0.5, "proximity"), value(0.4, "full text"), weights)
    assert score.value == pytest.approx(0.56 + 0.105 + 0.036)
    assert round(score.value, 3) == 0.701


def test_ex_three_way_without_any_full_text_hit() -> None:
    weights = three_way_weights(Settings().threeway.alpha, Settings().threeway.fulltext_share, any_fulltext=False)
    assert weights == pytest.approx((0.7, 0.3, 0.0))
    score = three_way(value(0.8, "vector"), value(0.5, "proximity"), value(0.0, "full text"), weights)
    assert score.value == pytest.approx(0.56 + 0.15)


def test_proximity_is_1_at_hops_0_and_1_then_1_by_hops() -> None:
    assert [round(proximity(hops), 2) for hops in range(4)] == [1.0, 1.0, 0.5, 0.33]


def test_ex_classic_linear() -> None:
    numbers = Settings().classic
    shares = {
        "lexical": share_of_best("lexical", value(8.0, "BM25"), best=10.0),
        "vector": share_of_best("vector", value(0.6, "cosine"), best=0.9),
    }
    score = linear(shares, {"lexical": numbers.lexical, "vector": numbers.vector})
    assert score.value == pytest.approx(0.56 + 0.2)


def test_ex_rank_1_in_both_original_lists() -> None:
    deep = Settings().deep
    fused = rrf({"lexical": 1, "vector": 1}, {"lexical": deep.original, "vector": deep.original}).value
    assert round(fused + top_rank_bonus(1, deep.bonus), 4) == 0.1156
    assert [top_rank_bonus(rank, deep.bonus) for rank in (1, 2, 3, 4)] == [0.05, 0.02, 0.02, 0.0]


def test_ex_position_2_is_blended() -> None:
    deep = Settings().deep
    bands = ((deep.first, deep.first_trust), (deep.middle, deep.middle_trust))
    weights = [fused_weight(position, bands, deep.tail_trust) for position in (1, 3, 4, 10, 11, 20)]
    assert weights == [0.75, 0.75, 0.6, 0.6, 0.4, 0.4]
    assert blend_scores(value(0.9, "rrf"), value(0.4, "reranker"), weights[1]).value == pytest.approx(0.675 + 0.1)


def test_ex_fifty_characters_are_trusted_less() -> None:
    rerank = Settings().rerank
    assert length_penalty(50, rerank.full_trust_chars, rerank.min_trust) == pytest.approx(0.9)
