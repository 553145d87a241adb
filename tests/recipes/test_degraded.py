"""Every recipe with each of its parts broken in turn: the answer stays useful and says why."""

from typing import TYPE_CHECKING

import pytest
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.errors import EmbeddingError
from waymeet.recipes import RECIPES
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Layer, resolve
from waymeet.types import Answer, Query

if TYPE_CHECKING:
    from waymeet.ports import Vector

PAGES = {
    "skills/needle.md": Page(("needle work",), title="needle", kind="skills", links=("skills/hay.md",)),
    "skills/hay.md": Page(("hay",), title="hay", kind="skills"),
}
VECTORS = {"skills/needle.md": [(1.0, 0.0)], "skills/hay.md": [(0.6, 0.8)]}


class Gone(FixedEmbedder):
    """An embedder whose model has died."""

    def embed_query(self, text: str) -> "Vector":
        raise EmbeddingError("the model has died", "Start it again.")


def ask(recipe: str, query: str, embedder: FixedEmbedder | None, *, vectors: bool = True) -> Answer:
    chosen = RECIPES[recipe]
    mode = "hybrid" if "hybrid" in chosen.modes else ""
    tools = Tools(store_of(PAGES, VECTORS if vectors else None), (embedder,) if embedder else ())
    return answer_query(chosen, Query(query, mode=mode), tools, resolve((Layer(recipe, chosen.overrides),)))


def codes(found: Answer) -> dict[str, str]:
    return {each.code: each.stage for each in found.degraded}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_dead_embedder_leaves_words_and_is_announced(recipe: str) -> None:
    found = ask(recipe, "needle", Gone((1.0, 0.0)))
    assert "skills/needle.md" in {hit.document for hit in found.hits}
    assert codes(found)["embedding_failed"] == "vector"
    assert found.search_type == ("fulltext_fallback" if recipe == "threeway" else "lexical")


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_index_without_vectors_is_announced(recipe: str) -> None:
    found = ask(recipe, "needle", FixedEmbedder((1.0, 0.0)), vectors=False)
    assert "skills/needle.md" in {hit.document for hit in found.hits}
    assert codes(found)["no_vectors"] == "vector"
    assert found.search_type == ("fulltext_fallback" if recipe == "threeway" else "lexical")


@pytest.mark.parametrize("recipe", RECIPES)
def test_no_model_at_all_is_announced(recipe: str) -> None:
    found = ask(recipe, "needle", None)
    assert "skills/needle.md" in {hit.document for hit in found.hits}
    assert codes(found)["no_model"] == "vector"


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_query_without_words_is_answered_by_meaning_and_that_is_announced(recipe: str) -> None:
    found = ask(recipe, "??? !!!", FixedEmbedder((1.0, 0.0)))
    assert "skills/needle.md" in {hit.document for hit in found.hits}
    assert codes(found)["no_words"] == "understand"


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_query_of_nothing_is_an_empty_answer_that_says_why(recipe: str) -> None:
    found = ask(recipe, "", FixedEmbedder((1.0, 0.0)))
    assert found.hits == ()
    assert "no_words" in codes(found)


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_empty_index_lacks_no_vectors(recipe: str) -> None:
    found = answer_query(
        RECIPES[recipe], Query("words"), Tools(store_of({}), (FixedEmbedder((1.0, 0.0)),)), resolve(())
    )
    assert not found.hits
    assert "no_vectors" not in {each.code for each in found.degraded}
