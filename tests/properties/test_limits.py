"""The limit of a query never changes the order of the results of `auto`."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from properties.test_answers import collections, filled, queries
from support.corpus import Page, entry

from waymeet.formulas.explanation import evaluate
from waymeet.models.hashing import HashingEmbedder
from waymeet.project import Project
from waymeet.recipes import RECIPES
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import CustomRecipe, Layer, Settings, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Query

AUTO = RECIPES["auto"]
VAULT = Path(__file__).parents[1] / "fixtures" / "vault"
LIMITS = (1, 2, 3, 5, 7, 10, 11, 20, 40, 100, 1000)
EMBEDDER = HashingEmbedder(16)
COPIED = ("docs/p{}.md", "docs/p{}.html", "site/p{}.txt", "old/p{}.md", "vendor/x{}.md", "p{}.rst", "q/q{}.md")
VAULT_QUERIES = (
    "how are leaves counted",
    "reorder_leaves",
    "stock design",
    "tea",
    "在庫の数え方",
    "brewing rules",
    "kind:docs opening hours",
    "weigh -spoon",
    "le*",
)


def numbers(pool: dict[str, int]) -> Settings:
    """Give the settings of `auto`, with pools so small that every limit exceeds them."""
    return resolve((Layer("auto", AUTO.overrides), Layer("test", {"pool": pool})))


POOLS = [numbers({}), numbers({"factor": 1, "min": 0}), numbers({"factor": 1, "min": 0, "seeds": 1})]


def assert_limit_only_cuts(tools: Tools, text: str, chosen: Settings, limits: tuple[int, ...] = LIMITS) -> None:
    answers: list[Answer] = [answer_query(AUTO, Query(text, limit=limit), tools, chosen) for limit in limits]
    rows = [[(hit.id, hit.score, hit.relevance) for hit in answer.hits] for answer in answers]
    for limit, fewer, more in zip(limits, rows, rows[1:], strict=False):
        assert fewer == more[:limit], f"{text!r} with {limit}"
    ids = [hit.id for hit in answers[-1].hits]
    assert len(ids) == len(set(ids))
    assert all(first.score >= second.score for first, second in itertools.pairwise(answers[-1].hits))


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tools, Tools]]:
    """Index the vault, and give tools without and with vectors."""
    index = tmp_path_factory.mktemp("limits") / "index.db"
    with Project.open(VAULT, index=index, flags=["embedding.provider=none"]) as project:
        project.index()
        store = project._open_store()
        chunks = store.chunks(store.chunks_without_vector([EMBEDDER.space], 10_000))
        vectors = EMBEDDER.embed_passages([chunk.text for chunk in chunks.values()])
        store.put_vectors(EMBEDDER.space, dict(zip(chunks, vectors, strict=True)))
        plain = project.tools(store)
        yield plain, plain._replace(embedders=(EMBEDDER,))


@pytest.mark.parametrize("text", VAULT_QUERIES)
@pytest.mark.parametrize("with_vectors", [False, True])
@pytest.mark.parametrize("chosen", POOLS)
def test_the_limit_only_cuts_the_vault(
    vault: tuple[Tools, Tools], text: str, with_vectors: bool, chosen: Settings
) -> None:
    assert_limit_only_cuts(vault[with_vectors], text, chosen)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    collections,
    queries,
    st.sampled_from([None, EMBEDDER]),
    st.sampled_from(POOLS),
    st.lists(st.integers(1, 30), min_size=2, max_size=3, unique=True).map(lambda limits: tuple(sorted(limits))),
)
def test_the_limit_only_cuts_any_collection(
    collection: dict[str, Page],
    text: str,
    embedder: HashingEmbedder | None,
    chosen: Settings,
    limits: tuple[int, ...],
) -> None:
    tools = Tools(filled(collection, embedder), (embedder,) if embedder else ())
    assert_limit_only_cuts(tools, text, chosen, limits)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from(COPIED)), min_size=20, max_size=60, unique=True),
    st.sampled_from(POOLS),
    st.sampled_from([1, 3, 30]),
)
def test_the_limit_only_cuts_a_collection_of_copies(
    pages: list[tuple[int, str]], chosen: Settings, compared: int
) -> None:
    """The more copies there are, the more candidates are compared, and each content is shown once."""
    store = MemoryStore()
    store.put([entry(path.format(number), Page((_long_text(number),))) for number, path in pages])
    chosen = replace(chosen, copies=replace(chosen.copies, candidates=compared))
    assert_limit_only_cuts(Tools(store), "tea leaf", chosen, (1, 2, 5, 10, 11, 30))
    hits = answer_query(AUTO, Query("tea leaf", limit=30), Tools(store), chosen).hits
    numbers_shown = [hit.sections[0].snippet.split()[1] for hit in hits]
    assert sorted(numbers_shown) == sorted({f"number{number}" for number, _ in pages})


def _long_text(number: int) -> str:
    return f"tea number{number} " + "leaf " * (number % 7) + "of the tin that is weighed by the gram each month " * 5


def large_store(pages: int) -> MemoryStore:
    store = MemoryStore()
    store.put(
        [
            entry(
                f"docs/p{n:04}.md", Page((f"tea number {n} " + "leaf " * (n % 7), f"tin {n}"), links=("docs/p0000.md",))
            )
            for n in range(pages)
        ]
    )
    return store


def test_a_large_limit_shows_what_lies_beyond_the_first_lists() -> None:
    tools = Tools(large_store(400))
    assert_limit_only_cuts(tools, "tea leaf", numbers({}), (3, 10, 100, 101, 250, 1000))
    answer = answer_query(AUTO, Query("tea leaf", limit=1000), tools, numbers({}))
    assert {hit.document for hit in answer.hits} == {f"docs/p{n:04}.md" for n in range(400)}


def test_a_score_below_the_first_lists_is_explained() -> None:
    answer = answer_query(AUTO, Query("tea leaf", limit=300, explain=True), Tools(large_store(400)), numbers({}))
    for hit in answer.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score)


def test_there_is_a_further_result_unless_all_are_shown() -> None:
    tools = Tools(large_store(400))
    for limit in (10, 99, 100, 101, 399):
        assert answer_query(AUTO, Query("tea", limit=limit), tools, numbers({})).total_found > limit


def test_a_recipe_based_on_auto_keeps_the_order_too() -> None:
    from waymeet.recipes import find_recipe

    assert find_recipe("calm", {"calm": CustomRecipe(base="auto")}).pool_limit == AUTO.pool_limit
