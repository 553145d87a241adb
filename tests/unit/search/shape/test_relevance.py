"""Relevance: an estimate comparable between queries, and a note when no result looks relevant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import FixedEmbedder, Page, chunk_id, store_of, unit

from waymeet.formulas.explanation import evaluate
from waymeet.formulas.relevance import MAX_MATCHED_IDF, Features, estimate_relevance, similarity_steps
from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.local.multilingual import MultilingualEmbedder
from waymeet.recipes.classic import CLASSIC
from waymeet.recipes.threeway import THREEWAY
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Relevance, Settings
from waymeet.types import LOW_RELEVANCE_NOTE, Answer, Explanation, Query

PAGES = {
    "keys.md": Page(("the signing keys are rotated every month by a job",), title="Rotating keys"),
    "tea.md": Page(("green tea wants water that does not boil", "black tea wants boiling water")),
    "road.md": Page(("a road leads to the harbour", "another leads away from it")),
    **{f"{name}.md": Page((f"nothing but {name} and what belongs to {name}",)) for name in ("wool", "iron", "salt")},
}
GOOD, NOISE = "how are signing keys rotated?", "what harbour pilots earned in ancient carthage"

parts = st.floats(0.0, 1.0)
clues = st.builds(
    Features,
    idf_coverage=parts,
    matched_idf=st.floats(0.0, MAX_MATCHED_IDF),
    title_overlap=parts,
    similarity_steps=st.none() | st.floats(-1.0, 3.0),
    is_other_language=st.booleans(),
)


class Known(FixedEmbedder):
    """A stand-in for the default model, in whose space cosines have a meaning of their own."""

    space = GraniteEmbedder.space


class Abroad(FixedEmbedder):
    """A stand-in for the default model of other languages."""

    space = MultilingualEmbedder.space


class English(Known):
    """The same that takes English alone."""

    def supports_language(self, language: str) -> bool:
        """Take English."""
        return not language


def ask(question: str | Query, tools: Tools | None = None, recipe: Recipe = CLASSIC, doubt: float = 0.5) -> Answer:
    query = Query(question, explain=True) if isinstance(question, str) else question
    return answer_query(recipe, query, tools or Tools(store_of(PAGES)), Settings(relevance=Relevance(min=doubt)))


def near(cosine: float, embedder: type[FixedEmbedder] = Known, pages: dict[str, Page] | None = None) -> Tools:
    """Give tools by which every section is equally near to any question."""
    store = store_of(pages or PAGES)
    here = unit((cosine, (1.0 - cosine**2) ** 0.5))
    ids = [chunk_id(path, n) for path, page in (pages or PAGES).items() for n in range(len(page.sections))]
    store.put_vectors(embedder.space, dict.fromkeys(ids, here))
    return Tools(store, (embedder((1.0, 0.0)),))


def best(found: Answer) -> float:
    return max(hit.relevance or 0.0 for hit in found.hits)


def said(tree: Explanation) -> list[str]:
    """List what the odds of a hit are made of, apart from those of the answer."""
    _, of_hit = tree.parts
    _, odds = of_hit.parts[1].parts
    return [part.description for part in odds.parts]


@given(clues)
def test_it_is_a_chance_that_explains_itself(given_: Features) -> None:
    found = estimate_relevance(given_)
    assert 0.0 < found.value < 1.0
    assert evaluate(found) == found.value


@given(clues, st.sampled_from(("idf_coverage", "matched_idf", "title_overlap", "similarity_steps")), parts)
def test_more_evidence_never_counts_against_a_hit(less: Features, name: str, more: float) -> None:
    if getattr(less, name) is not None:
        assert (
            estimate_relevance(less._replace(**{name: getattr(less, name) + more})).value
            >= estimate_relevance(less).value
        )


def test_the_scales_of_the_default_models_are_known() -> None:
    for space in (GraniteEmbedder.space, MultilingualEmbedder.space):
        assert similarity_steps(space, -1.0) == -1.0
        assert similarity_steps(f"{space}+2", 1.0) == 3.0


def test_relevant_results_are_distinguished_from_noise() -> None:
    good, noise = ask(GOOD), ask(NOISE)
    assert good.hits[0].document == "keys.md"
    assert (good.low_relevance, LOW_RELEVANCE_NOTE in good.notes) == (False, False)
    assert noise.hits[0].score > 0.0
    assert (noise.low_relevance, LOW_RELEVANCE_NOTE in noise.notes) == (True, True)
    assert (best(noise) < 0.07, best(good) > 0.3) == (True, True)


def test_an_answer_without_results_is_not_marked() -> None:
    found = ask("flurbozzle")
    assert (found.hits, found.low_relevance, found.notes) == ((), False, ())


def test_the_bar_can_be_set_or_taken_away() -> None:
    assert not ask(NOISE, doubt=0.0).low_relevance
    assert ask(GOOD, doubt=1.0).low_relevance


def test_doubt_does_not_depend_on_how_much_is_shown() -> None:
    pages = {f"{n}.md": Page(("harbour harbour harbour",)) for n in range(5)}
    pages |= {"z.md": Page(("of what harbour pilots earned in ancient carthage much was told " + "and more " * 60,))}
    tools = Tools(store_of(pages))
    wide, narrow = ask(Query(NOISE, limit=10), tools), ask(Query(NOISE, limit=1), tools)
    assert len(narrow.hits) == 1
    assert narrow.low_relevance == wide.low_relevance
    assert narrow.hits[0].relevance == wide.hits[0].relevance


def test_the_evidence_is_shown_when_asked_for() -> None:
    found = ask(GOOD).hits[0]
    tree = found.relevance_explanation
    assert tree is not None
    assert evaluate(tree) == tree.value == found.relevance
    assert said(tree)[1].startswith("IDF-weighted share of query words found: 100%; factor exp(−")
    assert ask(Query(GOOD)).hits[0].relevance_explanation is None
    assert ask(Query(GOOD)).hits[0].relevance == found.relevance


def test_corrected_typos_hardly_lower_relevance() -> None:
    right, typo = ask("rotated signing keys"), ask("rotatde signing keys")
    assert typo.notes == ("rotatde → rotated",)
    assert best(right) - 0.01 < best(typo) < best(right)


def test_nearness_counts_on_the_scale_of_its_model() -> None:
    far, close = ask(NOISE, near(0.45)), ask(NOISE, near(0.85))
    assert far.low_relevance
    assert not close.low_relevance
    assert best(far) < best(ask(NOISE)) < best(close)


def test_a_model_of_unknown_scale_leaves_it_to_words() -> None:
    found = ask(GOOD, near(0.9, FixedEmbedder))
    by_words = ask(GOOD)
    assert found.hits[0].relevance == by_words.hits[0].relevance
    unknown = {hit.document for hit in found.hits if hit.relevance is None}
    assert unknown.isdisjoint(hit.document for hit in by_words.hits)
    assert unknown
    assert not ask(NOISE, near(0.9, FixedEmbedder)).low_relevance


def test_what_has_no_vector_yet_is_judged_by_words() -> None:
    store = store_of(PAGES)
    store.put_vectors(Known.space, {chunk_id("wool.md", 0): unit((0.9, 0.1))})
    found = ask(GOOD, Tools(store, (Known((1.0, 0.0)),)))
    by_document = {hit.document: hit.relevance for hit in found.hits}
    assert by_document["keys.md"] == pytest.approx(ask(GOOD).hits[0].relevance, abs=0.01)


def test_an_answer_is_marked_while_vectors_are_missing() -> None:
    store = store_of(PAGES)
    store.put_vectors(Known.space, {chunk_id("wool.md", 0): unit((0.5, 0.866))})
    tools = Tools(store, (Known((1.0, 0.0)),))
    assert [reason.code for reason in ask(NOISE, tools).degraded] == ["partial_vectors"]
    assert ask(NOISE, tools).low_relevance
    assert not ask(GOOD, tools).low_relevance


def test_an_answer_says_whether_a_word_matches() -> None:
    assert ask(NOISE).has_word_match
    assert not ask("how does flurbozzle not", near(0.5)).has_word_match
    assert not ask("flurbozzle", near(0.5)).has_word_match


def test_missing_words_do_not_count_in_another_language() -> None:
    pages = {"ja.md": Page(("鍵は毎月更新される",)), "zh.md": Page(("茶",))}
    store = near(0.75, Abroad, pages).store
    found = ask("how are signing keys rotated", Tools(store, (English((1.0, 0.0)), Abroad((1.0, 0.0)))))
    assert not found.low_relevance
    tree = found.hits[0].relevance_explanation
    assert tree is not None
    assert [each.split()[:2] for each in said(tree)] == [["base", "odds"], ["cosine", "similarity"]]


def test_what_is_in_another_language_and_has_no_vector_yet_is_not_judged() -> None:
    pages = {**PAGES, "other.md": Page(("署名",))}
    store = store_of(pages)
    store.put_vectors(Abroad.space, {chunk_id("other.md", 0): unit((0.1, 0.99))})
    tools = Tools(store, (English((1.0, 0.0)), Abroad((1.0, 0.0))))
    found = ask("signing はどのように更新されますか", tools)
    assert [reason.code for reason in found.degraded] == ["partial_vectors"]
    assert {hit.document: hit.relevance for hit in found.hits}["keys.md"] is None
    assert not found.low_relevance


def test_it_does_not_depend_on_the_recipe() -> None:
    tools = near(0.8)
    both = [{hit.document: hit.relevance for hit in ask(GOOD, tools, recipe).hits} for recipe in (CLASSIC, THREEWAY)]
    assert both[0]["keys.md"] == both[1]["keys.md"] != both[0]["wool.md"] == both[1]["wool.md"]
