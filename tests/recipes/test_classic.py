"""The recipe `classic`: both fusions worked out by hand, modes, missing vectors."""

import pytest
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.errors import UnknownRecipeError
from waymeet.formulas.explanation import evaluate
from waymeet.recipes.classic import CLASSIC
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.types import Answer, Query

PAGES = {
    "a.md": Page(("rank rank rank", "vector only")),
    "b.md": Page(("rank and vectors together",)),
}
VECTORS = {"a.md": [(0.0, 1.0), (1.0, 0.0)], "b.md": [(0.8, 0.6)]}
"""Near to the question (1, 0): a's second section 1, b's section .8, a's first section 0."""


def numbers(**classic: object) -> Settings:
    return resolve((Layer("recipe", CLASSIC.overrides), Layer("test", {"classic": classic})))


def ask(query: Query, settings: Settings | None = None, *, vectors: bool = True) -> Answer:
    embedders = (FixedEmbedder((1.0, 0.0)),) if vectors else ()
    return answer_query(CLASSIC, query, Tools(store_of(PAGES, VECTORS), embedders), settings or numbers())


def test_golden_run_by_rank() -> None:
    """Lexical: a1 before b1 (three times "rank", and shorter). Vector: a2, b1, a1.

    a1: 1/61 + 1/63 = 0.03227 · b1: 1/62 + 1/62 = 0.03226 · a2: 1/61 = 0.01639
    """
    found = ask(Query("rank"))
    assert [(hit.id, round(hit.score, 5)) for hit in found.hits] == [
        ("a.md#L1-L1", 0.03227),
        ("b.md#L1-L1", 0.03226),
        ("a.md#L2-L2", 0.01639),
    ]
    assert [(each.source, each.rank) for each in found.hits[0].sources] == [("lexical", 1), ("vector", 3)]


def test_golden_run_by_score() -> None:
    """0.7·bm25/max + 0.3·vec/max, where "rank" stands three times in a1 and once in b1, both of three terms.

    The sections have 3, 2 and 3 terms, 2.7 on average: norm .25 + .75·3/2.7 = 1.08333.
    a1: 3/1.08333 = 2.76923, saturated 2.76923·2.2/3.96923 = 1.53488 · b1: .92308 → .95652, a part of .62319
    a1: .7·1 + .3·0 = .7 · b1: .7·.62319 + .3·.8 = .67623 · a2: .3·1 = .3
    """
    found = ask(Query("rank", explain=True), numbers(fusion="linear"))
    assert [(hit.id, round(hit.score, 5)) for hit in found.hits] == [
        ("a.md#L1-L1", 0.7),
        ("b.md#L1-L1", 0.67623),
        ("a.md#L2-L2", 0.3),
    ]
    for hit in found.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score)


def test_bm25_only_asks_words_alone_and_is_not_degraded() -> None:
    found = ask(Query("rank", mode="bm25_only"), vectors=False)
    assert [hit.id for hit in found.hits] == ["a.md#L1-L1", "b.md#L1-L1"]
    assert found.degraded == ()
    assert {step.stage: step.skipped for step in found.steps}["vector"] == "mode bm25_only"
    assert found.search_type == "lexical"


def test_golden_run_of_words_alone() -> None:
    """The score is BM25 itself: "rank" is in two of three sections, so its rarity is ln(1.5/2.5 + 1) = .47.

    a1: .47·1.53488 = .7214 · b1: .47·.95652 = .44957
    """
    found = ask(Query("rank", mode="bm25_only"))
    assert [(hit.id, round(hit.score, 5)) for hit in found.hits] == [("a.md#L1-L1", 0.7214), ("b.md#L1-L1", 0.44957)]


def test_vec_only_asks_meaning_alone() -> None:
    found = ask(Query("rank", mode="vec_only"))
    assert [(hit.id, round(hit.score, 4)) for hit in found.hits] == [
        ("a.md#L2-L2", 1.0),
        ("b.md#L1-L1", 0.8),
        ("a.md#L1-L1", 0.0),
    ]
    assert found.search_type == "vector"


def test_vec_only_without_a_model_finds_nothing_and_says_why() -> None:
    found = ask(Query("rank", mode="vec_only"), vectors=False)
    assert found.hits == ()
    assert [each.code for each in found.degraded] == ["no_model"]


def test_hybrid_without_a_model_answers_from_words_and_says_so() -> None:
    found = ask(Query("rank"), vectors=False)
    assert [hit.id for hit in found.hits] == ["a.md#L1-L1", "b.md#L1-L1"]
    assert [each.code for each in found.degraded] == ["no_model"]
    assert found.search_type == "lexical"


def test_the_pool_is_five_times_the_limit() -> None:
    pages = {f"{n:02}.md": Page(("same words here",)) for n in range(20)}
    found = answer_query(CLASSIC, Query("words", limit=2, mode="bm25_only"), Tools(store_of(pages)), numbers())
    assert found.total_found == 10
    assert len(found.hits) == 2


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(UnknownRecipeError, match="no mode 'deep'"):
        ask(Query("rank", mode="deep"))


def test_the_title_weighs_eight_times_the_body() -> None:
    pages = {"body.md": Page(("rank other",), title="other"), "title.md": Page(("other other",), title="rank")}
    found = answer_query(CLASSIC, Query("rank", mode="bm25_only"), Tools(store_of(pages)), numbers())
    assert [hit.document for hit in found.hits] == ["title.md", "body.md"]


def test_linear_does_not_reward_the_less_similar_of_two_opposites() -> None:
    store = store_of({"a.md": "x", "b.md": "y"}, {"a.md": [(-0.1, 1.0)], "b.md": [(-1.0, 0.1)]})
    found = answer_query(CLASSIC, Query("z"), Tools(store, (FixedEmbedder((1.0, 0.0)),)), numbers(fusion="linear"))
    assert [(hit.document, hit.score) for hit in found.hits] == [("a.md", 0.0), ("b.md", 0.0)]
