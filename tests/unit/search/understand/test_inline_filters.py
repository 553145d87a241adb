"""Filters in a query: parsed where they are meant, never wider than the caller's own."""

from collections.abc import Collection, Mapping
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.projects import indexed

from waymeet.analysis.keys import property_key
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import run_stages
from waymeet.search.state import Search, Tools
from waymeet.search.understand.inline_filters import DocumentsByKey, narrow_filters, parse_inline_filters
from waymeet.settings import Settings
from waymeet.types import Document, Filters, Query

PAGES = {
    "docs/a.md": "---\ntype: ADR\ntags: [core]\nstatus: open\n---\n# Keys\n\nRotate the keys.\n",
    "docs/b.ja.md": "---\nlang: ja\n---\n# Keys\n\nkeys 鍵\n",
    "src/a.py": "def rotate(keys):\n    return keys\n",
}
DAY = 86_400_000_000_000


def has(*properties: str) -> DocumentsByKey:
    known = {property_key(each) for each in properties}
    return lambda keys: {key: ("a.md",) for key in keys if key in known}


@pytest.mark.parametrize(
    ("query", "text", "filters"),
    [
        ("keys kind:code", "keys", Filters(kinds=("code",))),
        ("kind:doc,note keys", "keys", Filters(kinds=("docs", "notes"))),
        ("keys kind:code kind:docs", "keys", Filters(kinds=("code", "docs"))),
        ("keys -kind:code", "keys", Filters(without_kinds=("code",))),
        ("keys path:src/", "keys", Filters(paths=("src/",))),
        ("keys path:/src", "keys", Filters(paths=("src",))),
        ('keys path:"my notes/x"', "keys", Filters(paths=("my notes/x",))),
        ("keys tag:core type:ADR", "keys", Filters(tags=("core",), doc_types=("decision_record",))),
        ("keys lang:Python ns:billing", "keys", Filters(languages=("python",), namespaces=("billing",))),
        ("keys before:1970-01-02", "keys", Filters(changed_before=DAY)),
        ("keys after:1970-02", "keys", Filters(changed_from=31 * DAY)),
        ("keys after:1971 before:1972", "keys", Filters(changed_from=365 * DAY, changed_before=730 * DAY)),
        ("keys status:open", "keys", Filters(properties=(("status", "open"),))),
        ("keys Status:open", "keys", Filters(properties=(("Status", "open"),))),
        ("keys lang:ja", "keys", Filters(properties=(("lang", "ja"),))),
    ],
)
def test_filters(query: str, text: str, filters: Filters) -> None:
    found = parse_inline_filters(query, has("status", "lang"))
    assert (found.text, found.filters) == (text, filters)


@pytest.mark.parametrize(
    "query",
    [
        "http://example.org",
        "see https://a.b/c?d=e:f",
        "std::vector",
        "a::b::c",
        r"C:\windows",
        "c:/windows",
        "foo:bar",
        "note: this",
        "at 10:30",
        "kind:",
        "kind :code",
        "before:lunch",
        "after:2025-13",
        "after:2025-02-30",
        '"kind:code"',
        "-tag:core",
        "Error:kind",
        "(kind:code)",
    ],
)
def test_what_is_no_filter_stays_text(query: str) -> None:
    found = parse_inline_filters(query, has())
    assert (found.text, found.filters) == (query, Filters())


@given(st.text())
def test_any_string_can_be_read(query: str) -> None:
    parse_inline_filters(query, has("status"))


def ask(query: str, filters: Filters | None = None) -> Search:
    return run_stages(AUTO, Query(query, filters=filters or Filters()), Tools(indexed(PAGES)), Settings())[0]


def documents(search: Search) -> set[str]:
    return {each.document for each in search.candidates}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("keys kind:code", {"src/a.py"}),
        ("keys -kind:code", {"docs/a.md", "docs/b.ja.md"}),
        ("keys path:docs", {"docs/a.md", "docs/b.ja.md"}),
        ("keys type:adr", {"docs/a.md"}),
        ("keys tag:Core", {"docs/a.md"}),
        ("keys lang:python", {"src/a.py"}),
        ("keys lang:ja", {"docs/b.ja.md"}),
        ("keys status:open", {"docs/a.md"}),
        ("keys after:2030", set()),
        ("keys before:2030", set(PAGES)),
    ],
)
def test_filters_act_and_are_reported(query: str, expected: set[str]) -> None:
    search = ask(query)
    assert documents(search) == expected
    written = query.split()[1]
    assert (f"without {written[1:]}" if written[0] == "-" else f"only {written}") in search.notes


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("keys kind:poem", "kind is one of docs, code, notes"),
        ("keys type:poem", "type is one of"),
        ("keys tag:poem", "tag is one of core"),
        ("keys lang:cobol", "lang is one of"),
        ("keys status:shut", "status is one of open"),
        ("keys path:nowhere", "no section with these words passes path:nowhere"),
    ],
)
def test_a_value_that_nothing_has_finds_nothing_and_says_what_there_is(query: str, hint: str) -> None:
    search = ask(query)
    assert not search.candidates
    (told,) = [each for each in search.degraded if each.code == "nothing_passes"]
    assert hint in told.detail


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("keys after:banana", "after:banana was searched for as text: a date is written as"),
        ("keys before:2025-02-30", "before:2025-02-30 was searched for as text: a date is written as"),
        ("keys -tag:core", "-tag:core was searched for as text: only kind: can be negated"),
    ],
)
def test_what_looks_like_a_filter_and_is_none_is_told(query: str, told: str) -> None:
    search = ask(query)
    assert documents(search) == set(PAGES)
    (said,) = [each.detail for each in search.degraded if each.code == "unread_filter"]
    assert said.startswith(told)


@pytest.mark.parametrize("query", ["keys kind:poem", "keys path:nowhere", "keys tag:poem status:shut"])
def test_a_filter_that_nothing_passes_does_not_cost_a_look_at_everything(query: str) -> None:
    looked: list[str] = []

    class Watched:
        """A store that notes which documents are asked for."""

        inner = indexed(PAGES)

        def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
            looked.extend(ids)
            return self.inner.documents(ids)

        def fingerprints(self) -> None:
            pytest.fail("every document was listed")

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    run_stages(AUTO, Query(query), Tools(cast("Any", Watched())), Settings())
    assert len(looked) == len(PAGES)  # each has the word, and is looked at once


def test_a_filter_is_not_blamed_for_words_that_are_nowhere() -> None:
    assert not [each for each in ask("zzzz kind:poem").degraded if each.code == "nothing_passes"]


def test_filters_alone_ask_for_nothing() -> None:
    (told,) = [each for each in ask("kind:code").degraded if each.code == "no_words"]
    assert "besides its filters" in told.detail


def test_a_query_cannot_leave_the_scope_of_its_caller() -> None:
    assert documents(ask("keys path:src", Filters(paths=("docs",)))) == set()
    assert documents(ask("keys kind:code", Filters(kinds=("docs",)))) == set()
    assert documents(ask("keys path:docs/a.md", Filters(paths=("docs",)))) == {"docs/a.md"}


choices = st.builds(
    Filters,
    paths=st.sampled_from([(), ("docs",), ("docs/a.md", "src"), (".",), ("src/",)]),
    kinds=st.sampled_from([(), ("docs",), ("code", "docs")]),
    tags=st.sampled_from([(), ("core",), ("x",)]),
    doc_types=st.sampled_from([(), ("decision_record",)]),
    languages=st.sampled_from([(), ("python",), ("markdown", "python")]),
    properties=st.sampled_from([(), (("status", "open"),), (("status", "shut"), ("lang", "ja"))]),
    changed_from=st.sampled_from([0, 5, 9]),
    changed_before=st.sampled_from([0, 8, 100]),
    without_kinds=st.sampled_from([(), ("code",)]),
)


@given(choices, choices)
def test_both_filters_hold(given_: Filters, query: Filters) -> None:
    """What passes both passes the one made of them, and conversely; tags and properties of one key may be stricter."""
    store = indexed(PAGES)
    passing = [set(store.first_passing_chunks(PAGES, each)) for each in (given_, query, narrow_filters(given_, query))]
    assert passing[2] <= passing[0] & passing[1]
    if not (given_.tags and query.tags) and not (given_.properties and query.properties):
        assert passing[2] == passing[0] & passing[1]


def test_narrowing_by_nothing_changes_nothing() -> None:
    for kinds, paths in product([(), ("docs",)], [(), ("src",)]):
        given_ = Filters(kinds=kinds, paths=paths)
        assert narrow_filters(given_, Filters()) == given_
        assert narrow_filters(Filters(), given_) == replace(given_)
