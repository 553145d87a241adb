"""Properties of recipes with a reranker, for all scores it may give."""

import itertools
from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import Page, entry

from waymeet.formulas.explanation import evaluate
from waymeet.models.expanders import TtlCache
from waymeet.models.hashing import HashingEmbedder
from waymeet.recipes import RECIPES
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Layer, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Query

WORDS = ("rank", "fusion", "graph", "link", "検索", "score")
PATHS = tuple(f"{folder}{name}.md" for folder in ("", "docs/") for name in ("a", "b", "c"))
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
pages = st.builds(
    Page,
    sections=st.lists(texts, min_size=1, max_size=3).map(tuple),
    title=texts,
    links=st.lists(st.sampled_from(PATHS), max_size=2).map(tuple),
)
collections = st.dictionaries(st.sampled_from(PATHS), pages, min_size=1, max_size=6)
queries = st.one_of(texts, st.text(st.characters(), max_size=20))
recipes = st.sampled_from([RECIPES["deep"], RECIPES["memory"]])


class Whimsical:
    """A reranker and expander whose opinions are arbitrary, but always the same."""

    name = "whimsical"
    calls = 0

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.calls += 1
        return [sha256(repr((query, text)).encode()).digest()[0] / 255 for text in texts]

    def expand(self, query: str, number: int) -> Sequence[str]:
        return [WORDS[(len(query) + step) % len(WORDS)] for step in range(number)]


@given(collections, queries, recipes, st.integers(1, 25))
def test_read_again_the_trees_hold_scores_fall_and_memory_changes_nothing(
    collection: dict[str, Page], text: str, chosen: Recipe, most: int
) -> None:
    embedder, model = HashingEmbedder(16), Whimsical()
    store = MemoryStore()
    store.put([entry(path, page) for path, page in collection.items()])
    chunks = store.chunks(store.chunks_without_vector([embedder.space], 1000))
    vectors = embedder.embed_passages([chunk.text for chunk in chunks.values()])
    store.put_vectors(embedder.space, dict(zip(chunks, vectors, strict=True)))
    settings = resolve((Layer("recipe", chosen.overrides), Layer("test", {"rerank": {"candidates": most}})))
    fresh = Tools(store, (embedder,), model, model, now=lambda: 0)
    remembering = fresh._replace(reranker_cache=TtlCache(300.0, 100))
    asked = Query(text, explain=True)
    once = answer_query(chosen, asked, fresh, settings)
    again = [answer_query(chosen, asked, remembering, settings) for _ in range(2)]
    assert [each.hits for each in again] == [once.hits, once.hits]
    assert model.calls == (2 if once.reranked else 0)
    assert all(first.score >= second.score for first, second in itertools.pairwise(once.hits))
    for hit in once.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score, rel=1e-9, abs=1e-12)
