"""Tuning of weights finds better ones, and refuses gains that may be chance."""

from collections.abc import Mapping

import pytest

from waymeet.evaluate.collection import Collection, CollectionQuery, sample_queries
from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, MeasuredRun, MetricSummary, summarise_comparisons
from waymeet.evaluate.tuning import WEIGHT_KEYS, leave_one_out, split_queries, tune_weights
from waymeet.settings.layers import list_keys

BEFORE = {"auto.name_bonus": 0.6, "bm25.fields.headings": 2.0}


def _collection(name: str, number: int = 60) -> Collection:
    queries = tuple(CollectionQuery(f"{name}-{each}", "x") for each in range(number))
    return Collection(name, (), queries, {query.id: {"a": 1} for query in queries})


def _measured(collection: Collection, scores: Mapping[str, float]) -> MeasuredRun:
    return MeasuredRun(MetricSummary(collection.name, "auto", len(scores), {}, {}), {MAIN_METRIC: scores})


def test_what_is_tuned_can_be_set() -> None:
    assert set(WEIGHT_KEYS) <= {key for key, _ in list_keys()}


def test_halves_are_all_and_nothing_twice() -> None:
    collection = _collection("commits", 31)
    (one,), (other,) = split_queries([collection])
    ids = [query.id for query in (*one.queries, *other.queries)]
    assert sorted(ids) == sorted(query.id for query in collection.queries)
    assert abs(len(one.queries) - len(other.queries)) == 1
    assert split_queries([collection]) == ([one], [other])


def test_a_better_weight_is_found_and_proven() -> None:
    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        good = 1 - abs(weights["auto.name_bonus"] - 1.2)
        return _measured(collection, {query.id: good for query in collection.queries})

    progress: list[tuple[int, int, str]] = []
    tuned = tune_weights(
        [_collection("commits"), _collection("links")], measure, BEFORE, lambda *args: progress.append(args)
    )
    assert tuned.after == {"auto.name_bonus": 1.2}
    assert tuned.refusal == ""
    assert [each.collection for each in tuned.held_out] == ["all", "commits", "links"]
    assert tuned.held_out[0].difference == pytest.approx(0.6)
    assert all(done <= total for done, total, _ in progress)


def test_what_helps_only_where_it_was_searched_is_refused() -> None:
    training = {query.id for query in split_queries([_collection("commits")])[0][0].queries}

    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        gain = 0.3 if weights["auto.name_bonus"] != 0.6 else 0.0
        return _measured(
            collection,
            {
                query.id: 0.5 + (gain if query.id in training else gain * (0.1 if at % 2 else -0.1))
                for at, query in enumerate(collection.queries)
            },
        )

    tuned = tune_weights([_collection("commits")], measure, BEFORE)
    assert tuned.after
    assert tuned.training
    assert tuned.training.verdict == "better"
    assert "within noise" in tuned.refusal


def test_a_step_that_may_be_chance_is_not_taken() -> None:
    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        moved = weights["auto.name_bonus"] != 0.6
        gains = [0.2 if at % 2 else -0.19 for at in range(len(collection.queries))]
        scores = {query.id: 0.5 + gain * moved for query, gain in zip(collection.queries, gains, strict=True)}
        return _measured(collection, scores)

    assert not tune_weights([_collection("commits")], measure, BEFORE).after, (
        "on the whole better, but less than by chance"
    )


def test_what_helps_one_kind_at_the_cost_of_another_is_refused() -> None:
    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        gain = weights["auto.name_bonus"] * (0.3 if collection.name == "commits" else -0.1)
        return _measured(collection, {query.id: 0.5 + gain for query in collection.queries})

    assert not tune_weights([_collection("commits"), _collection("links")], measure, BEFORE).after, (
        "not even tried further"
    )
    tuned = tune_weights([_collection("commits"), _collection("links", 9)], measure, BEFORE)
    assert tuned.refusal == "results get worse for links", "too few to stop the search, but enough to judge it"


def test_labels_do_not_judge_what_was_withheld_from_them() -> None:
    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        gain = -weights["bm25.fields.headings"] / 10 if collection.name == "headings" else 0.0
        return _measured(collection, {query.id: 0.5 + gain for query in collection.queries})

    tuned = tune_weights([_collection("headings"), _collection("links")], measure, BEFORE)
    assert not tuned.after
    assert "no other weights were better" in tuned.refusal


def test_a_sample_holds_the_smaller_ones() -> None:
    collection = _collection("commits", 31)
    few, more = (sample_queries(collection, number).queries for number in (5, 9))
    assert (len(few), len(more)) == (5, 9)
    assert set(few) < set(more)
    assert sample_queries(collection, 0) == sample_queries(collection, 31) == collection


def test_weights_fitted_to_one_collection_show_when_it_is_left_out() -> None:
    """All others are best with a small bonus; the current value fits the odd one."""

    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        ideal = 0.6 if collection.name == "odd" else 0.3
        good = 1 - abs(weights["auto.name_bonus"] - ideal)
        return _measured(collection, {query.id: good for query in collection.queries})

    collections = [_collection("odd", 9), _collection("b"), _collection("c"), _collection("d", 5)]
    odd, *others = leave_one_out(collections, measure, BEFORE)
    assert odd.changed_weights == {"auto.name_bonus": (0.6, 0.3)}
    assert (odd.before, odd.after, odd.comparison.verdict) == (1.0, 0.7, "worse")
    assert [each.comparison.verdict for each in others] == ["better"] * 3
    assert (odd.comparison.against, odd.comparison.queries) == ("current weights", 9)


def test_what_gains_by_itself_may_lose_together() -> None:
    measured = []

    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        measured.append((collection.name, dict(weights)))
        moved = [weights["auto.name_bonus"] == 1.2, weights["bm25.fields.headings"] == 1.0]
        good = 0.5 + 0.1 * moved[0] + 0.2 * moved[1] - 0.4 * all(moved)
        return _measured(collection, {query.id: good for query in collection.queries})

    for each in leave_one_out([_collection("a", 3), _collection("b", 3), _collection("c", 3)], measure, BEFORE):
        assert each.changed_weights == {"bm25.fields.headings": (2.0, 1.0)}
    keys = [(name, tuple(weights.items())) for name, weights in measured]
    assert len(keys) == len(set(keys)), "nothing is measured twice"


def test_a_collection_that_two_steps_do_not_change_is_not_measured_again() -> None:
    measured = []

    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        measured.append(weights["auto.name_bonus"])
        return _measured(collection, {query.id: 0.5 for query in collection.queries})

    leave_one_out([_collection(name, 3) for name in "abc"], measure, {"auto.name_bonus": 0.6})
    assert sorted(set(measured)) == [0.3, 0.6, 1.2]


def test_shares_end_at_one() -> None:
    measured = []

    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        measured.append(weights["auto.vector_weight_prose"])
        return _measured(collection, {query.id: weights["auto.vector_weight_prose"] for query in collection.queries})

    leave_one_out([_collection(name, 3) for name in "abc"], measure, {"auto.vector_weight_prose": 0.9})
    assert max(measured) == 0.9


def test_differences_over_collections_count_the_same() -> None:
    rows = [
        Comparison("a", "x", "y", MAIN_METRIC, 0.3, 0.2, 0.4, 9, 0, 10),
        Comparison("b", "x", "y", MAIN_METRIC, -0.1, -0.2, -0.05, 0, 9, 1000),
        Comparison("c", "x", "y", MAIN_METRIC, 0.1, -0.1, 0.3, 5, 5, 10),
        Comparison("a", "z", "y", MAIN_METRIC, 0.0, 0.0, 0.0, 0, 0, 10),
    ]
    x, z = summarise_comparisons(rows)
    assert (x.name, x.mean, x.worst.collection, x.best.collection) == ("x", 0.1, "b", "a")
    assert (x.better, x.worse) == (("a",), ("b",))
    half_width = (0.1**2 + 0.075**2 + 0.2**2) ** 0.5 / 3
    assert (x.low, x.high) == pytest.approx((0.1 - half_width, 0.1 + half_width), abs=1e-4)
    assert (z.mean, z.low, z.high) == (0.0, 0.0, 0.0)
