"""Bonuses: further parts of a bonus sum, but not of another sum with any description."""

import pytest

from waymeet.formulas.explanation import evaluate, product, total, value
from waymeet.search.rank.bonus import BonusSum, add_bonus, new_candidate
from waymeet.types import Candidate, SourceRank

RANK = SourceRank("graph", 1, 0.5)


def test_bonuses_are_parts_of_one_sum() -> None:
    fused = value(1.0, "fused")
    candidate = add_bonus(Candidate("a.md", ("a.md#L1-L1",), fused), value(0.5, "link"), RANK)
    candidate = add_bonus(candidate, value(0.25, "name"), RANK)
    assert candidate.score.parts == (fused, value(0.5, "link"), value(0.25, "name"))
    assert candidate.score.value == evaluate(candidate.score) == 1.75
    assert candidate.sources == (RANK, RANK)


def test_a_candidate_found_by_a_bonus_takes_further_ones() -> None:
    candidate = add_bonus(new_candidate("a.md", "a.md#L1-L1", value(0.5, "link"), RANK), value(0.25, "name"), RANK)
    assert candidate.score.parts == (value(0.5, "link"), value(0.25, "name"))


@pytest.mark.parametrize("description", ["fused", "score with bonuses", "sum of bonuses"])
def test_descriptions_decide_nothing(description: str) -> None:
    score = total(description, value(1.0, "lexical"), value(2.0, "vector"))
    candidate = add_bonus(Candidate("a.md", (), score), value(0.5, "link"), RANK)
    assert candidate.score.parts == (score, value(0.5, "link"))


def test_a_changed_score_is_no_bonus_sum() -> None:
    boosted = new_candidate("a.md", "a.md#L1-L1", value(0.5, "link"), RANK)
    assert isinstance(boosted.score, BonusSum)
    scaled = product("scaled", boosted.score, value(2.0, "factor"))
    candidate = add_bonus(Candidate("a.md", (), scaled), value(0.25, "name"), RANK)
    assert candidate.score.parts == (scaled, value(0.25, "name"))
