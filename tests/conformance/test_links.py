"""Targets of links, how they change, and link terms."""

from waymeet.ports import Neighbour, Store
from waymeet.settings import Bm25
from waymeet.types import Edge, Filters, Link, Node

from .make import entry, link, words


def targets(store: Store, *documents: str) -> list[str | None]:
    return [edge.target.document if edge.target else None for edge in store.edges(documents)]


def found(store: Store, text: str) -> list[str]:
    return [hit.document for hit in store.rank_lexical(words(text), 10, Filters(), Bm25())]


def test_an_edge_tells_all_of_its_link(store: Store) -> None:
    written = Link(
        refs=("docs/setup", "setup"),
        kind="imports",
        anchor="install",
        source_anchor="start",
        text="the setup",
        sentence="See the setup.",
        line=7,
        terms={"setup": 2},
    )
    store.put([entry("a.md", "x", links=[written]), entry("setup.md", "x")])
    (edge,) = store.edges(["a.md"])
    assert edge == Edge(
        source=Node("a.md", "start"),
        target=Node("setup.md", "install"),
        kind="imports",
        text="the setup",
        sentence="See the setup.",
        ref="docs/setup",
        line=7,
    )


def test_edges_are_seen_from_both_ends_once_and_in_order(store: Store) -> None:
    store.put(
        [
            entry("b.md", "x", links=[link("c", says="two"), link("a", says="one"), link("c", says="three")]),
            entry("a.md", "x", links=[link("c", says="four"), link("a", says="itself")]),
            entry("c.md", "x"),
        ]
    )
    assert [edge.text for edge in store.edges(["b.md"])] == ["two", "one", "three"]
    assert [edge.text for edge in store.edges(["c.md"])] == ["four", "two", "three"]
    assert [edge.text for edge in store.edges(["a.md"])] == ["four", "itself", "one"]
    assert [edge.text for edge in store.edges(["c.md", "a.md", "b.md", "c.md"])] == [
        "four",
        "itself",
        "two",
        "one",
        "three",
    ]
    assert store.edges([]) == []


def test_kinds_restrict_edges(store: Store) -> None:
    store.put(
        [entry("a.md", "x", links=[link("b", says="1", kind="imports"), link("b", says="2")]), entry("b.md", "x")]
    )
    assert [edge.text for edge in store.edges(["b.md"], ["imports"])] == ["1"]
    assert [edge.text for edge in store.edges(["a.md"], {"imports", "references"})] == ["1", "2"]
    assert store.edges(["a.md"], ["extends"]) == []


def test_a_link_dangles_until_its_page_appears(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("guide", "manual", says="the handbook")])])
    (edge,) = store.edges(["a.md"])
    assert (edge.target, edge.ref) == (None, "guide")
    assert store.counts().dangling == 1
    assert found(store, "handbook") == []
    store.put([entry("docs/manual.md", "x")])
    assert targets(store, "a.md") == ["docs/manual.md"]
    assert store.counts().dangling == 0
    assert found(store, "handbook") == ["docs/manual.md"]


def test_a_better_key_takes_over_when_it_appears(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("guide", "manual")]), entry("manual.md", "x")])
    assert targets(store, "a.md") == ["manual.md"]
    store.put([entry("guide.md", "x")])
    assert targets(store, "a.md") == ["guide.md"]
    store.drop(["guide.md"])
    assert targets(store, "a.md") == ["manual.md"]


def test_a_link_dangles_again_when_its_target_is_dropped(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("b", says="words")]), entry("b.md", "x")])
    store.drop(["b.md"])
    assert targets(store, "a.md") == [None]
    assert store.edges(["b.md"]) == []
    store.put([entry("b.md", "x")])
    assert targets(store, "a.md") == ["b.md"]


def test_a_link_dangles_when_its_target_loses_the_name(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("title")]), entry("b.md", "x", names=["title"])])
    assert targets(store, "a.md") == ["b.md"]
    store.put([entry("b.md", "x", names=["other title"])])
    assert targets(store, "a.md") == [None]


def test_the_nearest_of_several_candidates_is_meant(store: Store) -> None:
    store.put(
        [
            entry("web/pages/start.md", "x", links=[link("setup")]),
            entry("docs/setup.md", "x"),
            entry("web/api/reference/setup.md", "x"),
            entry("web/api/setup.md", "x"),
        ]
    )
    assert targets(store, "web/pages/start.md") == ["web/api/setup.md"]
    store.put([entry("web/pages/deep/setup.md", "x")])
    assert targets(store, "web/pages/start.md") == ["web/pages/deep/setup.md"]
    store.drop(["web/pages/deep/setup.md", "web/api/setup.md"])
    assert targets(store, "web/pages/start.md") == ["web/api/reference/setup.md"]
    store.drop(["web/api/reference/setup.md"])
    assert targets(store, "web/pages/start.md") == ["docs/setup.md"]


def test_among_equally_near_ones_the_shortest_then_the_first_is_meant(store: Store) -> None:
    store.put(
        [entry("a.md", "x", links=[link("p")]), *(entry(path, "x") for path in ("x/long/p.md", "z/p.md", "y/p.md"))]
    )
    assert targets(store, "a.md") == ["y/p.md"]


def test_a_folder_that_only_begins_alike_is_not_near(store: Store) -> None:
    store.put([entry("docs/a.md", "x", links=[link("p")]), entry("docs2/p.md", "x"), entry("b/p.md", "x")])
    assert targets(store, "docs/a.md") == ["b/p.md"]


def test_a_link_without_keys_dangles(store: Store) -> None:
    store.put([entry("a.md", "x", links=[Link(refs=())])])
    (edge,) = store.edges(["a.md"])
    assert (edge.target, edge.ref) == (None, "")


def test_replacing_a_target_keeps_links_to_it(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("b", says="inboundword")]), entry("b.md", "x")])
    store.put([entry("b.md", "rewritten", "longer")])
    assert targets(store, "a.md") == ["b.md"]
    assert found(store, "inboundword") == ["b.md", "b.md"]


def test_link_text_vanishes_with_the_linking_document(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("b", says="inboundword")]), entry("b.md", "x")])
    assert found(store, "inboundword") == ["b.md"]
    store.drop(["a.md"])
    assert found(store, "inboundword") == []


def test_link_text_changes_with_the_linking_document(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("b", says="before")]), entry("b.md", "x"), entry("c.md", "x")])
    store.put([entry("a.md", "x", links=[link("c", says="after")])])
    assert found(store, "before") == []
    assert found(store, "after") == ["c.md"]


def test_link_text_of_several_documents_adds_up(store: Store) -> None:
    store.put([entry(f"{name}.md", "x", links=[link("target", says="common")]) for name in "abc"])
    store.put([entry("target.md", "x"), entry("other.md", "x", links=[link("a", says="common")])])
    assert found(store, "common") == ["target.md", "a.md"]


def test_pages_put_together_find_each_other_in_any_order(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("b")]), entry("b.md", "x", links=[link("a")])])
    assert targets(store, "a.md") == ["b.md", "a.md"]


def test_neighbours_tell_kind_direction_and_number_of_links(store: Store) -> None:
    store.put(
        [
            entry("a.md", "x", links=[link("b"), link("b"), link("c", kind="imports"), link("a"), link("nowhere")]),
            entry("b.md", "x", links=[link("a")]),
            entry("c.md", "x"),
        ]
    )
    expected = {
        "a.md": (
            Neighbour("b.md", "references", outward=False, links=1),
            Neighbour("b.md", "references", outward=True, links=2),
            Neighbour("c.md", "imports", outward=True, links=1),
        ),
        "c.md": (Neighbour("a.md", "imports", outward=False, links=1),),
        "unknown.md": (),
    }
    assert store.neighbours(list(expected)) == expected
    store.optimize()
    assert store.neighbours(list(expected)) == expected
    assert store.neighbours(["a.md"], ["imports"]) == {"a.md": (Neighbour("c.md", "imports", outward=True, links=1),)}
    assert store.neighbours([]) == {}


def test_neighbours_change_with_the_links_and_their_ends(store: Store) -> None:
    store.put([entry("a.md", "x", links=[link("b"), link("c")]), entry("b.md", "x"), entry("c.md", "x")])
    store.optimize()
    store.put([entry("a.md", "x", links=[link("c")])])
    assert store.neighbours(["b.md"]) == {"b.md": ()}
    assert [each.document for each in store.neighbours(["a.md"])["a.md"]] == ["c.md"]
    store.drop(["c.md"])
    assert store.neighbours(["a.md", "c.md"]) == {"a.md": (), "c.md": ()}
    store.optimize()
    store.put([entry("d/c.md", "x", names=["c"])])
    assert [each.document for each in store.neighbours(["a.md"])["a.md"]] == ["d/c.md"]
    assert [each.document for each in store.neighbours(["d/c.md"])["d/c.md"]] == ["a.md"]


def test_a_page_without_links_that_comes_back_with_some_has_neighbours(store: Store) -> None:
    store.put([entry("a.md", "x"), entry("b.md", "x", links=[link("c")]), entry("c.md", "x")])
    store.optimize()
    store.drop(["a.md"])
    store.put([entry("a.md", "x", links=[link("b")])])
    assert [each.document for each in store.neighbours(["a.md"])["a.md"]] == ["b.md"]
