"""Rendering for the page: Markdown, code, snippets and bars."""

from support.page_project import PAYLOADS

from waymeet.formulas.explanation import product, total, value
from waymeet.interfaces.web.markdown import render_blocks, sanitise
from waymeet.interfaces.web.pages.search import split_snippet
from waymeet.interfaces.web.signals import build_bar
from waymeet.interfaces.web.source import colour_lines
from waymeet.types import Section


def _blocks(text: str) -> list[tuple[int, int, str]]:
    return [
        (block.start, block.end, str(block.html).strip()) for block in render_blocks(text, "docs/a.md", lambda _: "")
    ]


def test_blocks_have_the_lines_of_the_source() -> None:
    text = "# One\n\nText\nmore.\n\n    code\n\n- a\n  - b\n\n---\n\n[x]\n\n[x]: b.md\n"
    assert _blocks(text) == [
        (1, 1, "<h1>One</h1>"),
        (3, 4, "<p>Text\nmore.</p>"),
        (6, 6, "<pre><code>code</code></pre>"),
        (8, 9, "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        (11, 11, "<hr>"),
        (13, 13, '<p><a href="/read/docs/b.md" rel="noopener noreferrer">x</a></p>'),
    ]


def test_footnotes_keep_their_names() -> None:
    reference, note = _blocks("A[^n].\n\n[^n]: Note.\n")
    assert 'href="#h-footnote-n"' in reference[2]
    assert "Note." in note[2]
    assert "_" not in reference[2]


def test_headings_have_anchors() -> None:
    blocks = list(render_blocks("# A b\n\n## A b\n", "a.md", lambda _: ""))
    assert [(block.anchor, block.level) for block in blocks] == [("a-b", 1), ("a-b-1", 2)]


def test_sanitised_attacks_have_no_code() -> None:
    for payload in PAYLOADS:
        html = str(sanitise(payload)).lower()
        for forbidden in ("<script", "<style", "<iframe", "<form", "<svg", "<img", " style=", " id=", "javascript:"):
            assert forbidden not in html.replace("&lt;", "").replace("&quot;", "") or "<" not in html, payload


def test_code_keeps_its_lines() -> None:
    text = '"""one\n\ntwo"""\nx = 1\n\n'
    assert len(colour_lines(text, "a.py")) == text.count("\n") + 1
    assert colour_lines("a <b>", "a.unknown") == ["a &lt;b&gt;"]


def test_a_snippet_leaves_out_what_the_headings_show() -> None:
    section = Section("a#L1-L5", 1, 5, ("Setup",), "# Setup\n\nRotate keys.\n## Other", ((9, 15),))
    parts = [(part.text, part.is_match) for part in split_snippet(section, {"Setup"})]
    assert parts == [("Rotate", True), (" keys.", False), ("\n", False), ("Other", False)]
    only = Section("a#L1-L1", 1, 1, ("Setup",), "# Setup", ((2, 7),))
    assert [part.text for part in split_snippet(only, {"Setup"})] == ["Setup"]


def test_a_bar_groups_signals() -> None:
    fused = total(
        "fused", product("weight × lexical", value(0.5, "weight"), value(1.0, "BM25F")), value(0.25, "vector")
    )
    bar = build_bar(total("score", fused, value(0.25, "linked from docs/bm25.md"), value(-0.1, "feedback on a query")))
    assert [(part.group, round(part.share, 2)) for part in bar.parts] == [
        ("lexical", 0.5),
        ("vector", 0.25),
        ("links", 0.25),
    ]
    assert bar.signals[-1][0] == "bonuses"
    assert bar.label == "lexical 50%, vector 25%, links 25%"
