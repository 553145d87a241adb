"""The recipe `memory`: worked examples, golden runs, exclusions, boosts, degradation."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.analysis.intent import guess_intent
from waymeet.formulas.explanation import evaluate, value
from waymeet.formulas.fusion import rrf
from waymeet.formulas.memory import boost_converged, final_score, importance, retrievability, stability_of
from waymeet.recipes.memory import MEMORY
from waymeet.search.feedback.half_life import HALF_LIVES
from waymeet.search.feedback.reviews import Review
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Explanation, Filters, Query

DAY = 86_400_000_000_000
NOW = 20_000 * DAY
PAGES = {
    "a.md": Page(("rank rank rank",), links=("c.md|supersedes",)),
    "b.md": Page(("rank rank link",)),
    "c.md": Page(("merging of lists",)),
}
VECTORS = {"a.md": [(0.6, 0.8)], "b.md": [(1.0, 0.0)], "c.md": [(0.0, 1.0)]}
"""Near to the question (1, 0): b 1, a .6, c 0."""


def numbers(**sections: dict[str, object]) -> Settings:
    return resolve((Layer("recipe", MEMORY.overrides), Layer("test", sections)))


def ask(
    query: str | Query = "rank",
    store: MemoryStore | None = None,
    *,
    vectors: bool = True,
    tools: dict[str, Any] | None = None,
    **sections: dict[str, object],
) -> Answer:
    asked = Query(query, explain=True) if isinstance(query, str) else query
    embedders = (FixedEmbedder((1.0, 0.0)),) if vectors else ()
    whole = Tools(store or store_of(PAGES, VECTORS), embedders, now=lambda: NOW)._replace(**(tools or {}))
    found = answer_query(MEMORY, asked, whole, numbers(**sections))
    for hit in found.hits:
        if hit.explanation is not None:
            assert evaluate(hit.explanation) == pytest.approx(hit.score)
    return found


def scores(found: Answer) -> dict[str, float]:
    return {hit.document: round(hit.score, 4) for hit in found.hits}


def codes(found: Answer) -> list[str]:
    return [each.code for each in found.degraded]


def test_ex_three_lists_are_fused_and_agree() -> None:
    memory = Settings().memory
    fused = rrf({"vector": 2, "lexical": 5, "graph": 1}, {"graph": memory.graph}, Settings().rrf.k)
    assert round(fused.value, 4) == 0.0561
    assert round(boost_converged(fused, 3, memory.convergence).value, 4) == 0.0617
    assert boost_converged(fused, 1, memory.convergence) is fused


def test_ex_a_plan_while_fixing_a_bug() -> None:
    memory = Settings().memory
    parts = value(1.0, "s"), value(0.5, "R"), value(importance("normal"), "I")
    score = final_score(*parts, memory.weights("fix_bug"), value(memory.doc_type("plan"), "plan"))
    assert round(score.value, 4) == 0.8017


@pytest.mark.parametrize("kind", HALF_LIVES)
def test_ex_half_is_left_after_the_half_life(kind: str) -> None:
    life = HALF_LIVES[kind]
    assert retrievability(life or 1e6, life and stability_of(life)) == pytest.approx(0.5 if life else 1.0)


def test_ex_intents() -> None:
    fix = guess_intent("fix login crash after update")
    assert (fix.intent, fix.score) == ("fix_bug", 5.0)
    assert guess_intent("add dark mode feature").intent == "add_feature"
    assert guess_intent("semantic search").intent == "understand"


def test_the_specified_numbers() -> None:
    memory = Settings().memory
    kinds = ("supersedes", "caused", "enabled", "supports", "derived_from", "contradicts", "references")
    assert [memory.edge(kind) for kind in kinds] == [1.5, 1.3, 1.1, 1.0, 1.0, 0.8, 1.0]
    types = (
        "constitutional",
        "spec",
        "decision_record",
        "plan",
        "tasks",
        "implementation_summary",
        "memory",
        "scratch",
    )
    assert [memory.doc_type(each) for each in types] == [2.0, 1.4, 1.4, 1.3, 1.1, 1.1, 1.0, 0.6]
    intents = ("add_feature", "fix_bug", "refactor", "security_audit", "understand", "find_spec", "find_decision")
    assert [memory.weights(each) for each in intents] == [
        (0.3, 0.4, 0.3),
        (0.5, 0.2, 0.3),
        (0.2, 0.3, 0.5),
        (0.1, 0.5, 0.4),
        (0.2, 0.3, 0.5),
        (0.1, 0.5, 0.4),
        (0.1, 0.5, 0.4),
    ]
    tiers = ("constitutional", "critical", "important", "normal", "temporary", "deprecated")
    assert [round(importance(tier) * 3, 4) for tier in tiers] == [3.0, 2.0, 1.5, 1.0, 0.5, 0.0]


def test_golden_run() -> None:
    """Lexical: a, b. Vector: b, a, c. All three start the walk; a and c reach each other.

    Graph: c (1/61 + 1/62)·1.5·.5 = .0244, a 1/63·1.5·.5 = .0119.
    Fused ×1.1: a (1/61 + 1/62 + 1.5/62) = .06239 · c (1/63 + 1.5/61) = .04451 · b (1/62 + 1/61) = .03577.
    No page has a date or tier: .5·fused/best + .2·1 + .3/3: a .8 · c .6567 · b .5867.
    """
    found = ask()
    assert scores(found) == {"a.md": 0.8, "c.md": 0.6567, "b.md": 0.5867}
    assert [(each.source, each.rank) for each in found.hits[0].sources] == [("lexical", 1), ("vector", 2), ("graph", 2)]
    assert [(each.source, each.rank) for each in found.hits[1].sources] == [("vector", 3), ("graph", 1)]
    assert found.hits[1].sources[1].score == pytest.approx((1 / 61 + 1 / 62) * 0.75)
    assert found.degraded == ()
    assert "intent understand by default" in found.notes


def test_the_way_to_an_entry_loses_half_at_every_hop_and_the_best_way_counts() -> None:
    """From a, alone found: b behind one link, c behind two; caused weighs 1.3."""
    pages = {
        "a.md": Page(("needle",), links=("b.md|caused", "b.md")),
        "b.md": Page(("hay",), links=("c.md|supports",)),
        "c.md": Page(("straw",), links=("d.md|supports",)),
        "d.md": Page(("grass",)),
    }
    found = ask("needle", store_of(pages), vectors=False)
    graph = {hit.document: each.score for hit in found.hits for each in hit.sources if each.source == "graph"}
    assert graph == {
        "b.md": pytest.approx(1 / 61 * 1.3 * 0.5),
        "c.md": pytest.approx(1 / 61 * 1.3 * 0.5 * 0.5),
    }


def test_the_explanation_tells_the_way_its_links_and_their_weights() -> None:
    found = ask()
    (c,) = [hit for hit in found.hits if hit.document == "c.md"]

    def trees(tree: Explanation) -> Iterator[Explanation]:
        yield tree
        for part in tree.parts:
            yield from trees(part)

    assert c.explanation is not None
    (way,) = [each for each in trees(c.explanation) if each.description.startswith("reached from a.md:")]
    assert [(each.description, round(each.value, 5)) for each in way.parts] == [
        ("fused score of a.md", 0.03252),
        ("weight of link supersedes", 1.5),
        ("decay = 0.5^1 (1 hop)", 0.5),
    ]
    assert way.value == pytest.approx(c.sources[1].score)


def test_a_section_speaks_for_its_whole_entry() -> None:
    store = store_of({"a.md": Page(("rank one", "rank rank two"))})
    found = ask("rank", store, vectors=False)
    assert [hit.document for hit in found.hits] == ["a.md"]
    assert found.total_found == 1


def page(tier: str = "", doc_type: str = "other", days: float = 0.0, **properties: str) -> Page:
    said = {**({"tier": tier} if tier else {}), **properties}
    return Page(("rank",), doc_type=doc_type, properties=said, modified_ns=int(NOW - days * DAY) if days else 0)


def test_recency_importance_and_kind_decide_between_equals() -> None:
    """Nearness is 1, 61/62, 61/63; fixing a bug weighs recency .5, importance .2, nearness .3."""
    pages = {
        "a.md": page(days=7, memory_type="episodic"),
        "b.md": page(tier="critical"),
        "c.md": page(doc_type="scratch"),
    }
    found = ask(Query("rank", intent="fix_bug", explain=True), store_of(pages), vectors=False)
    third = 1 / 3
    assert scores(found) == {
        "b.md": round(0.3 * 61 / 62 + 0.5 + 0.2 * 2 / 3, 4),
        "a.md": round(0.3 + 0.5 * 0.5 + 0.2 * third, 4),
        "c.md": round((0.3 * 61 / 63 + 0.5 + 0.2 * third) * 0.6, 4),
    }
    assert "intent fix_bug" in found.notes


def test_reading_an_entry_renews_it() -> None:
    store = store_of({"a.md": page(days=7, memory_type="episodic")})
    old, renewed = (ask("rank", store, vectors=False, tools={"reviews": used}) for used in ({}, {"a.md": Review(NOW)}))
    assert renewed.hits[0].score - old.hits[0].score == pytest.approx(0.2 * 0.5)


def test_a_reviewed_entry_decays_more_slowly_and_shows_the_inputs() -> None:
    """S = 14 days instead of 7·19/243: (1 + 19/81·7/14)^-.5, and with the switch off .5 as without a review."""
    store = store_of({"a.md": page(days=7, memory_type="episodic")})
    review = Review(NOW - 7 * DAY, reviews=3, stability=14.0, difficulty=2.5, half_life_days=7.0)
    tools = {"reviews": {"a.md": review}}
    found = ask("rank", store, vectors=False, tools=tools)
    recency = (1 + 19 / 81 * 7 / 14) ** -0.5
    assert scores(found) == {"a.md": round(0.5 + 0.2 * recency + 0.3 / 3, 4)}
    assert any(
        "(1 + 19/81·t/S)^-0.5, t = 7 days since the last review, S = 14 days (half-life 7 days, 3 reviews, "
        "difficulty 2.50)" in description
        for description in descriptions(found.hits[0].explanation)
    )
    plain = ask("rank", store, vectors=False, tools=tools, memory={"spaced_repetition": False})
    assert scores(plain) == {"a.md": round(0.5 + 0.2 * 0.5 + 0.3 / 3, 4)}


def test_half_life_days_of_the_front_matter_overrides_the_default() -> None:
    pages = {"a.md": page(days=7, half_life_days="7"), "b.md": page(days=7, half_life_days="soon")}
    found = ask("rank", store_of(pages), vectors=False)
    shown = {hit.document: " ".join(descriptions(hit.explanation)) for hit in found.hits}
    assert "half-life 7 days" in shown["a.md"]
    assert "half-life 60 days" in shown["b.md"]
    assert "b.md: half_life_days: 'soon' is not a positive number of days; the default is used" in found.notes


def descriptions(explanation: Explanation | None) -> Iterator[str]:
    if explanation is not None:
        yield explanation.description
        for part in explanation.parts:
            yield from descriptions(part)


def test_deprecated_entries_are_left_out_unless_asked_for() -> None:
    store = store_of({"old.md": page(tier="Deprecated"), "new.md": page()})
    found = ask("rank", store, vectors=False)
    assert scores(found) == {"new.md": 0.8}  # as if the other were not there
    wanted = Query("rank", filters=Filters(properties=(("tier", "Deprecated"),)))
    assert [hit.document for hit in ask(wanted, store, vectors=False).hits] == ["old.md"]


def test_an_entry_is_called_by_its_trigger_phrase() -> None:
    pages = {"a.md": Page(("rank now rank",)), "b.md": Page(("hay",), triggers=("rank now",))}
    found = ask("please rank now", store_of(pages), vectors=False)
    assert [hit.document for hit in found.hits] == ["b.md", "a.md"]
    assert "matched a trigger phrase: b.md" in found.notes


def test_entries_that_contradict_each_other_are_shown_together() -> None:
    pages = {
        "a.md": Page(("rank rank rank rank",), links=("z.md|contradicts",)),
        "b.md": Page(("rank rank rank link",)),
        "z.md": Page(("rank hay hay hay",)),
    }
    found = ask(Query("rank", depth=0, explain=True), store_of(pages), vectors=False)
    assert [hit.document for hit in found.hits] == ["a.md", "z.md", "b.md"]
    assert "a.md and z.md contradict each other" in found.notes


def test_folders_do_not_make_neighbours_of_what_lies_in_them() -> None:
    pages = {
        "x/": Page(("folder",), links=("x/a.md|contains", "x/b.md|contains"), kind="folders"),
        "x/a.md": "needle",
        "x/b.md": "hay",
    }
    assert [hit.document for hit in ask("needle", store_of(pages), vectors=False).hits] == ["x/a.md"]


def test_a_cap_on_neighbours_keeps_the_weightiest_and_is_reported() -> None:
    pages: dict[str, object] = {f"{n}.md": "hay" for n in range(5)}
    pages["hub.md"] = Page(("needle",), links=(*(f"{n}.md|supports" for n in range(4)), "4.md|supersedes"))
    found = ask("needle", store_of(pages), vectors=False, graph={"fan_out": 2, "depth": 1})
    assert [hit.document for hit in found.hits] == ["4.md", "0.md", "hub.md"]  # links weigh 1.5
    assert "fan_out" in codes(found)


class Opinion:
    """A reranker that likes texts by what is in them."""

    name = "opinion"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.9 if "merging" in text else 0.5 for text in texts]


def test_what_was_read_again_is_ordered_by_score_and_length() -> None:
    """A penalty of .8 + .2·16/100 = .832 for c, .828 for a and b."""
    found = ask(tools={"reranker": Opinion()})
    assert scores(found) == {"c.md": round(0.9 * 0.832, 4), "a.md": 0.414, "b.md": 0.414}
    assert found.reranked


def test_what_was_not_read_again_follows_behind_in_its_old_order() -> None:
    found = ask(tools={"reranker": Opinion()}, rerank={"candidates": 1})
    assert [hit.document for hit in found.hits] == ["a.md", "c.md", "b.md"]
    assert scores(found)["c.md"] == scores(found)["a.md"] == 0.414
    assert scores(found)["b.md"] == round(0.414 * 0.58671 / 0.65672, 4)


def test_without_a_reranker_nothing_is_amiss() -> None:
    found = ask()
    assert not found.reranked
    assert {step.stage: step.skipped for step in found.steps}["rerank"] == "no reranker configured"


def test_no_words_leave_meaning_and_links() -> None:
    found = ask(memory={"lexical": False})
    assert codes(found) == ["no_lexical"]
    sources = {each.source for hit in found.hits for each in hit.sources}
    assert sources == {"vector", "graph"}


def test_no_fusion_leaves_meaning_alone() -> None:
    """Cosines 1, .6, 0 of the best 1: .5·share + .3."""
    found = ask(memory={"rrf": False})
    assert codes(found) == ["no_fusion"]
    assert scores(found) == {"b.md": 0.8, "a.md": 0.6, "c.md": 0.3}
    assert {each.source for hit in found.hits for each in hit.sources} == {"vector"}


def test_no_fusion_and_no_vectors_leave_words() -> None:
    found = ask(vectors=False, memory={"rrf": False})
    assert [hit.document for hit in found.hits] == ["a.md", "b.md"]
    assert codes(found) == ["no_model", "no_fusion"]


def test_no_links_leave_words_and_meaning() -> None:
    found = ask(store=store_of({"a.md": "rank", "b.md": "rank rank"}), vectors=False)
    assert len(found.hits) == 2
    assert codes(found) == ["no_model", "no_links"]


def test_a_caller_may_switch_links_off_without_a_word() -> None:
    found = ask(Query("rank", depth=0))
    assert found.degraded == ()
    assert {each.source for hit in found.hits for each in hit.sources} == {"lexical", "vector"}


def test_an_unknown_intent_is_reported() -> None:
    assert codes(ask(Query("rank", intent="dance"))) == ["unknown_intent"]
