"""The link list of the recipe `memory`: which links count, and where the list ends."""

import pytest
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.recipes.memory import MEMORY
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Layer, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Query


def ask(query: str | Query, store: MemoryStore, *, vectors: bool = True, **memory: float) -> Answer:
    settings = resolve((Layer("recipe", MEMORY.overrides), Layer("test", {"memory": memory})))
    embedders = (FixedEmbedder((1.0, 0.0)),) if vectors else ()
    return answer_query(MEMORY, Query(query) if isinstance(query, str) else query, Tools(store, embedders), settings)


def graph_list(found: Answer) -> list[str]:
    ranks = {hit.document: each.rank for hit in found.hits for each in hit.sources if each.source == "graph"}
    return sorted(ranks, key=ranks.__getitem__)


def test_ordinary_links_lead_to_strong_hits_only() -> None:
    """Of the best fused score, b has (1/62 + 1/62)/(2/61) = .984 and c, in one list only, 1/63/(2/61) = .484."""
    pages = {
        "a.md": Page(("rank rank rank rank",), links=("b.md", "c.md", "d.md")),
        "b.md": Page(("rank rank rank hay",)),
        "c.md": Page(("straw",)),
        "d.md": Page(("grass",)),
    }
    store = store_of(pages, {"a.md": [(1.0, 0.0)], "b.md": [(0.9, 0.1)], "c.md": [(0.8, 0.2)]})
    found = ask("rank", store)
    assert graph_list(found) == ["b.md", "a.md"]
    assert [hit.document for hit in found.hits] == ["a.md", "b.md", "c.md"]
    assert graph_list(ask("rank", store, strong=0.99)) == ["a.md"]
    assert graph_list(ask("rank", store, strong=0.0)) == ["b.md", "a.md"]


def test_ordinary_links_do_not_count_if_there_is_one_list() -> None:
    """The link list would outweigh it."""
    pages = {"a.md": Page(("rank rank rank rank",), links=("b.md",)), "b.md": Page(("rank rank rank hay",))}
    found = ask("rank", store_of(pages), vectors=False)
    assert graph_list(found) == []
    assert [hit.document for hit in found.hits] == ["a.md", "b.md"]


def test_linked_hits_do_not_overtake_a_better_one_without_links() -> None:
    pages = {
        "a.md": Page(("rank rank rank rank",)),
        "b.md": Page(("rank rank rank hay",), links=("c.md",)),
        "c.md": Page(("rank rank hay hay",)),
    }
    vectors = {"a.md": [(1.0, 0.0)], "b.md": [(0.9, 0.1)], "c.md": [(0.8, 0.2)]}
    found = ask("rank", store_of(pages, vectors))
    assert graph_list(found) == []
    assert [hit.document for hit in found.hits] == ["a.md", "b.md", "c.md"]
    assert {step.stage: step.skipped for step in found.steps}["walk_links"] == "no links between strong hits"


def test_relations_lead_to_any_entry_even_beside_an_ordinary_link() -> None:
    pages = {"a.md": Page(("needle",), links=("b.md", "b.md|contradicts", "c.md")), "b.md": "hay", "c.md": "straw"}
    found = ask("needle", store_of(pages), vectors=False)
    assert {hit.document: each.score for hit in found.hits for each in hit.sources if each.source == "graph"} == {
        "b.md": pytest.approx(1 / 61 * 0.8 * 0.5)
    }


def test_links_of_the_kinds_that_a_caller_names_lead_to_any_entry() -> None:
    pages = {"a.md": Page(("needle",), links=("b.md", "c.md|extends")), "b.md": "hay", "c.md": "straw"}
    found = ask(Query("needle", link_types=("references",)), store_of(pages), vectors=False)
    assert graph_list(found) == ["b.md"]


def test_the_link_list_ends_where_paths_are_weak() -> None:
    """From a: b ·.5, c ·.25, and by `contradicts` d ·.4 and e ·.16, of the best fused score."""
    pages = {
        "a.md": Page(("needle",), links=("b.md|supports", "d.md|contradicts")),
        "b.md": Page(("hay",), links=("c.md|supports",)),
        "c.md": "straw",
        "d.md": Page(("grass",), links=("e.md|contradicts",)),
        "e.md": "moss",
    }
    store = store_of(pages)
    assert graph_list(ask("needle", store, vectors=False)) == ["b.md", "d.md", "c.md"]
    assert graph_list(ask("needle", store, vectors=False, min_path=0.0)) == ["b.md", "d.md", "c.md", "e.md"]
    assert graph_list(ask("needle", store, vectors=False, min_path=0.45)) == ["b.md"]
