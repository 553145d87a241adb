"""The recipe `deep`: golden runs, and the failure of each stage."""

import json
from collections.abc import Callable, Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING

import pytest
from support.corpus import FixedEmbedder, Page, entry, store_of
from support.model_server import ModelServer, Reply, chatting, judged, serving

from waymeet.errors import EmbeddingError, ModelError
from waymeet.formulas.explanation import evaluate
from waymeet.models.choose_rerankers import choose_expander, choose_reranker
from waymeet.models.expanders import TtlCache
from waymeet.models.remote.http import Clock
from waymeet.ports import Expander, Reranker
from waymeet.recipes.deep import DEEP
from waymeet.search.fuse.deep import blend_reranker
from waymeet.search.fuse.fusion import fuse
from waymeet.search.fuse.weighted_sum import weighted_sum
from waymeet.search.pipeline import answer_query
from waymeet.search.rank.neighbours import fuse_normalised
from waymeet.search.rank.rerank import rerank
from waymeet.search.retrieve.expansion import expand, retrieve_variants
from waymeet.search.retrieve.first_stage import lexical
from waymeet.search.state import Recipe, Stage, Tools
from waymeet.search.understand.query import understand
from waymeet.settings import Expand, Layer, Rerank, Settings, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Query, Variant

if TYPE_CHECKING:
    from waymeet.ports import Vector

PAGES = {
    "a.md": "rank rank rank",
    "b.md": "rank rank link",
    "c.md": "merging of lists",
}
VECTORS = {"a.md": [(0.6, 0.8)], "b.md": [(1.0, 0.0)], "c.md": [(0.0, 1.0)]}
"""Near to the question (1, 0): b 1, a .6, c 0."""
A, B, C = (f"{name}.md#L1-L1" for name in "abc")
ORIGINAL = FixedEmbedder((1.0, 0.0))


class Fixed:
    """A reranker and an expander with fixed answers."""

    name = "fixed"

    def __init__(self, scores: Sequence[float] = (), wordings: Sequence[str] = ()) -> None:
        self.scores = scores
        self.wordings = wordings
        self.read: list[tuple[str, Sequence[str]]] = []

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.read.append((query, texts))
        return self.scores

    def expand(self, query: str, number: int) -> Sequence[str]:
        self.read.append((query, ()))
        return self.wordings


class Broken:
    """A model that always fails."""

    name = "broken"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        raise ModelError("the model is gone", "Start it again.")

    def expand(self, query: str, number: int) -> Sequence[str]:
        raise ModelError("the model is gone", "Start it again.")


def numbers(**sections: dict[str, object]) -> Settings:
    return resolve((Layer("recipe", DEEP.overrides), Layer("test", sections)))


def ask(
    query: str | Query = "rank",
    *,
    reranker: Reranker | None = None,
    expander: Expander | None = None,
    settings: Settings | None = None,
    embedder: FixedEmbedder | None = ORIGINAL,
    store: MemoryStore | None = None,
) -> Answer:
    asked = Query(query, explain=True) if isinstance(query, str) else query
    tools = Tools(store or store_of(PAGES, VECTORS), (embedder,) if embedder else (), reranker, expander)
    found = answer_query(DEEP, asked, tools, settings or numbers())
    for hit in found.hits:
        if hit.explanation is not None:
            assert evaluate(hit.explanation) == pytest.approx(hit.score)
    return found


def scores(found: Answer) -> dict[str, float]:
    return {hit.id: round(hit.score, 4) for hit in found.hits}


def skipped(found: Answer) -> dict[str, str | None]:
    return {step.stage: step.skipped for step in found.steps}


def codes(found: Answer) -> list[str]:
    return [each.code for each in found.degraded]


def test_golden_run_without_any_model_but_vectors() -> None:
    """Lexical: a, b. Vector: b, a, c.

    a: 2/61 + 2/62 + .05 = .11504 · b: 2/62 + 2/61 + .05 = .11504 · c: 2/63 + .02 = .05175; a before b by name.
    """
    found = ask()
    assert scores(found) == {A: 0.115, B: 0.115, C: 0.0517}
    assert [hit.id for hit in found.hits] == [A, B, C]
    assert (found.mode, found.search_type, found.total_found) == ("deep", "hybrid", 3)
    assert (found.expanded, found.strong_signal, found.reranked) == ((), False, False)
    assert codes(found) == ["llm_unavailable", "no_reranker"]


def test_golden_run_with_all_stages() -> None:
    """The other wording finds c by words, and by vectors as the query does (the embedder knows one vector).

    a: 2/61 + 2/62 + 1/62 + .05 = .13117 · b: 2/62 + 2/61 + 1/61 + .05 = .13143 · c: 2/63 + 1/61 + 1/63 + .05 = .11401
    So b, a, c; shares 1, .99798, .86744; with scores .2, .4, 1 at trust .75:
    b: .75 + .25·.2 = .8 · a: .7485 + .1 = .8485 · c: .6506 + .25 = .9006
    """
    reranker = Fixed(scores=(0.2, 0.4, 1.0))
    found = ask(reranker=reranker, expander=Fixed(wordings=["merging lists"]))
    assert reranker.read == [("rank", [PAGES["b.md"], PAGES["a.md"], PAGES["c.md"]])]
    assert scores(found) == {C: 0.9006, A: 0.8485, B: 0.8}
    assert [hit.id for hit in found.hits] == [C, A, B]
    assert found.expanded == ("merging lists",)
    assert found.reranked
    assert found.degraded == ()
    assert [(each.source, each.rank) for each in found.hits[0].sources] == [
        ("vector", 3),
        ("lexical 2", 1),
        ("vector 2", 3),
    ]
    assert found.hits[0].relevance_reason.startswith("vector #3, lexical 2 #1, vector 2 #3")
    assert found.hits[0].sections[0].text == PAGES["c.md"]


def test_every_stage_is_timed_and_says_why_it_did_nothing() -> None:
    found = ask()
    stages = [step.stage for step in found.steps]
    eight = [
        "lexical",
        "strong_signal",
        "expand",
        "retrieve_variants",
        "fuse_variants",
        "rerank",
        "blend_reranker",
        "shape",
    ]
    assert [stage for stage in stages if stage in eight] == eight
    assert all(step.seconds >= 0.0 for step in found.steps)
    told = skipped(found)
    assert told["expand"] == "llm_unavailable"
    assert told["rerank"] == "no reranker configured"
    assert told["blend_reranker"] == "no_reranker"
    assert found.seconds > 0.0


CLEAR = {"best.md": "needle needle needle needle", "x.md": "hay", "y.md": "straw"}
CLOSE = {"best.md": "needle needle needle", "second.md": "needle needle needle needle"}
POOR = {"best.md": "needle needle", "x.md": "hay hay hay hay", "y.md": "straw"}
"""The best answer to “needle hay” has one word of two; the other is worth as much, but elsewhere."""


@pytest.mark.parametrize(
    ("pages", "query", "least", "gap", "clear"),
    [
        (CLEAR, "needle", 0.85, 0.15, True),
        (CLOSE, "needle", 0.85, 0.15, False),
        (CLOSE, "needle", 0.85, 0.0, True),  # so it was the gap alone
        (POOR, "needle hay needle", 0.85, 0.15, False),
        (POOR, "needle hay needle", 0.0, 0.15, True),  # so it was the score alone
        (CLEAR, "absent", 0.85, 0.15, False),
    ],
)
def test_each_condition_of_a_strong_signal_can_fail_by_itself(
    pages: dict[str, str], query: str, least: float, gap: float, clear: bool
) -> None:
    settings = numbers(deep={"clear_score": least, "clear_gap": gap})
    expander = Fixed(wordings=["other words"])
    found = ask(query, store=store_of(pages), expander=expander, embedder=None, settings=settings)
    assert found.strong_signal is clear
    assert skipped(found)["expand"] == ("strong_signal_detected" if clear else None)
    assert found.expanded == (() if clear else ("other words",))


def test_the_asker_may_want_no_expansion() -> None:
    expander = Fixed(wordings=["other"])
    found = ask(Query("rank", expand=False), expander=expander)
    assert skipped(found)["expand"] == "user_requested"
    assert expander.read == []
    assert "llm_unavailable" not in codes(found)


def test_the_askers_own_wordings_are_used_instead_of_a_models() -> None:
    expander = Fixed(wordings=["other"])
    own = (Variant("merging", "lex"), Variant("near", "vec"), Variant("a passage", "hyde"), Variant(" "))
    found = ask(Query("rank", variants=own), expander=expander)
    assert skipped(found)["expand"] == "wordings_given"
    assert expander.read == []
    assert found.expanded == ("merging", "near", "a passage")
    sources = {each.source for hit in found.hits for each in hit.sources}
    assert sources == {"lexical", "vector", "lexical 2", "vector 3", "vector 4"}


def test_at_most_six_lists_are_asked() -> None:
    found = ask(Query("rank", variants=tuple(Variant(f"rank {n}") for n in range(4))))
    sources = {each.source for hit in found.hits for each in hit.sources}
    assert sources == {"lexical", "vector", "lexical 2", "vector 2", "lexical 3", "vector 3"}
    assert "too_many_wordings" in codes(found)


def test_wordings_that_repeat_the_question_or_say_nothing_are_dropped() -> None:
    found = ask(expander=Fixed(wordings=["RANK!", " ", "merging", "Merging", "lists", "third"]))
    assert found.expanded == ("merging", "lists")
    nothing = ask(expander=Fixed(wordings=["rank", "?!"]))
    assert nothing.expanded == ()
    assert "llm_unavailable" in codes(nothing)


def test_what_the_question_rules_out_no_other_wording_brings_back() -> None:
    found = ask("rank -lists", expander=Fixed(wordings=["merging lists"]), embedder=None)
    assert [hit.document for hit in found.hits] == ["a.md", "b.md"]


def test_twenty_are_kept_unless_more_are_asked_for() -> None:
    pages = {f"{n:02}.md": "same words" for n in range(40)}
    store = store_of(pages)
    assert ask(Query("words", limit=8), store=store, embedder=None).total_found == 20
    reranker = Fixed(scores=[0.5] * 20)
    found = ask(Query("words", limit=30, explain=True), store=store, embedder=None, reranker=reranker)
    assert len(found.hits) == 30
    assert len(reranker.read[0][1]) == 20


class Fails(FixedEmbedder):
    """Fails at some texts."""

    def __init__(self, at: str) -> None:
        super().__init__((1.0, 0.0))
        self.at = at

    def embed_query(self, text: str) -> "Vector":
        if self.at in text:
            raise EmbeddingError("the embedder is gone")
        return super().embed_query(text)


def test_an_embedder_that_fails_leaves_the_words() -> None:
    found = ask(embedder=Fails("rank"), expander=Fixed(wordings=["merging"]))
    assert [hit.document for hit in found.hits] == ["a.md", "c.md", "b.md"]
    assert "embedding_failed" in codes(found)
    assert found.search_type == "lexical"


def test_an_embedder_that_fails_at_one_wording_leaves_the_others() -> None:
    found = ask(embedder=Fails("merging"), expander=Fixed(wordings=["merging", "lists"]))
    sources = {each.source for hit in found.hits for each in hit.sources}
    assert sources == {"lexical", "vector", "lexical 2", "lexical 3", "vector 3"}
    assert "embedding_failed" in codes(found)


def test_a_dead_model_leaves_the_fused_order() -> None:
    found = ask(reranker=Broken(), expander=Broken())
    assert scores(found) == scores(ask())
    assert codes(found) == ["llm_unavailable", "rerank_failed"]
    assert skipped(found)["expand"] == "llm_unavailable"
    assert skipped(found)["rerank"] == "rerank_failed"
    assert skipped(found)["blend_reranker"] == "not_reranked"
    assert all("the model is gone" in each.detail and "Start it again" in each.detail for each in found.degraded)
    assert not found.reranked


@pytest.mark.parametrize(
    "wrong", [(), (0.5,), (0.5,) * 4, (0.5, nan, 0.5), (0.5, 0.5, 1.1), ("a", "b", "c"), (-1, 0, 1)]
)
def test_scores_that_cannot_be_used_leave_the_fused_order(wrong: Sequence[float]) -> None:
    found = ask(reranker=Fixed(scores=wrong))
    assert scores(found) == scores(ask())
    assert "rerank_failed" in codes(found)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving() as one:
        yield one


BAD: dict[str, Callable[[ModelServer], None]] = {
    "garbage": lambda server: server.replies.append(Reply(body=b"\x00garbage")),
    "NaN": lambda server: server.replies.append(Reply(body=b'{"results":[{"index":0,"relevance_score":NaN}]}')),
    "too few": lambda server: server.replies.append(Reply(body=b'{"results":[{"index":0,"relevance_score":0.5}]}')),
    "wrong indices": lambda server: server.replies.append(
        Reply(body=json.dumps({"results": [{"index": n, "relevance_score": 0.5} for n in (1, 2, 3)]}).encode())
    ),
    "429": lambda server: server.replies.extend([Reply(429)] * 3),
    "500": lambda server: server.replies.extend([Reply(500)] * 3),
    "too late": lambda server: server.replies.append(Reply(never=True)),
    "huge": lambda server: server.replies.append(Reply(body=b" " * 5_000_000)),
}


@pytest.mark.parametrize("how", BAD)
def test_a_reranker_that_fails_over_http_leaves_the_fused_order_and_says_so(server: ModelServer, how: str) -> None:
    BAD[how](server)
    seconds = 0.15 if how == "too late" else 5.0
    chosen = Rerank(provider="endpoint", url=server.url, model="m", timeout_seconds=seconds)
    found = ask(reranker=choose_reranker(chosen, {}, Clock(wait=lambda _: None)))
    assert scores(found) == scores(ask())
    assert [each.code for each in found.degraded if each.stage == "rerank"] == ["rerank_failed"]
    assert not found.reranked


@pytest.mark.parametrize("how", ["garbage", "429", "500", "too late"])
def test_an_expander_that_fails_over_http_leaves_the_question_alone(server: ModelServer, how: str) -> None:
    BAD[how](server)
    seconds = 0.15 if how == "too late" else 5.0
    chosen = Expand(provider="chat", url=server.url, model="m", timeout_seconds=seconds)
    found = ask(expander=choose_expander(chosen, {}, Clock(wait=lambda _: None)))
    assert scores(found) == scores(ask())
    assert [each.code for each in found.degraded if each.stage == "expand"] == ["llm_unavailable"]


def test_both_over_http_as_they_should(server: ModelServer) -> None:
    wording = chatting({"wordings": ["merging lists", "joining rankings"]})
    server.answering = lambda body: wording(body) if "messages" in body else judged(body)
    clock = Clock()
    found = ask(
        reranker=choose_reranker(Rerank(provider="endpoint", url=server.url, model="m"), {}, clock),
        expander=choose_expander(Expand(provider="chat", url=server.url, model="m"), {}, clock),
    )
    assert found.expanded == ("merging lists", "joining rankings")
    assert found.reranked
    assert found.degraded == ()
    assert server.paths == ["/v1/chat/completions", "/v1/rerank"]


def test_scores_are_remembered_until_a_text_changes() -> None:
    store = store_of(PAGES, VECTORS)
    reranker = Fixed(scores=(0.2, 0.4, 1.0))
    tools = Tools(store, (ORIGINAL,), reranker, reranker_cache=TtlCache(300.0, 10))
    first, second = (answer_query(DEEP, Query("rank"), tools, numbers()) for _ in range(2))
    assert first.hits == second.hits
    assert len(reranker.read) == 1
    store.put([entry("a.md", Page(("rank rank ranks",)))])
    answer_query(DEEP, Query("rank"), tools, numbers())
    assert len(reranker.read) == 2


def test_a_query_without_words_or_models_is_empty_and_says_so() -> None:
    found = ask("?!", embedder=None)
    assert found.hits == ()
    assert "no_words" in codes(found)


@pytest.mark.parametrize("fusion", [fuse, fuse_normalised, weighted_sum])
@pytest.mark.parametrize("kind", ["rrf", "linear"])
def test_other_fusions_take_the_lists_of_other_wordings_too(fusion: Stage, kind: str) -> None:
    recipe = Recipe("own", "", (understand, lexical, expand, retrieve_variants, fusion, rerank, blend_reranker))
    tools = Tools(
        store_of(PAGES, VECTORS), (ORIGINAL,), Fixed(scores=(0.2, 0.4, 1.0)), Fixed(wordings=["merging lists"])
    )
    found = answer_query(recipe, Query("rank", explain=True), tools, numbers(classic={"fusion": kind}))
    assert {hit.id for hit in found.hits} == {A, B, C}
    assert found.search_type == "hybrid"
    for hit in found.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score)
