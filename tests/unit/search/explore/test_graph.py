"""Related documents, graphs, broken links and suggestions, over a store in memory."""

import pytest
from conformance.make import entry
from msgspec.structs import replace

from waymeet.errors import NotIndexedError
from waymeet.search.explore.broken_links import find_broken_links, find_orphans
from waymeet.search.explore.graph import graph_around, list_connections, whole_graph
from waymeet.search.explore.page_titles import Titles
from waymeet.search.explore.prose import blank_non_prose
from waymeet.search.explore.related import rank_related
from waymeet.search.explore.suggest_links import suggest_links
from waymeet.search.lookup.did_you_mean import similar_paths
from waymeet.search.lookup.find import find_target
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import IndexEntry, Link, Symbol


def to(*paths: str, kind: str = "references", anchor: str = "") -> list[Link]:
    return [Link((f"p:{path}",), kind, anchor=anchor, line=3) for path in paths]


def page(path: str, *links: Link, text: str = "text", title: str = "", kind: str = "docs") -> IndexEntry:
    names = (f"p:{path}", f"t:{title.lower()}") if title else (f"p:{path}",)
    language = "markdown" if path.endswith(".md") else ""
    return entry(path, text, title=title, names=names, links=links, kind=kind, language=language)


def store_of(*entries: IndexEntry) -> MemoryStore:
    store = MemoryStore()
    store.put(entries)
    return store


# --- related --------------------------------------------------------------------------------------------------


def ranked(store: MemoryStore, document: str, depth: int = 2, limit: int = 10) -> list[str]:
    found = rank_related(store, document, depth=depth, kinds=(), limit=limit, fan_out=200)
    return [each.document for each in found]


def test_a_page_that_links_to_everything_connects_nothing() -> None:
    pages = [f"p{n}.md" for n in range(30)]
    store = store_of(
        page("hub.md", *to(*pages, "a.md", "b.md")),
        page("pair.md", *to("a.md", "b.md")),
        page("a.md"),
        page("b.md"),
        *(page(each) for each in pages),
    )
    assert ranked(store, "a.md")[:3] == ["pair.md", "b.md", "hub.md"]


def test_depth_ends_the_walk_and_the_start_is_left_out() -> None:
    store = store_of(*(page(f"{n}.md", *to(f"{n + 1}.md")) for n in range(5)))
    assert ranked(store, "0.md", depth=1) == ["1.md"]
    assert set(ranked(store, "0.md", depth=3)) == {"1.md", "2.md", "3.md"}
    assert ranked(store, "0.md", depth=3, limit=1) == ["1.md"]
    chain = rank_related(store, "0.md", depth=3, kinds=(), limit=9, fan_out=200)
    assert {each.document: (each.hops, each.reasons) for each in chain} == {
        "1.md": (1, ("linked from it",)),
        "2.md": (2, ("linked through 1.md",)),
        "3.md": (3, ("linked through several documents",)),
    }


def test_reasons_name_what_both_share() -> None:
    store = store_of(
        page("a.md", *to("x.py", kind="mentions"), *to("t.md", kind="inspired_by")),
        page("b.md", *to("x.py", kind="mentions"), *to("t.md", kind="inspired_by")),
        page("x.py", kind="code"),
        page("t.md"),
    )
    (found,) = [
        each for each in rank_related(store, "a.md", depth=2, kinds=(), limit=9, fan_out=9) if each.document == "b.md"
    ]
    assert set(found.reasons) == {"both mention x.py", "both: inspired_by t.md"}


# --- the graph itself -----------------------------------------------------------------------------------------


def test_a_graph_is_cut_at_its_limit_and_says_so() -> None:
    store = store_of(page("a.md", *to(*(f"p{n}.md" for n in range(9)))), *(page(f"p{n}.md") for n in range(9)))
    graph = graph_around(store, find_target(store, "a.md"), 2, (), 5)
    assert (len(graph.nodes), len(graph.edges), graph.cut) == (5, 4, True)
    assert whole_graph(store, (), 100).cut is False
    assert [node.id for node in whole_graph(store, (), 1).nodes] == ["a.md"]


def test_links_of_one_kind_between_two_nodes_are_counted() -> None:
    store = store_of(page("a.md", *to("b.md"), *to("b.md"), *to("b.md", kind="extends")), page("b.md", *to("a.md")))
    edges = {(edge.source, edge.target, edge.kind): edge.links for edge in whole_graph(store, (), 9).edges}
    assert edges == {
        ("a.md", "b.md", "references"): 2,
        ("a.md", "b.md", "extends"): 1,
        ("b.md", "a.md", "references"): 1,
    }


def test_an_edge_inside_a_document_is_drawn_only_between_symbols() -> None:
    inside = Link(("p:a.py",), "calls", anchor="f", source_anchor="g")
    store = store_of(page("a.py", inside, kind="code"))
    assert whole_graph(store, (), 9).edges == ()
    fine = whole_graph(store, (), 9, symbols=True)
    assert [(edge.source, edge.target) for edge in fine.edges] == [("a.py#g", "a.py#f")]
    assert [each.direction for each in list_connections(store, find_target(store, "a.py"))] == ["out", "in"]


# --- finding --------------------------------------------------------------------------------------------------


def test_a_symbol_is_found_by_its_last_part_if_that_is_clear() -> None:
    made = entry("a.py", "x", names=("p:a.py",), kind="code")
    symbols = (
        Symbol("Store.put", "method", 1, 1),
        Symbol("Store.get", "method", 1, 1),
        Symbol("X.get", "method", 1, 1),
    )
    store = store_of(replace(made, chunks=(replace(made.chunks[0], symbols=symbols),)))
    assert find_target(store, "a.py#put").anchor == "Store.put"
    assert find_target(store, "a.py#L1").lines == (1, 1)
    with pytest.raises(NotIndexedError, match="has no 'get'"):
        find_target(store, "a.py#get")


def test_similar_paths_in_common_folders_come_first() -> None:
    paths = ["b/setup.md", "a/setup.md", "a/stop.md", "a/"]
    assert similar_paths("a/setup.md", paths) == ["a/setup.md", "b/setup.md"]
    assert similar_paths("a/setpu", paths) == ["a/setup.md", "b/setup.md"]
    assert similar_paths("something else", paths) == []
    assert similar_paths("", paths) == []


# --- broken links -----------------------------------------------------------------------------------------------------


def test_only_links_that_people_wrote_can_be_broken() -> None:
    kinds = ("references", "source", "inspired_by", "implements", "mentions", "imports", "calls")
    links = [link for kind in kinds for link in to("none.md", kind=kind)]
    store = store_of(page("a.md", *links), page("a.py", *links, kind="code"))
    assert [(each.document, each.kind) for each in find_broken_links(store, {})] == [
        ("a.md", kind) for kind in ("references", "source", "inspired_by", "implements")
    ]


@pytest.mark.parametrize(
    ("anchor", "there"),
    [
        ("part", True),
        ("no-part", False),
        ("top", True),
        ("marked", True),
        ("named", True),
        ("set", True),
        ("^block", True),
        ("^other", False),
        ("L3", False),
    ],
)
def test_anchors(anchor: str, there: bool) -> None:
    text = "<a id=\"marked\"></a> <a name='named'></a> ## x {#set}\nA block. ^block\n"
    target = entry("b.md", ("Part", text), names=("p:b.md",))
    store = store_of(page("a.md", *to("b.md", anchor=anchor)), target)
    assert (find_broken_links(store, {}) == ()) is there


def test_lines_of_code_are_places() -> None:
    target = replace(page("b.py", kind="code"))
    target = replace(target, document=replace(target.document, lines=10))
    store = store_of(page("a.md", *to("b.py", anchor="L10-L12"), *to("b.py", anchor="L11")), target)
    assert [each.target for each in find_broken_links(store, {})] == ["b.py#L11"]


def test_links_from_folders_and_between_orphaned_translations_do_not_count() -> None:
    store = store_of(
        page("docs/", *to("docs/a.md", "docs/b.md", kind="contains"), kind="folders"),
        page("docs/a.md", *to("docs/a.ja.md", kind="translation"), *to("docs/b.md")),
        page("docs/a.ja.md"),
        page("docs/b.md", *to("docs/b.ja.md", kind="translation")),
        page("docs/b.ja.md"),
        page("README.md"),
    )
    assert [(each.document, each.links) for each in find_orphans(store, ("docs",))] == [
        ("docs/a.ja.md", 0),
        ("docs/a.md", 1),
    ]


# --- suggestions ----------------------------------------------------------------------------------------------


def named(text: str, *titles: str) -> list[str]:
    pages = [page(f"{n}.md", title=title).document for n, title in enumerate(titles)]
    return [text[start:end] for start, end, _ in Titles(pages).find_mentions(blank_non_prose(text))]


@pytest.mark.parametrize(
    ("text", "titles", "found"),
    [
        ("About rank fusion here", ["Rank fusion"], ["rank fusion"]),
        ("About rank-fusion here", ["Rank fusion"], ["rank-fusion"]),
        ("About rank\nfusion here", ["Rank fusion"], ["rank\nfusion"]),
        ("About frank fusion", ["Rank fusion"], []),
        ("Rank fusion rules apply", ["Rank fusion", "Rank fusion rules"], ["Rank fusion rules"]),
        ("The Setup is long", ["Setup"], ["Setup"]),
        ("The setup is long. Setup is hard", ["Setup"], []),
        ("`rank fusion` and [rank fusion](x.md) and [[rank fusion]]", ["Rank fusion"], []),
        ("# Rank fusion\n", ["Rank fusion"], []),
        ("```\nrank fusion\n```\n", ["Rank fusion"], []),
        ("see https://x.org/rank fusion", ["Rank fusion"], []),
        ("検索の設定について", ["設定", "検索の設定"], ["検索の設定"]),
        ("About rank fusion", ["Rank fusion", "Rank fusion"], []),
    ],
)
def test_where_a_text_names_a_page(text: str, titles: list[str], found: list[str]) -> None:
    assert named(text, *titles) == found


def test_hostile_texts_are_blanked_quickly() -> None:
    for text in (
        "[" * 50_000,
        "`" * 50_001,
        "<" * 50_000,
        "$" * 50_001,
        "~~~\n" * 10_000,
        "[[" * 30_000,
        "a\n" * 50_000,
    ):
        assert len(blank_non_prose(text)) == len(text)


def test_a_page_that_is_linked_already_is_not_suggested() -> None:
    linked = page("a.md", *to("b.md"), text="All of rank fusion and of graph walks.", title="First page")
    store = store_of(linked, page("b.md", title="Rank fusion"), page("c.md", title="Graph walks"))
    found = suggest_links(store, Settings(), 10)
    assert [(each.target, each.linked_sentence) for each in found.found if each.kind == "title"] == [
        ("c.md", "All of rank fusion and of [graph walks](c.md).")
    ]
    assert suggest_links(store, Settings(), 10, only="b.md").found == ()
