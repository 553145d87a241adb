"""The recipe `threeway`: golden runs worked out by hand, fallback, filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.formulas.explanation import evaluate
from waymeet.recipes.threeway import THREEWAY
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Graph, Settings
from waymeet.types import Answer, Filters, Query

if TYPE_CHECKING:
    from waymeet.ports import Vector

PAGES = {
    "a.md": Page(("alpha", "beta", "gamma"), title="A", links=("b.md",)),
    "b.md": Page(("delta",), title="B", links=("c.md",)),
    "c.md": Page(("epsilon",), title="C", doc_type="spec"),
    "d.md": Page(("zebra zebra",), title="D"),
    "e.md": Page(("zebra among other quite different words",), title="E"),
}
VECTORS = {"a.md": [(0.8, 0.6), (0.6, 0.8), (0.0, 1.0)]}
"""Only a.md has vectors: its sections are .8, .6 and 0 near to the question (1, 0)."""


def ask(query: Query, *, vectors: bool = True) -> Answer:
    embedders = (FixedEmbedder((1.0, 0.0)),) if vectors else ()
    return answer_query(THREEWAY, query, Tools(store_of(PAGES, VECTORS), embedders), Settings())


def test_golden_run_with_full_text() -> None:
    """The three terms of every document, by hand.

    a: vector 0.8·0.8 + 0.2·mean(.8, .6, 0) = 0.64 + 0.09333 = 0.73333; a start, so proximity 1; no word
       → 0.7·0.73333 + 0.21·1 = 0.72333
    b: one hop → proximity 1; no vector, no word → 0.21
    c: two hops → proximity 1/2 → 0.105
    d: the best full text → 1.0 → 0.09, not near anything
    e: "zebra" once in 6 terms against twice in 2, with 13/7 → 1.9 terms on average:
       d 2/(.25 + .75·2/1.9) = 1.92405 → 1.35495 saturated, e 1/(.25 + .75·6/1.9) = .38191 → .53113;
       .53113/1.35495 = .392 → 0.09·.392 = 0.03528
    """
    found = ask(Query("zebra", explain=True))
    scores = {hit.document: hit.score for hit in found.hits}
    assert [hit.document for hit in found.hits] == ["a.md", "b.md", "c.md", "d.md", "e.md"]
    assert scores["a.md"] == pytest.approx(0.7 * (0.8 * 0.8 + 0.2 * 1.4 / 3) + 0.21)
    assert scores["b.md"] == pytest.approx(0.21)
    assert scores["c.md"] == pytest.approx(0.105)
    assert scores["d.md"] == pytest.approx(0.09)
    assert scores["e.md"] == pytest.approx(0.03528, abs=1e-5)
    assert found.search_type == "hybrid"
    assert found.total_found == 5


def test_without_any_full_text_hit_the_graph_gets_its_part() -> None:
    scores = {hit.document: hit.score for hit in ask(Query("unheard")).hits}
    assert scores["b.md"] == pytest.approx(0.3)
    assert scores["c.md"] == pytest.approx(0.15)
    assert set(scores) == {"a.md", "b.md", "c.md"}


def test_the_breakdown_shows_all_three_terms_and_evaluates_to_the_score() -> None:
    for hit in ask(Query("zebra", explain=True)).hits:
        assert hit.explanation is not None
        assert [part.description.split(" × ")[0] for part in hit.explanation.parts] == ["α", "β", "γ"]
        assert evaluate(hit.explanation) == pytest.approx(hit.score)


def test_a_full_text_hit_alone_is_a_candidate() -> None:
    assert "d.md" in {hit.document for hit in ask(Query("zebra")).hits}


def test_the_best_three_sections_are_shown_and_an_opening_for_the_others() -> None:
    hits = {hit.document: hit for hit in ask(Query("zebra")).hits}
    assert [section.snippet for section in hits["a.md"].sections] == ["alpha", "beta", "gamma"]
    assert [section.snippet for section in hits["b.md"].sections] == ["delta"]


def test_an_opening_is_at_most_500_characters() -> None:
    pages = {"a.md": Page(("near",), links=("b.md",)), "b.md": Page(("long " * 400,))}
    store = store_of(pages, {"a.md": [(1.0, 0.0)]})
    found = answer_query(THREEWAY, Query("x"), Tools(store, (FixedEmbedder((1.0, 0.0)),)), Settings())
    assert [len(hit.sections[0].snippet) for hit in found.hits] == [4, 500]


def test_filters_count_before_the_total() -> None:
    found = ask(Query("zebra", filters=Filters(doc_types=("spec",))))
    assert [(hit.document, round(hit.score, 4)) for hit in found.hits] == [("c.md", 0.105)]  # walked to through others
    assert found.total_found == 1
    found = ask(Query("zebra", filters=Filters(paths=("a.md", "c.md"))))
    assert {hit.document for hit in found.hits} == {"a.md", "c.md"}
    assert found.total_found == 2


def test_link_types_and_depth_restrict_the_walk() -> None:
    assert {hit.document for hit in ask(Query("x", depth=1)).hits} == {"a.md", "b.md"}
    assert {hit.document for hit in ask(Query("x", depth=0)).hits} == {"a.md"}
    assert {hit.document for hit in ask(Query("x", link_types=("depends_on",))).hits} == {"a.md"}


def test_linked_pages_are_named_on_request() -> None:
    hits = {hit.document: hit for hit in ask(Query("zebra", include_linked=True)).hits}
    assert [(page.document, page.direction) for page in hits["b.md"].linked_pages] == [("c.md", "out"), ("a.md", "in")]
    assert all(not hit.linked_pages for hit in ask(Query("zebra")).hits)


def test_fulltext_fallback_without_a_model() -> None:
    found = ask(Query("zebra"), vectors=False)
    assert found.search_type == "fulltext_fallback"
    assert [each.code for each in found.degraded] == ["no_model"]
    assert [hit.document for hit in found.hits] == ["d.md", "e.md"]
    assert found.hits[0].score > 1.0  # the full-text score itself, not a share of it


def test_fulltext_fallback_without_vectors() -> None:
    store = store_of(PAGES)
    found = answer_query(THREEWAY, Query("zebra"), Tools(store, (FixedEmbedder((1.0, 0.0)),)), Settings())
    assert found.search_type == "fulltext_fallback"
    assert [each.code for each in found.degraded] == ["no_vectors"]


def test_fulltext_fallback_without_a_vector_hit_says_so() -> None:
    store = store_of(PAGES, VECTORS)
    query = Query("zebra", filters=Filters(paths=("d.md",)))
    found = answer_query(THREEWAY, query, Tools(store, (FixedEmbedder((1.0, 0.0)),)), Settings())
    assert found.search_type == "fulltext_fallback"
    assert "no_vector_hits" in [each.code for each in found.degraded]


def test_every_hit_names_its_sources_and_ranks() -> None:
    hits = {hit.document: hit for hit in ask(Query("zebra")).hits}
    assert [(each.source, each.rank) for each in hits["a.md"].sources] == [("vector", 1)]
    assert [(each.source, each.rank) for each in hits["b.md"].sources] == [("graph", 1)]
    assert [(each.source, each.rank) for each in hits["d.md"].sources] == [("lexical", 1)]
    for hit in hits.values():
        assert hit.relevance_reason
        assert hit.staleness == "unknown"
        assert 1 <= hit.start <= hit.end


def test_a_fan_out_that_bit_is_reported() -> None:
    pages = {"hub.md": Page(("hub",), links=tuple(f"{n}.md" for n in range(5)))} | {
        f"{n}.md": Page((f"page{n}",)) for n in range(5)
    }
    store = store_of(pages, {"hub.md": [(1.0, 0.0)]})
    found = answer_query(
        THREEWAY, Query("x"), Tools(store, (FixedEmbedder((1.0, 0.0)),)), Settings(graph=Graph(depth=1, fan_out=3))
    )
    assert len(found.hits) == 4
    assert "fan_out" in [each.code for each in found.degraded]


def test_many_links_to_one_page_do_not_hide_another() -> None:
    pages = {"a.md": Page(("near",), links=("b.md",) * 10 + ("c.md",)), "b.md": Page(("b",)), "c.md": Page(("c",))}
    store = store_of(pages, {"a.md": [(1.0, 0.0)]})
    numbers = Settings(graph=Graph(depth=1, fan_out=2))
    found = answer_query(THREEWAY, Query("x"), Tools(store, (FixedEmbedder((1.0, 0.0)),)), numbers)
    assert {hit.document for hit in found.hits} == {"a.md", "b.md", "c.md"}
    assert "fan_out" not in [each.code for each in found.degraded]


def test_an_embedder_that_gives_nonsense_degrades_the_answer() -> None:
    class Broken(FixedEmbedder):
        def embed_query(self, text: str) -> Vector:
            return np.full(2, np.nan, dtype=np.float32)

    found = answer_query(THREEWAY, Query("zebra"), Tools(store_of(PAGES, VECTORS), (Broken((1.0, 0.0)),)), Settings())
    assert found.search_type == "fulltext_fallback"
    assert [each.code for each in found.degraded] == ["embedding_failed"]
    assert found.hits
