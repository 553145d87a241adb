"""Properties of every recipe, for every collection and every query."""

import itertools
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.corpus import Page, chunk_id, entry

from waymeet.formulas.explanation import evaluate
from waymeet.models.hashing import HashingEmbedder
from waymeet.recipes import RECIPES
from waymeet.search.pipeline import answer_query, run_stages
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Explanation, Filters, Query

WORDS = ("rank", "fusion", "graph", "link", "検索", "設定", "getUser", "user", "score", "the")
PATHS = tuple(f"{folder}{name}.md" for folder in ("", "docs/", "src/") for name in ("a", "b", "c"))

texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
pages = st.builds(
    Page,
    sections=st.lists(texts, min_size=1, max_size=3).map(tuple),
    title=texts,
    links=st.lists(st.sampled_from(PATHS), max_size=3).map(tuple),
)
collections = st.dictionaries(st.sampled_from(PATHS), pages, min_size=1, max_size=6)
queries = st.one_of(
    st.text(st.characters(), max_size=30),
    st.builds(
        lambda words, extra: " ".join(words) + extra,
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
        st.sampled_from(["", " -link", ' "rank fusion"', " gr*", " ?!"]),
    ),
)
filters = st.builds(
    Filters,
    paths=st.sampled_from([(), ("docs",), ("docs", "a.md")]),
    phrases=st.sampled_from([(), ("rank",), ("rank fusion",)]),
    without=st.sampled_from([(), (("link",),), (("score", "graph"),)]),
)
recipes = st.sampled_from(list(RECIPES.values()))
EVERYTHING = {"auto", "classic", "threeway"}
"""Recipes that leave nothing out of what any list holds."""
embedders = st.sampled_from([None, HashingEmbedder(16)])


def filled(
    collection: dict[str, Page], embedder: HashingEmbedder | None, order: list[str] | None = None
) -> MemoryStore:
    store = MemoryStore()
    for path in order or list(collection):
        store.put([entry(path, collection[path])])
    if embedder is not None:
        chunks = store.chunks(store.chunks_without_vector([embedder.space], 1000))
        vectors = embedder.embed_passages([chunk.text for chunk in chunks.values()])
        store.put_vectors(embedder.space, dict(zip(chunks, vectors, strict=True)))
    return store


def numbers(recipe: Recipe) -> Settings:
    return resolve((Layer(recipe.name, recipe.overrides),))


def inner_values_agree(tree: Explanation) -> bool:
    return evaluate(tree) == pytest.approx(tree.value, rel=1e-9, abs=1e-12) and all(map(inner_values_agree, tree.parts))


@given(collections, queries, recipes, embedders)
def test_the_tree_evaluates_to_the_score(
    collection: dict[str, Page], text: str, recipe: Recipe, embedder: HashingEmbedder | None
) -> None:
    tools = Tools(filled(collection, embedder), (embedder,) if embedder else ())
    explained = answer_query(recipe, Query(text, explain=True), tools, numbers(recipe))
    plain = answer_query(recipe, Query(text), tools, numbers(recipe))
    for hit in explained.hits:
        assert hit.explanation is not None
        assert hit.explanation.value == hit.score
        assert inner_values_agree(hit.explanation)
    assert [hit.id for hit in plain.hits] == [hit.id for hit in explained.hits]
    assert [hit.score for hit in plain.hits] == pytest.approx([hit.score for hit in explained.hits], rel=1e-9)


@given(collections, queries, recipes, embedders)
def test_nothing_is_lost_or_invented(
    collection: dict[str, Page], text: str, recipe: Recipe, embedder: HashingEmbedder | None
) -> None:
    store = filled(collection, embedder)
    search, steps = run_stages(
        recipe, Query(text, limit=50), Tools(store, (embedder,) if embedder else ()), numbers(recipe)
    )
    assert [step.stage for step in steps] == [stage.__name__ for stage in recipe.stages]
    candidates = {each.document for each in search.candidates}
    listed = {each.document for ranking in search.lists.values() for each in ranking}
    reached = {each.document for each in search.reached}
    assert candidates <= set(collection)
    if recipe.name in EVERYTHING:
        assert listed | reached <= candidates | {each.document for copies in search.copies.values() for each in copies}
    known = {chunk_id(path, n) for path, page in collection.items() for n in range(len(page.sections))}
    assert {chunk for each in search.candidates for chunk in each.chunks} <= known
    shown = [each.chunks or (each.document,) for each in search.candidates]
    assert len(shown) == len(set(shown))
    for each in search.candidates:
        assert each.sources
        for found in each.sources:
            assert found.rank >= 1


@given(collections, queries, recipes, embedders, st.randoms(use_true_random=False))
def test_ties_are_stable(
    collection: dict[str, Page], text: str, recipe: Recipe, embedder: HashingEmbedder | None, chance: random.Random
) -> None:
    order = list(collection)
    chance.shuffle(order)
    found = [
        answer_query(recipe, Query(text), Tools(store, (embedder,) if embedder else ()), numbers(recipe)).hits
        for store in (filled(collection, embedder), filled(collection, embedder, order))
    ]
    assert found[0] == found[1]


@given(collections, queries, recipes)
def test_scores_never_rise_down_the_list(collection: dict[str, Page], text: str, recipe: Recipe) -> None:
    hits = answer_query(recipe, Query(text), Tools(filled(collection, None)), numbers(recipe)).hits
    assert all(first.score >= second.score for first, second in itertools.pairwise(hits))


@given(collections, queries, recipes, embedders, filters)
@example({"a.md": Page(("rank",))}, '"RANK:FUSION"', RECIPES["auto"], None, Filters(phrases=("rank fusion",)))
def test_everything_shown_passes_the_filters(
    collection: dict[str, Page], text: str, recipe: Recipe, embedder: HashingEmbedder | None, which: Filters
) -> None:
    store = filled(collection, embedder)
    tools = Tools(store, (embedder,) if embedder else ())
    search, _ = run_stages(recipe, Query(text, filters=which), tools, numbers(recipe))
    for hit in answer_query(recipe, Query(text, filters=which), tools, numbers(recipe)).hits:
        for section in hit.sections:
            assert store._current.passes(section.id, search.filters)
            assert store._current.passes(section.id, which)
