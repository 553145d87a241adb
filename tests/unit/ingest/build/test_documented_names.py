"""Names that documentation describes below headings and directives of their own."""

import pytest
from support.projects import entry


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.md", "# API\n\n### `res.json([body])`\n\nSends JSON.\n", {"API", "res.json", "json"}),
        ("a.md", "# How to write JSON\n\ntext\n", set()),
        ("a.adoc", "= Title of it\n\n== Store.put\n\nPuts.\n", {"Store.put", "put"}),
        (
            "a.rst",
            (
                "Classes of it\n=============\n\n.. class:: Store(path)\n\n   .. method:: put(item)\n\n      Puts.\n\n"
                ".. py:attribute:: Admin.list_display\n\n.. note:: Other\n"
            ),
            {"Store", "put", "Store.put", "list_display", "Admin.list_display"},
        ),
        ("a.py", "class Store:\n    pass\n", set()),
    ],
)
def test_a_document_has_the_names_it_describes(path: str, text: str, expected: set[str]) -> None:
    names = {name[2:] for name in entry(path, text).document.names if name.startswith("h:")}
    assert names == expected
