"""The chance that a result answers the query, written out in numbers."""

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.formulas.answered import AnswerFeatures, estimate_answered
from waymeet.formulas.explanation import evaluate

WORDS = AnswerFeatures(word_share=0.5, found_words=2.0, known_share=0.8, sections=200)
parts = st.floats(0.0, 1.0)
some = st.builds(
    AnswerFeatures,
    word_share=parts,
    found_words=st.floats(0.0, 9.0),
    known_share=parts,
    sections=st.integers(0, 10**7),
    similarity_steps=st.none() | st.floats(-1.0, 3.0),
    is_other_language=st.booleans(),
    is_unknown=st.booleans(),
    is_partial=st.booleans(),
)


def chance(logit: float) -> float:
    return 1.0 / (1.0 + exp(-logit))


def test_words_alone() -> None:
    logit = -0.5 + 3.9 * log(0.6 / 1.1) + 0.29 * 2.0 + 3.0 * 0.8 + 0.71 * log(20_000 / 200)
    assert estimate_answered(WORDS).value == pytest.approx(chance(logit))


def test_words_and_cosine() -> None:
    logit = -6.8 + 4.2 * 0.5 + 0.33 * log(20_000 / 200) + 5.2 * 0.9
    assert estimate_answered(WORDS._replace(similarity_steps=0.9)).value == pytest.approx(chance(logit))


def test_sections_without_vectors_are_judged_by_words() -> None:
    far = WORDS._replace(similarity_steps=-1.0)
    assert estimate_answered(far).value < 0.01
    assert estimate_answered(far._replace(is_partial=True)).value == estimate_answered(WORDS).value


def test_another_language_is_judged_by_cosine() -> None:
    near = AnswerFeatures(0.0, 0.0, 0.0, 200, similarity_steps=0.8, is_other_language=True)
    assert estimate_answered(near).value == pytest.approx(chance(-2.3 + 4.9 * 0.8))
    assert estimate_answered(near._replace(is_unknown=True)).value == pytest.approx(chance(-4.5 + 4.9 * 0.8))


def test_very_small_and_very_large_projects_do_not_differ_from_small_and_large_ones() -> None:
    sizes = [estimate_answered(WORDS._replace(sections=sections)).value for sections in (0, 10, 20_000, 10**6)]
    assert sizes[0] == sizes[1] > sizes[2] == sizes[3]


@given(some)
def test_it_is_a_chance_that_explains_itself(features: AnswerFeatures) -> None:
    estimate = estimate_answered(features)
    assert 0.0 < estimate.value < 1.0
    assert evaluate(estimate) == estimate.value


@given(some, st.sampled_from(("word_share", "found_words", "known_share", "similarity_steps")), parts)
def test_more_evidence_never_lowers_it(less: AnswerFeatures, name: str, more: float) -> None:
    if getattr(less, name) is not None:
        greater = less._replace(**{name: getattr(less, name) + more})
        assert estimate_answered(greater).value >= estimate_answered(less).value
