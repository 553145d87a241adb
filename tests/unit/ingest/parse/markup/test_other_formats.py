"""Documents that are not Markdown: reStructuredText, AsciiDoc, MDX, HTML, plain text."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.processor_time import processor_seconds

from waymeet.ingest.parse import Parsed, parse

RST = """\
:doc_type: guide

.. _start:

=====
Title
=====

See :ref:`the start <start>`, :doc:`setup/install`, `more <../more.rst#part>`_ and `the web <https://example.org>`_.
The work is done by :func:`~app.store.rotate_keys` and ``Store.put`` in src/app/main.py.

Sub
---

Example::

    # Not a title
    ===========

.. code-block:: python

   from app.store import Store

Deeper
~~~~~~

.. toctree::
   :maxdepth: 2

   intro
   The API <api/index>

Sub again
---------

- a list
"""

ADOC = """\
= The manual
:doc_type: guide

Intro with xref:setup.adoc#part[the setup] and <<opening,the hours>>, done by `Store.put`.

[[opening]]
== Opening hours

[source,python]
----
from app.store import Store
== not a title
----

=== Holidays
"""

HTML = """\
<!DOCTYPE html>
<html lang="ja">
<head><title>Tea &amp; water: the site</title><meta name="description" content="About tea">
<style>p { color: red }</style></head>
<body>
<h1>Tea &amp;
 water</h1>
<p>First line
and <a
  href="setup.html#part">the setup</a>, <a href="https://example.org">elsewhere</a>.</p>
<ul><li><code>Store.put</code> weighs</li>
<li>two</li></ul>
<table>
<tr><td>a</td><td>b</td></tr>
</table>
<h2>Code</h2>
<pre># not a heading
  indented</pre>
<script>var hidden = 1;</script>
<p># a hash &lt;b&gt;</p>
</body></html>
"""


def outline(parsed: Parsed) -> list[tuple[int, str, str, int]]:
    return [(each.level, each.text, each.anchor, each.line) for each in parsed.headings]


def kinds(parsed: Parsed) -> list[tuple[str, str, str]]:
    return [(link.kind, link.target or link.refs[0], link.anchor) for link in parsed.links]


def test_restructuredtext() -> None:
    parsed = parse("docs/a.rst", RST)
    assert (parsed.title, parsed.doc_type, parsed.keys) == ("Title", "guide", ("a:start",))
    assert outline(parsed) == [
        (1, "Title", "start", 5),
        (2, "Sub", "sub", 12),
        (3, "Deeper", "deeper", 24),
        (2, "Sub again", "sub-again", 33),
    ]
    assert kinds(parsed) == [
        ("references", "../more.rst", "part"),
        ("references", "a:start", "start"),
        ("references", "setup/install.rst", ""),
        ("references", "intro.rst", ""),
        ("references", "api/index.rst", ""),
        ("contains", "p:docs/a.rst", "sub/code-1"),
        ("contains", "p:docs/a.rst", "sub/python-1"),
        ("mentions", "s:app.store.rotate_keys", "rotate_keys"),
        ("mentions", "s:Store.put", "Store.put"),
        ("mentions", "p:docs/src/app/main.py", ""),
        ("mentions", "m:python:app/store", "Store"),
    ]
    assert parsed.links[0].sentence == "See the start, setup/install, more and the web."


def test_a_rule_in_a_table_or_by_itself_is_no_title() -> None:
    parsed = parse("a.rst", "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n\n----\n\ntext\n")
    assert parsed.headings == ()


def test_nothing_is_included() -> None:
    assert parse("a.rst", ".. include:: /etc/passwd\n.. raw:: html\n   :file: /etc/passwd\n").links == ()


def test_asciidoc() -> None:
    parsed = parse("docs/a.adoc", ADOC)
    assert (parsed.title, parsed.doc_type, parsed.keys) == ("The manual", "guide", ("a:opening",))
    assert outline(parsed) == [
        (1, "The manual", "the-manual", 1),
        (2, "Opening hours", "opening", 7),
        (3, "Holidays", "holidays", 15),
    ]
    assert kinds(parsed) == [
        ("references", "setup.adoc", "part"),
        ("references", "a:opening", "opening"),
        ("contains", "p:docs/a.adoc", "opening/python-1"),
        ("mentions", "s:Store.put", "Store.put"),
        ("mentions", "m:python:app/store", "Store"),
    ]


def test_mdx_is_read_without_its_javascript() -> None:
    module = "import A from './a'\nexport const b = `\n# no heading\n`\n"
    text = f"{module}\n# Title {{/* remark */}}\n\n<A x={{1}}>\n\n## Inside\n\n</A>\n"
    assert outline(parse("a.mdx", text)) == [(1, "Title", "title", 6), (2, "Inside", "inside", 10)]


def test_mdx_keeps_code_that_begins_like_a_module() -> None:
    parsed = parse("a.mdx", "# A\n\n```js\nimport x from './y.js'\n```\n")
    assert [each.name for each in parsed.symbols] == ["a/js-1"]


def test_a_page_is_read_line_for_line() -> None:
    parsed = parse("docs/a.html", HTML)
    assert parsed.text is not None
    lines = parsed.text.split("\n")
    assert len(lines) == len(HTML.split("\n"))
    assert outline(parsed) == [(1, "Tea & water", "tea--water", 6), (2, "Code", "code", 16)]
    assert lines[7:12] == [
        "First line",
        "and",
        "[the setup](<setup.html#part>), elsewhere.",
        "- `Store.put` weighs",
        "- two",
    ]
    assert lines[13] == "a b"
    assert lines[16:18] == ["    # not a heading", "      indented"]
    assert lines[19] == "\\# a hash <b>"
    assert "hidden" not in parsed.text
    assert "color" not in parsed.text
    assert (parsed.kind, parsed.title) == ("docs", "Tea & water")
    assert parsed.properties == {"lang": "ja", "description": "About tea"}
    assert kinds(parsed) == [("references", "setup.html", "part"), ("mentions", "s:Store.put", "Store.put")]


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>The menu</title><p>Tea", "The menu"),
        ("<title>Sweets — Teahouse</title><h1>Teahouse</h1>\n<h1>Sweets</h1>", "Sweets"),
        ("<h1>Sweets</h1>", "Sweets"),
        ("<p>Tea", "a"),
    ],
)
def test_the_title_of_a_page_is_without_the_site(page: str, title: str) -> None:
    assert parse("a.html", f"<!doctype html>{page}").title == title


def test_headings_of_pages_keep_their_ids() -> None:
    text = "<!doctype html>\n<h1 id='a-b'>A b</h1>\n<section id='sweets'>\n<h2>All that is sweet</h2>\n</section>\n"
    assert [heading.anchor for heading in parse("a.html", text).headings] == ["a-b", "sweets"]


def test_a_page_without_line_breaks_has_its_words_but_no_headings() -> None:
    parsed = parse("a.html", "<!doctype html><h1 id='x'>Tea</h1><p>and water</p><h2>More</h2><p>of it</p>")
    assert (parsed.text, parsed.headings) == ("Tea and water More of it", ())


@pytest.mark.parametrize(
    "text", ["<div class='app'>{{ name }}</div>", "{% extends 'base.html' %}<h1>a</h1>", "<html>{% block a %}</html>"]
)
def test_a_template_stays_as_it_is(text: str) -> None:
    parsed = parse("a.html", text)
    assert (parsed.text, parsed.kind, parsed.headings) == (None, "", ())


def test_pages_are_read_without_an_extra() -> None:
    project = tomllib.loads((Path(__file__).parents[5] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert any(each.startswith("selectolax") for each in project["dependencies"])
    assert not parse("a.html", HTML).warnings


def test_plain_text_mentions_paths() -> None:
    parsed = parse("docs/a.txt", "First.\n\nThe rules are in src/app/rules.py as always.\n")
    (link,) = parsed.links
    assert (link.kind, link.refs[1], link.line) == ("mentions", "p:src/app/rules.py", 3)


MANUAL = """\
tool-add(1)
===========

NAME
----
tool-add - Add files

[verse]
'tool add' [<path>...]

-n::
--dry-run::
\tSee linktool:tool-rm[1].

----
not a title
-----------
----

[[details]]
MORE DETAILS
~~~~~~~~~~~~
Last part.
"""


def test_asciidoc_in_a_text_file_has_sections() -> None:
    parsed = parse("doc/tool-add.txt", MANUAL)
    assert parsed.title == "tool-add(1)"
    assert [(heading.level, heading.text, heading.line) for heading in parsed.headings] == [
        (1, "tool-add(1)", 1),
        (2, "NAME", 4),
        (3, "MORE DETAILS", 21),
    ]
    assert parsed.headings[-1].anchor == "details"


def test_plain_text_with_rules_is_no_asciidoc() -> None:
    parsed = parse("notes.txt", "Report\n======\n\nName  Value\n-----------\na     1\n")
    assert not parsed.headings


@pytest.mark.parametrize("path", ["a.rst", "a.adoc", "a.mdx", "a.html", "a.txt"])
@given(text=st.one_of(st.text(), st.text(alphabet="ab=-~`:._<>[]#|*+\n \t\"'/{}&;!", max_size=300)))
def test_any_text_parses(path: str, text: str) -> None:
    text = text.replace("\r", "\n")
    for content in (text, f"<!doctype html>{text}"):
        parsed = parse(path, content)
        assert parsed.title
        assert all(1 <= heading.line <= content.count("\n") + 1 for heading in parsed.headings)
        assert parsed.text is None or parsed.text.count("\n") == content.count("\n")


@pytest.mark.parametrize("path", ["a.rst", "a.adoc", "a.mdx", "a.html", "a.txt"])
@pytest.mark.parametrize(
    "text",
    [
        "<div>",
        "<p>a",
        "a\n=\n",
        "::\n\n",
        "`a <b",
        "[[a",
        "<<a",
        "`" + " " * 30_000,
        "= a" + " " * 30_000 + "b",
        "xref:",
        "{/*",
        "----\n",
        ".. a::\n",
        "a/b.py ",
    ],
)
def test_hostile_markup_takes_time_in_proportion(path: str, text: str) -> None:
    with processor_seconds(20.0):
        parse(path, "<!doctype html>" + text * (60_000 // len(text)))
