"""The recipes `neighbours`, `files` and `skills_recall`: worked examples, decays, directions."""

import pytest
from support.corpus import FixedEmbedder, Page, chunk_id, store_of

from waymeet.formulas.explanation import evaluate, value
from waymeet.recipes.neighbours import FILES, NEIGHBOURS, SKILLS_RECALL
from waymeet.search.pipeline import answer_query
from waymeet.search.rank.neighbours import spread_activation
from waymeet.search.state import Recipe, Search, Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Candidate, Query, SourceRank


def ask(
    store: MemoryStore,
    query: str | Query,
    embedder: FixedEmbedder | None = None,
    recipe: Recipe = NEIGHBOURS,
    **numbers: float,
) -> Answer:
    settings = resolve((Layer("recipe", recipe.overrides), Layer("test", {"neighbours": numbers})))
    asked = Query(query, explain=True, mode="" if embedder else "keyword") if isinstance(query, str) else query
    found = answer_query(recipe, asked, Tools(store, (embedder,) if embedder else ()), settings)
    for hit in found.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score)
    return found


def scores(found: Answer) -> dict[str, float]:
    return {hit.document: round(hit.score, 3) for hit in found.hits}


def test_ex_scores_are_parts_of_the_best() -> None:
    """Lexical: a, b, c. Vector: a, d, b, c. So a has ranks 1 and 1, b 2 and 3, c 3 and 4, d 2 alone.

    a: (1/61 + 1/61)/(2/61) = 1 · b: (1/62 + 1/63)·30.5 = .976 · c: (1/63 + 1/64)·30.5 = .961 · d: 1/62·30.5 = .492
    """
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


def test_of_equal_scores_the_match_of_words_is_first() -> None:
    pages = {"a.md": "nothing of the kind", "b.md": "rank rank"}
    vectors = {"a.md": [(1.0, 0.0)]}
    found = ask(store_of(pages, vectors), "rank", FixedEmbedder((1.0, 0.0)))
    assert [(hit.document, hit.score) for hit in found.hits] == [("b.md", 1.0), ("a.md", 1.0)]


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


def test_ex_a_seed_of_point_8_hands_on_76_and_532() -> None:
    pages = {
        "a.py": Page(("hay",), links=("b.py|contains",), kind="code"),
        "b.py": Page(("hay",), links=("c.py|imports",), kind="code"),
        "c.py": Page(("hay",), links=("d.py|imports",), kind="code"),
        "d.py": Page(("hay",), kind="code"),
    }
    start = Candidate("a.py", (chunk_id("a.py", 0),), value(0.8, "seed"), (SourceRank("lexical", 1, 0.8),))
    search = Search(Query("x", depth=3), candidates=(start,))
    found = spread_activation(search, Tools(store_of(pages)), Settings()).candidates
    assert {each.document: round(each.score.value, 3) for each in found} == {"a.py": 0.8, "b.py": 0.76, "c.py": 0.532}


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


def test_links_fill_the_places_that_direct_hits_leave() -> None:
    """Lexical scores of b and c are below .8 of that of a, so that x and y, which a links to, have more."""
    pages = {
        "a.md": Page(("needle needle needle",), links=("x.md", "y.md")),
        "b.md": "needle hay",
        "c.md": "needle straw",
        "x.md": "grass",
        "y.md": "moss",
    }
    found = ask(store_of(pages), "needle", max_results=4)
    assert [hit.document for hit in found.hits] == ["a.md", "x.md", "b.md", "c.md"]
    assert [(each.source, each.rank) for each in found.hits[1].sources] == [("graph", 1)]
    displacing = ask(store_of(pages), "needle", max_results=4, displace=True)
    assert [hit.document for hit in displacing.hits] == ["a.md", "x.md", "y.md", "b.md"]


def test_a_document_is_one_direct_hit() -> None:
    pages = {"a.md": Page(("rank rank rank", "rank rank rank")), "b.md": "rank rank hay"}
    found = ask(store_of(pages), "rank", top_k=2)
    assert [hit.document for hit in found.hits] == ["a.md", "b.md"]
    both = ask(store_of(pages), "rank", top_k=2, per_document=2)
    assert [hit.document for hit in both.hits] == ["a.md", "a.md"]


def test_a_caller_may_keep_the_walk_to_some_kinds_or_switch_it_off() -> None:
    pages = {"a.md": Page(("needle",), links=("b.md", "c.md|extends")), "b.md": "hay", "c.md": "hay"}
    store = store_of(pages)
    asked = Query("needle", mode="keyword", link_types=("extends",), explain=True)
    assert scores(ask(store, asked)) == {"a.md": 1.0, "c.md": 0.85}
    assert scores(ask(store, Query("needle", mode="keyword", depth=0, explain=True))) == {"a.md": 1.0}


def test_proxies_are_walked_through_and_are_never_results() -> None:
    pages = {
        "a.md": Page(("needle",), links=("other:/x",)),
        "other:/x": Page(("needle needle",), kind="proxies", links=("b.md",)),
        "b.md": "hay",
    }
    assert scores(ask(store_of(pages), "needle", depth=2)) == {"a.md": 1.0, "b.md": 0.64}
    asked = Query("needle kind:docs", mode="keyword", explain=True)
    assert scores(ask(store_of(pages), asked)) == {"a.md": 1.0}


@pytest.mark.parametrize("recipe", [NEIGHBOURS, FILES], ids=lambda recipe: recipe.name)
def test_files_in_a_scope_folder_are_results(recipe: Recipe) -> None:
    pages = {"@scope/needle.md": Page(("needle",), links=("@scope/b.md",)), "@scope/b.md": "needle needle hay"}
    found = ask(store_of(pages), "needle", recipe=recipe)
    assert set(scores(found)) == ({"@scope/needle.md"} if recipe is FILES else set(pages))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_walk_leaves_folders_out(depth: int) -> None:
    pages = {
        "docs/": Page(("",), kind="folders", links=("docs/a.md|contains", "docs/b.md|contains", "docs/c.md|contains")),
        "docs/a.md": Page(("needle",), links=("docs/c.md|supports",)),
        "docs/b.md": "hay",
        "docs/c.md": "straw",
    }
    assert scores(ask(store_of(pages), "needle", depth=depth)) == {"docs/a.md": 1.0, "docs/c.md": 0.8}


def test_golden_run() -> None:
    """Lexical: a, b. Vector: b, c, a. So a has ranks 1 and 3, b 2 and 1, c 2 alone.

    b: 1/62 + 1/61 = .0325225, the best: 1 · a: .0322664/.0325225 = .99213 · c: .016129/.0325225 = .49594, no seed.
    One hop: d, which b contains, .95 · c, which a references, .8·.99213 = .7937 · e, which a imports, .69449;
    f, which imports a, is not walked to; g, which extends d, is two hops away.
    """
    pages = {
        "a.md": Page(("rank rank rank",), links=("c.md", "e.md|imports")),
        "b.md": Page(("rank and other words",), links=("d.md|contains",)),
        "c.md": Page(("near",)),
        "d.md": Page(("hay",)),
        "e.md": Page(("straw",)),
        "f.md": Page(("grass",), links=("a.md|imports",)),
        "g.md": Page(("reed",), links=("d.md|extends",)),
    }
    vectors = {"b.md": [(1.0, 0.0)], "c.md": [(0.8, 0.6)], "a.md": [(0.6, 0.8)]}
    found = ask(store_of(pages, vectors), "rank", FixedEmbedder((1.0, 0.0)))
    assert {hit.document: round(hit.score, 5) for hit in found.hits} == {
        "b.md": 1.0,
        "a.md": 0.99213,
        "d.md": 0.95,
        "c.md": 0.7937,
        "e.md": 0.69449,
    }
    assert [hit.sources[0].source for hit in found.hits] == ["lexical", "lexical", "graph", "graph", "graph"]


def test_golden_run_of_files() -> None:
    """By the path alone, which weighs 3 and has 3, 5 and 2 terms, 3.3 on average.

    src/embedder.ts: 3/(.25 + .75·3/3.3) = 3.21951, saturated 1.60265: the best
    docs/embedder/old/notes.md: 3/(.25 + .75·5/3.3) = 2.16393, saturated 1.4152: a part of .88304
    readme.md says "embedder" only in its text, which does not count here.
    """
    pages = {
        "src/embedder.ts": Page(("export const x = 1",), kind="code", links=("readme.md",)),
        "docs/embedder/old/notes.md": "hay",
        "readme.md": "the embedder embedder",
    }
    found = ask(store_of(pages), "embedder", recipe=FILES)
    assert {hit.document: round(hit.score, 5) for hit in found.hits} == {
        "src/embedder.ts": 1.0,
        "docs/embedder/old/notes.md": 0.88304,
    }


def test_golden_run_of_skills_recall() -> None:
    """The texts have 3, 1, 10 and 2 terms, 4 on average; a page that is no skill counts for that, but is not shown.

    a: 3/(.25 + .75·3/4) = 3.69231, saturated 1.66038: the best
    c: 1/(.25 + .75·10/4) = .47059, saturated .61972: a part of .37324
    b has no word of the question, but a references it: .8. c is above .3, and would be left out by the usual .5.
    """
    pages = {
        "skills/a.md": Page(("deploy deploy deploy",), kind="skills", links=("skills/b.md", "docs/d.md")),
        "skills/b.md": Page(("hay",), kind="skills"),
        "skills/c.md": Page(("deploy red blue green pink gray gold lime teal navy",), kind="skills"),
        "docs/d.md": Page(("deploy deploy",)),
    }
    found = ask(store_of(pages), "deploy", recipe=SKILLS_RECALL)
    assert {hit.document: round(hit.score, 5) for hit in found.hits} == {
        "skills/a.md": 1.0,
        "skills/b.md": 0.8,
        "skills/c.md": 0.37324,
    }


def test_files_are_found_by_their_paths_not_by_their_text() -> None:
    pages = {"src/embedder.ts": Page(("export const x = 1",), kind="code"), "notes.md": "the embedder is a file"}
    found = ask(store_of(pages), "embedder.ts", recipe=FILES)
    assert [hit.document for hit in found.hits] == ["src/embedder.ts"]


def test_skills_are_recalled_and_nothing_else() -> None:
    pages = {"skills/deploy.md": Page(("deploy to production",), kind="skills"), "docs/deploy.md": "deploy deploy"}
    found = ask(store_of(pages), "deploy", recipe=SKILLS_RECALL)
    assert [hit.document for hit in found.hits] == ["skills/deploy.md"]
