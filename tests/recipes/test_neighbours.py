"""The recipe `neighbours` and its sisters: worked examples, decays, directions, and what is left out."""

import pytest
from corpus import FixedEmbedder, Page, store_of

from waymeet.formulas.explain import evaluate
from waymeet.recipes.neighbours import FILES, NEIGHBOURS, SKILLS_RECALL
from waymeet.search.shape import answer
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Layer, resolve
from waymeet.stores.memory import MemoryStore
from waymeet.types import Answer, Query


def ask(
    store: MemoryStore,
    query: str | Query,
    embedder: FixedEmbedder | None = None,
    recipe: Recipe = NEIGHBOURS,
    **numbers: float,
) -> Answer:
    settings = resolve((Layer("recipe", recipe.overrides), Layer("test", {"neighbours": numbers})))
    asked = Query(query, explain=True, mode="" if embedder else "keyword") if isinstance(query, str) else query
    found = answer(recipe, asked, Tools(store, (embedder,) if embedder else ()), settings)
    for hit in found.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score)
    return found


def scores(found: Answer) -> dict[str, float]:
    return {hit.document: round(hit.score, 3) for hit in found.hits}


def test_ex_scores_are_parts_of_the_best() -> None:
    """Words: a, b, c. Meaning: a, d, b, c. So a has ranks 1 and 1, b 2 and 3, c 3 and 4, d 2 alone."""
    pages = {
        "a.md": "rank rank rank",
        "b.md": "rank rank and more",
        "c.md": "rank and much more beside it",
        "d.md": "x",
    }
    vectors = {"a.md": [(1.0, 0.0)], "d.md": [(0.9, 0.1)], "b.md": [(0.8, 0.3)], "c.md": [(-1.0, 0.2)]}
    found = ask(store_of(pages, vectors), "rank", FixedEmbedder((1.0, 0.0)), min_score=0.4)
    assert scores(found) == {"a.md": 1.0, "b.md": 0.976, "c.md": 0.961, "d.md": 0.492}


def test_ex_what_one_list_has_second_is_below_the_usual_threshold() -> None:
    pages = {"a.md": "rank rank", "b.md": "nothing of the kind"}
    vectors = {"a.md": [(1.0, 0.0)], "b.md": [(0.9, 0.1)]}
    found = ask(store_of(pages, vectors), "rank", FixedEmbedder((1.0, 0.0)))
    assert scores(found) == {"a.md": 1.0}


def test_ex_decays_multiply_along_the_way() -> None:
    """From a, at 1: what it contains gets .95, what that imports .95 · .70."""
    pages = {
        "a.py": Page(("needle",), links=("b.py|contains",), kind="code"),
        "b.py": Page(("hay",), links=("c.py|imports",), kind="code"),
        "c.py": Page(("straw",), kind="code"),
    }
    assert scores(ask(store_of(pages), "needle", depth=2)) == {"a.py": 1.0, "b.py": 0.95, "c.py": 0.665}
    assert scores(ask(store_of(pages), "needle", depth=1)) == {"a.py": 1.0, "b.py": 0.95}
    assert scores(ask(store_of(pages), "needle", depth=2, uniform=0.6, min_score=0.3)) == {
        "a.py": 1.0,
        "b.py": 0.6,
        "c.py": 0.36,
    }


def test_incoming_imports_are_not_walked_but_other_links_are() -> None:
    pages = {
        "helper.py": Page(("needle",), kind="code"),
        "user.py": Page(("hay",), links=("helper.py|imports",), kind="code"),
        "page.md": Page(("straw",), links=("helper.py",)),
    }
    assert scores(ask(store_of(pages), "needle")) == {"helper.py": 1.0, "page.md": 0.8}


def test_the_best_way_to_a_node_counts() -> None:
    pages = {
        "a.md": Page(("needle",), links=("b.md|references", "b.md|contains")),
        "b.md": Page(("hay",)),
    }
    assert scores(ask(store_of(pages), "needle")) == {"a.md": 1.0, "b.md": 0.95}


def test_a_caller_may_keep_the_walk_to_some_kinds_or_switch_it_off() -> None:
    pages = {"a.md": Page(("needle",), links=("b.md", "c.md|extends")), "b.md": "hay", "c.md": "hay"}
    store = store_of(pages)
    asked = Query("needle", mode="keyword", link_types=("extends",), explain=True)
    assert scores(ask(store, asked)) == {"a.md": 1.0, "c.md": 0.85}
    assert scores(ask(store, Query("needle", mode="keyword", depth=0, explain=True))) == {"a.md": 1.0}


def test_proxies_are_never_results() -> None:
    pages = {"a.md": Page(("needle",), links=("@docs/x",)), "@docs/x": "needle needle"}
    assert scores(ask(store_of(pages), "needle")) == {"a.md": pytest.approx(1.0, abs=0.5)}


def test_files_are_found_by_their_paths_not_by_their_text() -> None:
    pages = {"src/embedder.ts": Page(("export const x = 1",), kind="code"), "notes.md": "the embedder is a file"}
    found = ask(store_of(pages), "embedder.ts", recipe=FILES)
    assert [hit.document for hit in found.hits] == ["src/embedder.ts"]


def test_skills_are_recalled_and_nothing_else() -> None:
    pages = {"skills/deploy.md": Page(("deploy to production",), kind="skills"), "docs/deploy.md": "deploy deploy"}
    found = ask(store_of(pages), "deploy", recipe=SKILLS_RECALL)
    assert [hit.document for hit in found.hits] == ["skills/deploy.md"]
