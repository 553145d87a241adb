"""Scores of candidates that are placed behind others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.formulas.explanation import value
from waymeet.search.fuse.fusion import place_below
from waymeet.types import Candidate


def candidates(*scores: float) -> list[Candidate]:
    return [Candidate(f"{score}.md", (f"{score}.md#L1-L1",), value(score, "score")) for score in scores]


@pytest.mark.parametrize(
    ("leading", "further", "expected"),
    [
        pytest.param([1.0, 0.4], [0.8, 0.2], [0.4, 0.1], id="scaled to the lowest score"),
        pytest.param([1.0, 0.4], [0.4, 0.2], [0.4, 0.2], id="low enough already"),
        pytest.param([], [0.8, 0.2], [0.8, 0.2], id="nothing is leading"),
        pytest.param([1.0], [], [], id="nothing further"),
        pytest.param([1.0, 0.0], [0.8, 0.2], [0.0, 0.0], id="the lowest score is 0"),
        pytest.param([1.0, -0.5], [0.0, -0.2], [-0.5, -0.5], id="the lowest score is negative"),
    ],
)
def test_further_candidates_have_no_higher_score_than_the_leading_ones(
    leading: list[float], further: list[float], expected: list[float]
) -> None:
    placed = place_below(candidates(*leading), candidates(*further), "behind the others")
    assert [candidate.score.value for candidate in placed] == pytest.approx(expected)
    assert [candidate.document for candidate in placed] == [f"{score}.md" for score in further]


@given(st.floats(1e-6, 1.0), st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=5))
def test_rounding_never_lifts_a_further_candidate(lowest: float, scores: list[float]) -> None:
    placed = place_below(candidates(lowest), candidates(*sorted(scores, reverse=True)), "behind the others")
    found = [candidate.score.value for candidate in placed]
    assert found == sorted(found, reverse=True)
    assert found[0] <= lowest
