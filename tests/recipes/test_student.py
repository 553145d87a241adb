"""Search with approximate vectors: which sections have one, how much they count, and how it is said."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from support.corpus import FixedEmbedder, Page, chunk_id, store_of, unit

from waymeet.analysis.embedded.space_names import student_space
from waymeet.analysis.embedded.student_state import STATE_KEY, StudentState, encode_state
from waymeet.evaluate.ablation import list_signals
from waymeet.recipes import RECIPES
from waymeet.recipes.auto import AUTO
from waymeet.recipes.stage_table import SIGNALS
from waymeet.search.pipeline import answer_query, run_stages
from waymeet.search.retrieve.dense import rank_by_vector
from waymeet.search.retrieve.embed_on_demand import OnDemandEmbedder
from waymeet.search.state import Search, Tools
from waymeet.settings import Layer, Settings, StudentVectors, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters, Query, ScoredChunk

if TYPE_CHECKING:
    from waymeet.ports import Vector

PAGES = {
    "keys.md": Page(("How keys are rotated.",), kind="skills"),
    "tea.md": Page(("About tea.",), kind="skills"),
    "water.md": Page(("About water.",), kind="skills"),
}
STUDENT = student_space(FixedEmbedder.space)
QUESTION = (1.0, 0.0)


def make_store(trust: float | None = None) -> MemoryStore:
    """Make a store in which one of three sections has a true vector and two have approximate ones."""
    store = store_of(PAGES, {"tea.md": [(0.6, 0.8)]})
    store.put_vectors(STUDENT, {chunk_id("keys.md", 0): unit((0.8, 0.6)), chunk_id("water.md", 0): unit((0.0, 1.0))})
    store.set_metadata(STATE_KEY, encode_state(StudentState("v1", trust)))
    return store


def run(store: MemoryStore, query: str = "rotation", **student: float) -> Search:
    settings = resolve((Layer("auto", AUTO.overrides), Layer("test", {"student": student})))
    return run_stages(AUTO, Query(query, explain=True), Tools(store, (FixedEmbedder(QUESTION),)), settings)[0]


def test_true_and_approximate_vectors_are_ranked_together() -> None:
    found = rank_by_vector(Tools(make_store(), (FixedEmbedder(QUESTION),)), "tea", 9, Filters())
    assert [(row.document, round(row.score, 3)) for row in found.ranking] == [
        ("keys.md", 0.8),
        ("tea.md", 0.6),
        ("water.md", 0.0),
    ]
    assert found.approximate == {chunk_id("keys.md", 0), chunk_id("water.md", 0)}


def test_approximate_vectors_count_by_their_trust() -> None:
    assert run(make_store(0.75)).vector_share == pytest.approx(1 / 3 + 0.75 * 2 / 3)
    assert run(make_store(0.75), weight=0.5).vector_share == pytest.approx(1 / 3 + 0.5 * 0.75 * 2 / 3)
    assert run(make_store(), usual_trust=0.3).vector_share == pytest.approx(1 / 3 + 0.3 * 2 / 3)
    assert run(make_store(1.0), weight=5.0).vector_share == 1.0


def test_without_weight_they_are_left_out() -> None:
    search = run(make_store(0.75), weight=0.0)
    assert [row.document for row in search.ranking("vector")] == ["tea.md"]
    assert not search.approximate
    assert search.vector_share == pytest.approx(1 / 3)


def test_their_weight_is_a_signal_of_every_recipe_with_vectors() -> None:
    for name, recipe in RECIPES.items():
        settings = resolve((Layer(name, recipe.overrides),))
        assert "student.weight = 0" in dict(list_signals(recipe, settings, SIGNALS)), name


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_answer_says_how_many_sections_have_an_approximate_vector(recipe: str) -> None:
    chosen = RECIPES[recipe]
    mode = "hybrid" if "hybrid" in chosen.modes else ""
    tools = Tools(make_store(0.75), (FixedEmbedder(QUESTION),))
    settings = resolve((Layer(recipe, chosen.overrides),))
    found = answer_query(chosen, Query("keys", mode=mode), tools, settings)
    (detail,) = [each.detail for each in found.degraded if each.code == "partial_vectors"]
    assert detail == "1 of 3 sections have a vector, 2 an approximate one (trust 0.75) so far"
    assert "keys.md" in {hit.document for hit in found.hits}


def test_an_explanation_names_an_approximate_vector() -> None:
    search = run(make_store(0.75))
    texts = {candidate.document: str(candidate.score) for candidate in search.candidates}
    assert "approximate vector" in texts["keys.md"]
    assert "approximate vector" not in texts["tea.md"]


class Model(FixedEmbedder):
    """Gives each text a vector by its words."""

    def embed_passages(self, texts: Sequence[str]) -> "Sequence[Vector]":
        return [unit((1.0, 0.0)) if "water" in text else unit((0.6, 0.8)) for text in texts]


def test_the_most_similar_sections_are_embedded_on_demand_and_shift_the_others() -> None:
    saved: list[str] = []
    tools = Tools(make_store(), (Model(QUESTION),), save_vectors=lambda _, vectors, __: saved.extend(vectors))
    words = (ScoredChunk(chunk_id("water.md", 0), "water.md", 1.0),)
    found = rank_by_vector(
        tools, "tea", 9, Filters(), student=StudentVectors(), on_demand=OnDemandEmbedder(tools, words, 60.0)
    )
    assert saved == [chunk_id("water.md", 0), chunk_id("keys.md", 0)]
    assert [(row.document, round(row.score, 3)) for row in found.ranking] == [
        ("water.md", 1.0),
        ("keys.md", 0.6),
        ("tea.md", 0.6),
    ]
    assert not found.approximate


def test_nothing_is_embedded_on_demand_without_time() -> None:
    tools = Tools(make_store(), (Model(QUESTION),), save_vectors=lambda *_: None)
    found = rank_by_vector(tools, "tea", 9, Filters(), on_demand=OnDemandEmbedder(tools, (), 0.0))
    assert len(found.approximate) == 2


def test_settings_have_defaults_that_use_them() -> None:
    assert Settings().student.weight > 0
    assert Settings().embedding.student
