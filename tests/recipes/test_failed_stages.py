"""Every stage of every recipe made to fail: the answer is made without it and names it."""

import logging
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.errors import DamagedIndexError, RequestError, SearchFailedError
from waymeet.formulas.explanation import evaluate
from waymeet.recipes import RECIPES
from waymeet.search import pipeline
from waymeet.search.pipeline import answer_query, stage_name
from waymeet.search.state import Recipe, Search, Stage, Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.settings.sources import RAISE_ERRORS
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Query, Ranking

PAGES = {
    "skills/needle.md": Page(("needle work",), title="needle", kind="skills", links=("skills/hay.md",)),
    "skills/hay.md": Page(("hay",), title="hay", kind="skills"),
}
VECTORS = {"skills/needle.md": [(1.0, 0.0)], "skills/hay.md": [(0.6, 0.8)]}
CASES = [
    (name, number, stage_name(stage)) for name, recipe in RECIPES.items() for number, stage in enumerate(recipe.stages)
]


@pytest.fixture(autouse=True)
def skip_failed_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RAISE_ERRORS)


def failing(name: str, error: Exception) -> Stage:
    def stage(search: Search, tools: Tools, settings: Settings) -> Search:
        raise error

    stage.__name__ = name
    return stage


def break_stage(recipe: Recipe, number: int, error: Exception) -> Recipe:
    broken = failing(stage_name(recipe.stages[number]), error)
    return replace(recipe, stages=(*recipe.stages[:number], broken, *recipe.stages[number + 1 :]))


def ask(recipe: Recipe, store: MemoryStore | None = None) -> Answer:
    mode = "hybrid" if "hybrid" in recipe.modes else ""
    tools = Tools(store or store_of(PAGES, VECTORS), (FixedEmbedder((1.0, 0.0)),))
    query = Query("needle", mode=mode, explain=True)
    return answer_query(recipe, query, tools, resolve((Layer(recipe.name, recipe.overrides),)))


@pytest.mark.parametrize(("recipe", "number", "stage"), CASES)
def test_a_stage_that_fails_is_skipped_and_named(recipe: str, number: int, stage: str) -> None:
    answer = ask(break_stage(RECIPES[recipe], number, KeyError("a mistake")))
    assert "skills/needle.md" in {hit.document for hit in answer.hits}
    assert all(hit.explanation and evaluate(hit.explanation) == pytest.approx(hit.score) for hit in answer.hits)
    entry = next(entry for entry in answer.degraded if entry.code == "stage_failed")
    assert (entry.stage, [each.skipped for each in answer.steps].count("stage_failed")) == (stage, 1)
    assert "KeyError: 'a mistake' (test_failed_stages.py:" in entry.detail


@pytest.mark.parametrize("recipe", RECIPES)
def test_hits_are_built_without_extras_if_these_fail(recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> tuple[object, bool]:
        raise ValueError("a mistake")

    monkeypatch.setattr(pipeline, "shape", fail)
    answer = ask(RECIPES[recipe])
    assert answer.hits[0].document == "skills/needle.md"
    assert [entry.stage for entry in answer.degraded if entry.code == "stage_failed"] == ["shape"]


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_failed_fusion_leaves_the_full_text_ranking(recipe: str) -> None:
    stages = [stage_name(stage) for stage in RECIPES[recipe].stages]
    number = next(number for number, name in enumerate(stages) if name.startswith(("fuse", "weighted_sum")))
    answer = ask(break_stage(RECIPES[recipe], number, ZeroDivisionError()))
    assert (answer.search_type, answer.hits[0].sources[0].source) == ("fulltext_fallback", "lexical")


@pytest.mark.parametrize("error", [RequestError("a bad filter"), DamagedIndexError("unreadable")])
def test_an_invalid_request_and_an_unusable_index_stay_errors(error: Exception) -> None:
    with pytest.raises(type(error)):
        ask(break_stage(RECIPES["auto"], 0, error))


class BrokenStore(MemoryStore):
    """A store that cannot rank."""

    def rank_lexical(self, *_arguments: object) -> Ranking:
        raise OSError("no words")

    def rank_vectors(self, *_arguments: object) -> Ranking:
        raise OSError("no vectors")


def test_a_search_that_cannot_rank_at_all_is_an_error_and_not_an_empty_answer() -> None:
    store = BrokenStore()
    store._newest = store_of(PAGES, VECTORS)._newest
    with pytest.raises(SearchFailedError, match=r"the stage \w+ failed.*no words"):
        ask(RECIPES["classic"], store)


def test_a_mistake_stays_visible(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    broken = break_stage(RECIPES["auto"], 0, KeyError("a mistake"))
    with caplog.at_level(logging.DEBUG, "waymeet"):
        ask(broken)
    assert "Traceback" in caplog.text
    monkeypatch.setenv(RAISE_ERRORS, "1")
    with pytest.raises(KeyError):
        ask(broken)


def effects(answer: Answer) -> Iterator[tuple[str, str]]:
    return ((step.stage, step.effect) for step in answer.steps if step.effect)


def test_each_step_names_its_effect() -> None:
    named = dict(effects(ask(RECIPES["deep"])))
    assert named["lexical"] == "lexical list of 1 sections"
    assert named["fuse_variants"] == "2 candidates"
    assert dict(effects(ask(RECIPES["memory"])))["classify_intent"] == "intent understand"


def test_the_intent_is_a_field_of_the_answer() -> None:
    assert (ask(RECIPES["memory"]).intent, ask(RECIPES["auto"]).intent) == ("understand", "")
