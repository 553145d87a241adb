"""Headings in HTML blocks of Markdown."""

from waymeet.ingest.parse import parse


def test_headings_in_html_begin_sections() -> None:
    title = '<h1 align="center"><img src="x.png"> A &amp; B</h1>'
    text = f'{title}\n\n## C\n\n<h3 name="set-up">\nHow do I <i>set up</i>?\n</h3>\n\nSo.\n'
    parsed = parse("FAQ.md", text)
    assert parsed.title == "A & B"
    assert [(heading.level, heading.text, heading.anchor, heading.line) for heading in parsed.headings] == [
        (1, "A & B", "a--b", 1),
        (2, "C", "c", 3),
        (3, "How do I set up?", "set-up", 5),
    ]


def test_an_html_heading_without_text_or_in_a_list_is_no_section() -> None:
    text = "<h1><img src='logo.png'></h1>\n\n- item\n\n  <h2>Inside</h2>\n\n# Real\n"
    assert [heading.text for heading in parse("a.md", text).headings] == ["Real"]
