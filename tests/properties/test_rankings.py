"""Properties of every fusion, of walks of every depth, and of explanations."""

import random
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.corpus import Page, chunk_id, store_of

from waymeet.formulas.fusion import rrf, top_rank_bonus
from waymeet.formulas.memory import boost_converged
from waymeet.recipes import RECIPES
from waymeet.search.fuse.deep import fuse_variants
from waymeet.search.fuse.fusion import fuse, fuse_three_way
from waymeet.search.fuse.weighted_sum import weighted_sum
from waymeet.search.pipeline import answer_query, run_stages
from waymeet.search.rank.memory import fuse_memory
from waymeet.search.rank.neighbours import fuse_normalised
from waymeet.search.state import Search, Stage, Tools
from waymeet.settings import Deep, Layer, Settings, resolve
from waymeet.types import Query, Ranking, ScoredChunk

NAMES = "abcdef"
PATHS = tuple(f"{name}.md" for name in NAMES)
SOURCES = ("lexical", "vector", "lexical 2", "vector 2", "lexical 3", "vector 3")
MEMORYS = ("lexical", "vector", "graph")


def ranking(chunks: list[str], scores: list[float]) -> Ranking:
    best_first = sorted(scores, reverse=True)
    return tuple(
        ScoredChunk(chunk, chunk.partition("#")[0], score) for chunk, score in zip(chunks, best_first, strict=False)
    )


chunks = st.lists(st.sampled_from([chunk_id(path, n) for path in PATHS for n in range(2)]), unique=True, max_size=8)
rankings = st.builds(ranking, chunks, st.lists(st.floats(0.001, 30.0), min_size=8, max_size=8))
whole = st.builds(
    ranking,
    st.lists(st.sampled_from([chunk_id(path, 0) for path in PATHS]), unique=True, max_size=6),
    st.lists(st.floats(0.001, 30.0), min_size=6, max_size=6),
)
settings = st.sampled_from([Settings(), resolve((Layer("test", {"classic": {"fusion": "linear"}}),))])


def found(stage: Stage, lists: dict[str, Ranking], numbers: Settings) -> list[object]:
    search = stage(Search(Query("q"), lists=lists), Tools(store_of({})), numbers)
    return [(each.document, each.chunks, each.score.value, frozenset(each.sources)) for each in search.candidates]


@given(
    st.dictionaries(st.sampled_from(SOURCES), rankings),
    st.sampled_from([fuse, fuse_normalised, fuse_variants, weighted_sum]),
    settings,
    st.randoms(use_true_random=False),
)
def test_permuting_lists_changes_nothing(
    lists: dict[str, Ranking], stage: Stage, numbers: Settings, chance: random.Random
) -> None:
    order = list(lists)
    chance.shuffle(order)
    assert found(stage, lists, numbers) == found(stage, {source: lists[source] for source in order}, numbers)


@given(
    st.dictionaries(st.sampled_from(MEMORYS), whole),
    st.sampled_from([fuse_memory, fuse_three_way]),
    st.randoms(use_true_random=False),
)
def test_permuting_lists_of_whole_documents_changes_nothing(
    lists: dict[str, Ranking], stage: Stage, chance: random.Random
) -> None:
    lists = lists if stage is fuse_memory else {source: each for source, each in lists.items() if source != "graph"}
    order = list(lists)
    chance.shuffle(order)
    assert found(stage, lists, Settings()) == found(stage, {source: lists[source] for source in order}, Settings())


@given(
    st.dictionaries(st.sampled_from(SOURCES), st.integers(1, 200), min_size=1),
    st.dictionaries(st.sampled_from(SOURCES), st.floats(0.0, 5.0)),
    st.data(),
)
def test_a_better_rank_in_one_list_never_lowers_a_score(
    ranks: dict[str, int], weights: dict[str, float], choice: st.DataObject
) -> None:
    source = choice.draw(st.sampled_from(sorted(ranks)))
    better = {**ranks, source: choice.draw(st.integers(1, ranks[source]))}
    before, after = rrf(ranks, weights), rrf(better, weights)
    assert after.value >= before.value
    assert boost_converged(after, len(better)).value >= boost_converged(before, len(ranks)).value
    bonus = Deep().bonus
    assert after.value + top_rank_bonus(min(better.values()), bonus) >= before.value + top_rank_bonus(
        min(ranks.values()), bonus
    )


kinds = st.sampled_from(["references", "extends", "contains"])
links = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(PATHS), kinds), max_size=12)
needles = st.sets(st.sampled_from(PATHS), min_size=1, max_size=3)


def pages(edges: list[tuple[str, str, str]], seeds: set[str]) -> dict[str, Page]:
    return {
        path: Page(
            ("needle",) if path in seeds else ("hay",),
            links=tuple(f"{end}|{kind}" for start, end, kind in edges if start == path),
        )
        for path in PATHS
    }


def asked(edges: list[tuple[str, str, str]], seeds: set[str], depth: int | None, **neighbours: float) -> Search:
    recipe = RECIPES["neighbours"]
    numbers = resolve((Layer("recipe", recipe.overrides), Layer("test", {"neighbours": neighbours})))
    query = Query("needle", mode="keyword", limit=100, depth=depth)
    return run_stages(recipe, query, Tools(store_of(pages(edges, seeds))), numbers)[0]


@given(links, needles)
def test_depth_0_equals_no_graph(edges: list[tuple[str, str, str]], seeds: set[str]) -> None:
    """The pages have no titles, so that links say nothing and lead somewhere alone."""
    assert asked(edges, seeds, 0).candidates == asked([], seeds, 0).candidates == asked([], seeds, None).candidates


@given(links, needles, st.integers(1, 4))
def test_without_decay_or_cap_a_walk_reaches_exactly_the_ball(
    edges: list[tuple[str, str, str]], seeds: set[str], hops: int
) -> None:
    search = asked(edges, seeds, hops, uniform=1.0, min_score=0.0, top_k=100, max_results=100)
    ball = set(seeds)
    for _ in range(hops):
        ball |= set(chain.from_iterable((one, other) for one, other, _ in edges if {one, other} & ball))
    assert {each.document for each in search.candidates} == ball
    assert {each.score.value for each in search.candidates} == {1.0}


odd = st.lists(
    st.sampled_from(
        ['"', "-", "*", ":", "kind:", "after:x", "-kind:code", "(", "\\", "検", "a", "\x00", " ", "#", "@"]
    ),
    max_size=12,
).map("".join)


@given(st.one_of(st.text(), odd), st.sampled_from(sorted(RECIPES)))
def test_any_string_is_a_valid_query(text: str, name: str) -> None:
    recipe = RECIPES[name]
    numbers = resolve((Layer(name, recipe.overrides),))
    tools = Tools(store_of({"a.md": Page(("a needle: 検索",), kind="skills")}))
    found_ = answer_query(recipe, Query(text, explain=True), tools, numbers)
    assert found_.query == text
    assert found_.hits or found_.degraded or found_.total_found == 0
    again = answer_query(recipe, replace(Query(text), explain=True), tools, numbers)
    assert again.hits == found_.hits
