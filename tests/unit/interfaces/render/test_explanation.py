"""The summary of a score: its signals add up to the score for every form of tree."""

import pytest

from waymeet.formulas.explanation import largest, product, quotient, total, value
from waymeet.interfaces.render.explanation import list_signals, summary_lines
from waymeet.interfaces.render.text import plain_line
from waymeet.types import Explanation

WORDS = total(
    "BM25F",
    product("“keys” in body", value(1.0, "idf"), value(0.5, "tf")),
    product("“rotate” in title", value(1.0, "idf"), value(1.5, "tf")),
)
LEXICAL = product("lexical × 0.4", value(0.4, "weight"), quotient("lexical / best", WORDS, value(4.0, "best")))
VECTOR = product(
    "vector × 0.6",
    value(0.6, "weight"),
    quotient("vector / best", total("cosine − min", value(0.8, "cosine"), value(-0.5, "min")), value(0.5, "best")),
)
BOTH = total("lexical + vector", LEXICAL, VECTOR)
BONUS = product("name match", value(0.6, "weight"), value(0.5, "share of query"))
CAPPED = total(
    "capped at 0.8 × score of a.md", product("cap", value(0.8, "part"), value(1.0, "score")), value(-0.7, "")
)


@pytest.mark.parametrize(
    ("tree", "labels"),
    [
        (BOTH, {"lexical × 0.4": 0.2, "vector × 0.6": 0.36}),
        (total("with bonus", BOTH, BONUS), {"lexical × 0.4": 0.2, "vector × 0.6": 0.36, "name match": 0.3}),
        (product("× factor", BOTH, value(2.0, "factor")), {"lexical × 0.4": 0.4, "vector × 0.6": 0.72}),
        (quotient("/ best", BOTH, value(0.56, "best")), {"lexical × 0.4": 0.2 / 0.56, "vector × 0.6": 0.36 / 0.56}),
        (largest("best section", BOTH, BONUS), {"lexical × 0.4": 0.2, "vector × 0.6": 0.36}),
        (total("with links", BONUS, CAPPED), {"name match": 0.3, "capped at 0.8 × score of a.md": 0.1}),
        (total("with feedback", BOTH, product("feedback", value(-0.1, "votes"), value(1.0, "best"))), None),
        (product("reranker × trust", value(0.9, "reranker"), value(0.5, "trust")), {"reranker × trust": 0.45}),
    ],
)
def test_signals_add_up_to_the_score(tree: Explanation, labels: dict[str, float] | None) -> None:
    signals = list_signals(tree)
    assert sum(signal.value for signal in signals) == pytest.approx(tree.value)
    assert sum(signal.share for signal in signals) == pytest.approx(1.0)
    if labels is not None:
        assert {signal.label: signal.value for signal in signals} == pytest.approx(labels)


def test_matched_words_belong_to_the_lexical_signal() -> None:
    words = {signal.label: signal.words for signal in list_signals(BOTH)}
    assert words == {"lexical × 0.4": (("“rotate” in title", 0.75), ("“keys” in body", 0.25)), "vector × 0.6": ()}


def test_a_summary_is_a_bar_for_each_signal_and_a_line_for_each_word() -> None:
    assert [plain_line(line) for line in summary_lines(BOTH, 0.5)] == [
        "   vector × 0.6  ██████░░░░ 0.3600",
        "   lexical × 0.4 ████░░░░░░ 0.2000",
        "     “rotate” in title  75%",
        "     “keys” in body  25%",
        "   estimated relevance 0.50",
    ]


def test_a_score_without_addends_is_shown_with_its_factors() -> None:
    tree = product("reranker × trust", value(0.9, "reranker"), value(0.5, "trust in 40 characters"))
    assert [plain_line(line) for line in summary_lines(tree)] == [
        "   reranker × trust ██████████ 0.4500",
        "     0.9  reranker",
        "     0.5  trust in 40 characters",
    ]


def test_a_score_of_zero_and_many_signals_fit() -> None:
    assert [plain_line(line) for line in summary_lines(total("none", value(0.0, "nothing")))] == [
        "   nothing ░░░░░░░░░░ 0.0000"
    ]
    lines = [plain_line(line) for line in summary_lines(total("many", *(value(1.0, f"link {n}") for n in range(10))))]
    assert len(lines) == 9
    assert lines[-1] == "   and 2 more signals: 2.0000"
