"""Intervals: whatever the values, they hold what they must, and are the same every time."""

from hypothesis import given
from hypothesis import strategies as st

from waymeet.formulas.metrics import bootstrap_interval, paired_interval

values = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=60)


@given(values)
def test_a_recipe_against_itself_differs_by_nothing(scores: list[float]) -> None:
    found = paired_interval(scores, scores)
    assert found == (0.0, 0.0, 0.0)
    assert found.is_within_noise


@given(values)
def test_an_interval_holds_the_mean_within_the_values_and_is_always_the_same(scores: list[float]) -> None:
    found = bootstrap_interval(scores)
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9 or len(set(scores)) == 2, "a rare value may be missed"
    assert min(scores) - 1e-9 <= found.low <= found.high <= max(scores) + 1e-9
    assert found == bootstrap_interval(scores)


@given(values, values)
def test_turned_round_a_difference_has_the_other_sign(one: list[float], other: list[float]) -> None:
    number = min(len(one), len(other))
    there, back = paired_interval(one[:number], other[:number]), paired_interval(other[:number], one[:number])
    assert abs(there.mean + back.mean) < 1e-9
    assert abs(there.low + back.high) < 1e-9


def test_many_better_queries_are_no_noise_and_one_in_many_is() -> None:
    base = [0.5] * 40
    assert not paired_interval([0.6] * 30 + [0.5] * 10, base).is_within_noise
    assert paired_interval([0.9] + [0.5] * 39, base).is_within_noise


def test_of_nothing_there_is_nothing_to_say() -> None:
    assert bootstrap_interval([]) == (0.0, 0.0, 0.0)
