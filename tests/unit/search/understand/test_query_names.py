"""Names of symbols in a query."""

import pytest

from waymeet.search.understand.query_names import find_names


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("prettifyError", ["prettifyError"]),
        ("ModelAdmin.list_display", ["ModelAdmin.list_display"]),
        ("Store::put or store->get", ["Store.put", "store.get"]),
        ("what does `render` do?", ["render"]),
        ("(see render_page)", ["render_page"]),
        ("res.json([body]) sends what?", ["res.json"]),
        ("where is json() defined", ["json"]),
        ("$ZodType", ["$ZodType"]),
        ("Blueprint", ["Blueprint"]),
        ("class Blueprint", ["Blueprint"]),
        ("Blueprint class", ["Blueprint"]),
        ("__init__", ["__init__"]),
        ("search", ["search"]),
        ("class", ["class"]),
        ("how to search in a class", []),
        ("Blueprint and session", []),
        ("e.g. the item(s) of 3.5 versions", []),
        ("docs/setup.md", []),
        ("", []),
    ],
)
def test_names_are_written_like_code_or_are_the_whole_query(query: str, expected: list[str]) -> None:
    assert [name.name for name in find_names(query)] == expected


def test_a_long_query_has_few_names() -> None:
    assert len(find_names(" ".join(f"name_{letter}" for letter in "abcdefghij"))) == 5
