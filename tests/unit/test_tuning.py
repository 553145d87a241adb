"""The search for weights: it finds what is better, and refuses what is chance."""

from collections.abc import Mapping

import pytest

from waymeet.evaluate.collection import Asked, Collection
from waymeet.evaluate.measures import MAIN, Measured, Worth
from waymeet.evaluate.tuning import KEYS, halves, tune
from waymeet.settings.layers import keys

BEFORE = {"auto.exact": 0.6, "bm25.fields.headings": 2.0}


def _collection(name: str, number: int = 60) -> Collection:
    queries = tuple(Asked(f"{name}-{each}", "x") for each in range(number))
    return Collection(name, (), queries, {query.id: {"a": 1} for query in queries})


def _measured(collection: Collection, scores: Mapping[str, float]) -> Measured:
    return Measured(Worth(collection.name, "auto", len(scores), {}, {}), {MAIN: scores})


def test_what_is_tuned_can_be_set() -> None:
    assert set(KEYS) <= {key for key, _ in keys()}


def test_halves_are_all_and_nothing_twice() -> None:
    collection = _collection("commits", 31)
    (one,), (other,) = halves([collection])
    ids = [query.id for query in (*one.queries, *other.queries)]
    assert sorted(ids) == sorted(query.id for query in collection.queries)
    assert abs(len(one.queries) - len(other.queries)) == 1
    assert halves([collection]) == ([one], [other])


def test_a_better_weight_is_found_and_proven() -> None:
    def ask(collection: Collection, weights: Mapping[str, float]) -> Measured:
        good = 1 - abs(weights["auto.exact"] - 1.2)
        return _measured(collection, {query.id: good for query in collection.queries})

    told: list[tuple[int, int, str]] = []
    tuned = tune([_collection("commits"), _collection("links")], ask, BEFORE, lambda *each: told.append(each))
    assert tuned.after == {"auto.exact": 1.2}
    assert tuned.refusal == ""
    assert [each.collection for each in tuned.held_out] == ["all", "commits", "links"]
    assert tuned.held_out[0].difference == pytest.approx(0.6)
    assert all(done <= total for done, total, _ in told)


def test_what_helps_only_where_it_was_searched_is_refused() -> None:
    learnt = {query.id for query in halves([_collection("commits")])[0][0].queries}

    def ask(collection: Collection, weights: Mapping[str, float]) -> Measured:
        gain = 0.3 if weights["auto.exact"] != 0.6 else 0.0
        return _measured(
            collection,
            {
                query.id: 0.5 + (gain if query.id in learnt else gain * (0.1 if at % 2 else -0.1))
                for at, query in enumerate(collection.queries)
            },
        )

    tuned = tune([_collection("commits")], ask, BEFORE)
    assert tuned.after
    assert tuned.learnt
    assert tuned.learnt.verdict == "better"
    assert "within noise" in tuned.refusal


def test_what_helps_one_kind_at_the_cost_of_another_is_refused() -> None:
    def ask(collection: Collection, weights: Mapping[str, float]) -> Measured:
        gain = weights["auto.exact"] * (0.3 if collection.name == "commits" else -0.1)
        return _measured(collection, {query.id: 0.5 + gain for query in collection.queries})

    assert not tune([_collection("commits"), _collection("links")], ask, BEFORE).after, "not even tried further"
    tuned = tune([_collection("commits"), _collection("links", 9)], ask, BEFORE)
    assert tuned.refusal == "it makes answers worse for links", "too few to stop the search, but enough to judge it"


def test_labels_do_not_judge_what_was_withheld_from_them() -> None:
    def ask(collection: Collection, weights: Mapping[str, float]) -> Measured:
        gain = -weights["bm25.fields.headings"] / 10 if collection.name == "headings" else 0.0
        return _measured(collection, {query.id: 0.5 + gain for query in collection.queries})

    tuned = tune([_collection("headings"), _collection("links")], ask, BEFORE)
    assert not tuned.after
    assert "no other weights were better" in tuned.refusal
