"""Filters, in every query that takes them."""

import numpy as np
import pytest

from waymeet.analysis import normalise_text
from waymeet.ports import Store
from waymeet.settings import Bm25
from waymeet.types import Filters

from .make import entry, words

ENTRIES = [
    entry(
        "docs/a.md",
        ("Rank fusion", "text about ranks"),
        "text: the Setup, of things",
        tags=["Guide", "x"],
        namespace="web",
    ),
    entry(
        "docs/sub/b.md",
        "text with FULL-width ｆｕｓｉｏｎ",
        title="The setup of things",
        doc_type="plan",
        properties={"Team": "Blue, Red"},
    ),
    entry(
        "docs2/c.md",
        "text 全文検索の設定",
        kind="code",
        tags=["guide"],
        language="go",
        namespace="api",
        properties={"team": "red"},
    ),
    entry("docs.md", "text frank fusion", kind="files"),
]
PATHS = ["docs/a.md", "docs/sub/b.md", "docs2/c.md", "docs.md", "unknown.md"]
WITHOUT = [
    (Filters(without_kinds=("code",)), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md"]),
    (Filters(without_kinds=("docs", "files")), ["docs2/c.md"]),
    (Filters(without_kinds=("docs",), kinds=("docs", "code")), ["docs2/c.md"]),
    (Filters(without_kinds=("folders",)), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
]


@pytest.fixture
def filled(store: Store) -> Store:
    store.put(ENTRIES)
    chunks = [chunk.id for each in ENTRIES for chunk in each.chunks]
    store.put_vectors("space", {chunk: np.array([1.0, place], np.float32) for place, chunk in enumerate(chunks)})
    return store


def passing(store: Store, filters: Filters) -> list[str]:
    """Ask for everything that passes, by words, by vectors and by documents, which must agree."""
    lexical = store.rank_lexical(words("text"), 10, filters, Bm25())
    nearest = store.rank_vectors("space", np.array([1.0, 0.0], np.float32), 10, filters)
    assert {hit.chunk for hit in lexical} == {hit.chunk for hit in nearest}
    assert store.first_passing_chunks(PATHS, filters).keys() == {hit.document for hit in lexical}
    for limit in range(1, len(lexical)):
        assert store.rank_lexical(words("text"), limit, filters, Bm25()) == lexical[:limit]
        assert store.rank_vectors("space", np.array([1.0, 0.0], np.float32), limit, filters) == nearest[:limit]
    return sorted(hit.chunk.replace("#L1-L1", "").replace("#L2-L2", "/2") for hit in lexical)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
        (Filters(paths=("docs",)), ["docs/a.md", "docs/a.md/2", "docs/sub/b.md"]),
        (Filters(paths=("docs/",)), ["docs/a.md", "docs/a.md/2", "docs/sub/b.md"]),
        (Filters(paths=("./docs/sub",)), ["docs/sub/b.md"]),
        (Filters(paths=("docs/a.md",)), ["docs/a.md", "docs/a.md/2"]),
        (Filters(paths=("docs/a",)), []),
        (Filters(paths=("doc",)), []),
        (Filters(paths=("docs.md", "docs2")), ["docs.md", "docs2/c.md"]),
        (Filters(paths=("docs2", ".")), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
        (Filters(paths=("",)), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
        (Filters(paths=("%",)), []),
        (Filters(kinds=("code",)), ["docs2/c.md"]),
        (Filters(kinds=("code", "files")), ["docs.md", "docs2/c.md"]),
        (Filters(doc_types=("plan",)), ["docs/sub/b.md"]),
        (Filters(tags=("GUIDE",)), ["docs/a.md", "docs/a.md/2", "docs2/c.md"]),
        (Filters(tags=("gui",)), []),
        (Filters(changed_before=1), []),
        (Filters(changed_from=1, changed_before=2, kinds=("code",)), ["docs2/c.md"]),
        (Filters(changed_from=2), []),
        (Filters(languages=("go", "python")), ["docs2/c.md"]),
        (Filters(namespaces=("web", "api")), ["docs/a.md", "docs/a.md/2", "docs2/c.md"]),
        (Filters(properties=(("team", "RED"),)), ["docs/sub/b.md", "docs2/c.md"]),
        (Filters(properties=(("team", "green"), ("team", "blue"))), ["docs/sub/b.md"]),
        (Filters(properties=(("team", "red"), ("status", "open"))), []),
        (Filters(properties=(("team", "red"),), kinds=("code",)), ["docs2/c.md"]),
        (Filters(tags=("guide",), kinds=("code",)), ["docs2/c.md"]),
        (Filters(tags=("guide",), paths=("docs/sub",)), []),
        (Filters(phrases=(normalise_text("setup – of THINGS"),)), ["docs/a.md/2", "docs/sub/b.md"]),
        (Filters(phrases=(normalise_text("text with full width"),)), ["docs/sub/b.md"]),
        (Filters(phrases=(normalise_text("the setup"),)), ["docs/a.md/2", "docs/sub/b.md"]),
        (Filters(phrases=(normalise_text("rank fusion"),)), ["docs/a.md"]),
        (Filters(phrases=(normalise_text("fusion"),)), ["docs.md", "docs/a.md", "docs/sub/b.md"]),
        (Filters(phrases=("fusion", "width")), ["docs/sub/b.md"]),
        (Filters(phrases=("fusion", "nowhere")), []),
        (Filters(phrases=("",)), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
        (Filters(phrases=("検索",)), ["docs2/c.md"]),
        (Filters(phrases=("fusion",), paths=("docs",)), ["docs/a.md", "docs/sub/b.md"]),
        (Filters(without=(("fusion",),)), ["docs/a.md/2", "docs2/c.md"]),
        (Filters(without=(("rank", "fusion"),)), ["docs.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
        (Filters(without=(("thing",),)), ["docs.md", "docs/a.md", "docs2/c.md"]),
        (Filters(without=(("guid",),)), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
        (Filters(without=(("frank",), ("検索",))), ["docs/a.md", "docs/a.md/2", "docs/sub/b.md"]),
        (Filters(without=(("nowhere",), ())), ["docs.md", "docs/a.md", "docs/a.md/2", "docs/sub/b.md", "docs2/c.md"]),
    ],
)
def test_filter(filled: Store, filters: Filters, expected: list[str]) -> None:
    assert passing(filled, filters) == expected


def test_a_phrase_split_over_text_and_title_is_none(store: Store) -> None:
    store.put([entry("a.md", "text rank", title="fusion")])
    assert not store.first_passing_chunks(["a.md"], Filters(phrases=("rank fusion",)))


def test_filters_do_not_change_scores(filled: Store) -> None:
    everything = {hit.chunk: hit.score for hit in filled.rank_lexical(words("fusion text"), 10, Filters(), Bm25())}
    some = filled.rank_lexical(words("fusion text"), 10, Filters(kinds=("files",)), Bm25())
    assert [hit.score for hit in some] == [everything["docs.md#L1-L1"]]


def test_what_passes_is_found_however_deep_it_lies(store: Store) -> None:
    many = [entry(f"many/{number:03}.md", "text text text") for number in range(400)]
    store.put([*many, *[entry(f"few/{number}.md", "text once and much more beside it") for number in range(5)]])
    for filters in (
        Filters(paths=("few",)),
        Filters(phrases=("once and",)),
        Filters(without=(("md", "text"), ("few",))),
    ):
        hits = store.rank_lexical(words("text"), 5, filters, Bm25())
        assert len(hits) == 5
    assert {hit.document for hit in store.rank_lexical(words("text"), 5, Filters(phrases=("once",)), Bm25())} == {
        f"few/{number}.md" for number in range(5)
    }


def test_a_document_without_chunks_never_passes(store: Store) -> None:
    store.put([entry("empty.md")])
    assert store.first_passing_chunks(["empty.md"], Filters()) == {}
    assert store.chunks_of(["empty.md"]) == {"empty.md": ()}
    assert store.chunk_counts(["empty.md"]) == {"empty.md": 0}


def test_the_first_chunk_that_passes_is_named(store: Store) -> None:
    store.put([entry("a.md", "rank fusion", "links meet", "links again")])
    assert store.first_passing_chunks(["a.md"], Filters()) == {"a.md": "a.md#L1-L1"}
    assert store.first_passing_chunks(["a.md"], Filters(without=(("rank",),))) == {"a.md": "a.md#L2-L2"}
    assert store.first_passing_chunks(["a.md"], Filters(phrases=("again",))) == {"a.md": "a.md#L3-L3"}


@pytest.mark.parametrize(("filters", "expected"), WITHOUT)
def test_kinds_are_left_out(filled: Store, filters: Filters, expected: list[str]) -> None:
    assert passing(filled, filters) == expected
