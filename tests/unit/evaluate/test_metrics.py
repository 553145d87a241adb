"""The metrics are those of TREC: they give the values of ir-measures."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.evaluate.collection import Collection, CollectionQuery
from waymeet.evaluate.metrics import METRICS, measure_run
from waymeet.evaluate.run import Run

THEIRS = {"nDCG@10": "nDCG@10", "R@2": "R@2", "R@5": "R@5", "R@10": "R@10", "R@100": "R@100", "MRR@10": "RR@10"}
ITEMS = [f"d{number}" for number in range(16)]
lists = st.lists(st.sampled_from(ITEMS), unique=True)
judged = st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 3), min_size=1).filter(lambda each: any(each.values()))


@given(st.lists(st.tuples(lists, judged), min_size=1, max_size=4))
def test_metrics_are_those_of_ir_measures(queries: list[tuple[list[str], dict[str, int]]]) -> None:
    names = [f"q{number}" for number in range(len(queries))]
    qrels = {name: right for name, (_, right) in zip(names, queries, strict=True)}
    ranked = {
        name: tuple((item, -float(place)) for place, item in enumerate(found))
        for name, (found, _) in zip(names, queries, strict=True)
    }
    collection = Collection("x", (), tuple(CollectionQuery(name, "") for name in names), qrels)
    ours = measure_run(collection, Run("auto", "", ranked, (0.1,) * len(names))).summary.metrics
    theirs = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in THEIRS.values()],
        [ir_measures.Qrel(name, item, score) for name, each in qrels.items() for item, score in each.items()],
        [ir_measures.ScoredDoc(name, item, score) for name, each in ranked.items() for item, score in each],
    )
    for name, other in THEIRS.items():
        assert ours[name] == pytest.approx(theirs[ir_measures.parse_measure(other)], abs=6e-5), name


def test_all_gold_wants_everything_among_the_first_five() -> None:
    right = {"a": 1, "b": 2, "c": 0}
    assert METRICS["all-gold@5"](["x", "a", "b"], right) == 1.0
    assert METRICS["all-gold@5"](["a", "x", "x1", "x2", "x3", "b"], right) == 0.0
    assert METRICS["all-gold@5"]([], right) == 0.0


def test_a_query_without_any_answer_counts() -> None:
    collection = Collection(
        "x", (), (CollectionQuery("p", ""), CollectionQuery("q", "")), {"p": {"a": 1}, "q": {"a": 1}}
    )
    summary = measure_run(collection, Run("auto", "", {"p": (("a", 1.0),)}, (0.1,))).summary
    assert summary.metrics["R@5"] == 0.5
    assert summary.queries == 2
