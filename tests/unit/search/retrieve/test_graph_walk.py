"""The walk of the recipe `memory` ends paths that are too weak to count."""

from collections.abc import Collection, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import Page, store_of

from waymeet.ports import Neighbour
from waymeet.search.retrieve.graph_walk import LinkPath, find_best_paths
from waymeet.search.state import Tools
from waymeet.settings import Memory, Settings
from waymeet.stores.memory.store import MemoryStore

_DOCUMENTS = ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"]
_LINKS = st.tuples(st.sampled_from(_DOCUMENTS), st.sampled_from(["", "|supersedes", "|contradicts"]))


def keep(paths: Mapping[str, LinkPath], min_score: float) -> dict[str, LinkPath]:
    return {document: path for document, path in paths.items() if path.score >= min_score}


@given(
    links=st.fixed_dictionaries(dict.fromkeys(_DOCUMENTS, st.lists(_LINKS, max_size=3))),
    starts=st.dictionaries(st.sampled_from(_DOCUMENTS), st.floats(0.001, 1.0), min_size=1),
    min_score=st.floats(0.0, 1.0),
    hop=st.sampled_from([0.0, 0.5, 1.0]),
    depth=st.integers(0, 3),
)
def test_ending_weak_paths_changes_no_path_that_counts(
    links: dict[str, list[tuple[str, str]]], starts: dict[str, float], min_score: float, hop: float, depth: int
) -> None:
    pages = {name: Page(("text",), links=tuple(to + kind for to, kind in links[name])) for name in _DOCUMENTS}
    tools, settings = Tools(store_of(pages)), Settings(memory=Memory(hop=hop))
    every = find_best_paths(tools, starts, depth, (), settings)
    strong = find_best_paths(tools, starts, depth, (), settings, min_score=min_score * (1.0 - 1e-9))
    assert keep(strong.relations, min_score) == keep(every.relations, min_score)
    assert keep(strong.links, min_score) == keep(every.links, min_score)


def test_neighbours_of_weak_paths_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a, b has 1.0 · 0.5; a link of the largest weight, 1.5, could give its neighbours 0.375."""
    read: list[set[str]] = []
    original = MemoryStore.neighbours

    def neighbours(
        store: MemoryStore, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        read.append(set(documents))
        return original(store, documents, kinds)

    monkeypatch.setattr(MemoryStore, "neighbours", neighbours)
    tools = Tools(store_of({"a.md": Page(("text",), links=("b.md",)), "b.md": "text", "weak.md": "text"}))
    starts = {"a.md": 1.0, "weak.md": 0.1}
    find_best_paths(tools, starts, 2, (), Settings(), min_score=0.375)
    assert read == [{"a.md"}, {"b.md"}]
    read.clear()
    find_best_paths(tools, starts, 2, (), Settings(), min_score=0.376)
    assert read == [{"a.md"}, set()]
