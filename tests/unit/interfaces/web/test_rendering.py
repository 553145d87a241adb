"""Rendering for the page: Markdown, code, snippets and bars."""

from support.page_project import PAYLOADS

from waymeet.formulas.explanation import product, total, value
from waymeet.interfaces.requests.operations.search import SearchAnswer
from waymeet.interfaces.web.html import render
from waymeet.interfaces.web.markdown import render_blocks, sanitise
from waymeet.interfaces.web.pages.fields import SearchState
from waymeet.interfaces.web.pages.search import show_hit, split_snippet, suggest_searches
from waymeet.interfaces.web.signals import build_bar
from waymeet.interfaces.web.source import colour_lines
from waymeet.types import Degraded, Hit, Section


def _blocks(text: str) -> list[tuple[int, int, str]]:
    return [
        (block.start, block.end, str(block.html).strip()) for block in render_blocks(text, "docs/a.md", lambda _: "")
    ]


def test_blocks_have_the_lines_of_the_source() -> None:
    text = "# One\n\nText\nmore.\n\n    code\n\n- a\n  - b\n\n---\n\n[x]\n\n[x]: b.md\n"
    assert _blocks(text) == [
        (1, 1, "<h1>One</h1>"),
        (3, 4, "<p>Text\nmore.</p>"),
        (6, 6, '<pre tabindex="0"><code>code</code></pre>'),
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


def test_explicit_anchors_are_those_of_the_index() -> None:
    (block,) = render_blocks("## Set *up* {#install .x}\n", "a.md", lambda _: "")
    assert (block.anchor, block.heading, str(block.html).strip()) == ("install", "Set up", "<h2>Set <em>up</em></h2>")


def test_details_span_blocks() -> None:
    text = "<details>\n<summary>More</summary>\n\n## Inner\n\n- a\n\n</details>\n"
    text += "<details open>\n\nB\n\n</details>\n\nAfter\n"
    first, second, after = render_blocks(text, "a.md", lambda _: "")
    assert (first.start, first.end) == (1, 6)
    assert str(first.html).startswith("<details>\n<summary>More</summary>")
    assert '<div class="block" id="L4"><span class="anchor" id="h-inner"></span><h2>Inner</h2>' in first.html
    assert first.html.endswith("<li>a</li>\n</ul>\n</div>\n</details>")
    assert [block.heading for block in first.inside] == ["Inner"]
    assert str(second.html).startswith("<details open")
    assert str(after.html).strip() == "<p>After</p>"


def test_details_are_always_closed() -> None:
    nested = "<details>\n\n<details>\n\nA\n\n</details>\n\nB\n"
    for text in (nested, "</details>\n\nA\n", "<div><details>\n\nA\n", "<details><script>\n\nA\n"):
        html = "".join(str(block.html) for block in render_blocks(text, "a.md", lambda _: ""))
        assert html.count("<details") == html.count("</details>")
        assert "A" in html
        assert "script" not in html
    (block,) = render_blocks(nested, "a.md", lambda _: "")
    assert block.html.index("A") < block.html.index("</details>") < block.html.index("B")


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


def test_a_snippet_shows_links_and_code_without_their_marks() -> None:
    text = 'See [the keys](https://keys.example/rotate "Keys").\n```js\nrotate()\n```\n| a |\n|---|'
    section = Section("a#L1-L5", 1, 5, ("Setup",), text, ((9, 13), (29, 35), (58, 64)))
    parts = list(split_snippet(section, {"Setup"}))
    assert "".join(part.text for part in parts) == "See the keys.\nrotate()\n| a |"
    assert [part.text for part in parts if part.is_match] == ["keys", "rotate"]
    code = split_snippet(section, set())
    assert "".join(part.text for part in code) == text


def test_a_bar_groups_signals() -> None:
    lexical = product("weight × words", value(0.5, "weight"), value(1.0, "BM25F of vector.md", "lexical"))
    fused = total("fused", lexical, value(0.25, "cosine", "vector"))
    bar = build_bar(total("score", fused, value(0.25, "linked from bm25.md", "links"), value(-0.1, "feedback")))
    assert [(part.group, round(part.share, 2)) for part in bar.parts] == [
        ("lexical", 0.5),
        ("vector", 0.25),
        ("links", 0.25),
    ]
    assert bar.signals[-1][0] == "bonuses"
    assert bar.label == "lexical 50%, vector 25%, links 25%"


def test_filters_are_switched_on_and_off() -> None:
    state = SearchState("a b", filters=(("kind", "docs"),), limit=30)
    assert state.toggle("in", "src/").url() == "/?q=a+b&kind=docs&in=src%2F"
    assert state.toggle("kind", "docs").url() == "/?q=a+b"
    assert state.request()["kinds"] == ["docs"]


def _low_answer() -> SearchAnswer:
    hit = Hit("a.md#L1-L2", "a.md", "A", "docs", "other", 1, 2, 0.1, "lexical #1", (), ())
    degraded = (Degraded("vector", "partial_vectors", "2 of 9 sections have a vector"), Degraded("x", "y", "z"))
    return SearchAnswer(
        query='"a" b',
        recipe="auto",
        mode="",
        search_type="lexical",
        hits=(hit,),
        total_found=1,
        low_relevance=True,
        degraded=degraded,
        notes=("no result looks relevant; showing the closest matches", "“brth” was corrected to “berth”"),
    )


def test_an_answer_without_a_relevant_result_suggests_other_searches() -> None:
    answer, state = _low_answer(), SearchState('"a" b', filters=(("kind", "docs"),))
    suggestions = dict(suggest_searches(answer, state))
    assert suggestions["Search without filters"] == "/?q=%22a%22+b"
    assert suggestions["Search without quotes"] == "/?q=a+b&kind=docs"
    assert suggestions["Rank by classic"] == "/?q=%22a%22+b&recipe=classic&kind=docs"
    shown = {"hits": [show_hit(hit) for hit in answer.hits], "facets": [], "more": "", "compare": "/compare"}
    page = {"answer": answer, "state": state, "query": answer.query, "suggestions": list(suggestions.items())}
    html = render("results.html", {**page, **shown, "completions": None, "has_words": True})
    assert "No result looks relevant" in html
    assert "2 of 9 sections have a vector, and 1 more" in html
    assert "“brth” was corrected to “berth”" in html
    assert "showing the closest matches" not in html
