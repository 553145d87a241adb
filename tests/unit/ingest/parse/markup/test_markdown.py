"""Markdown: titles, headings, links and front matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.processor_time import processor_seconds

from waymeet.ingest.filetypes import file_type
from waymeet.ingest.parse import Parsed, RawLink, parse
from waymeet.ingest.parse.markup.outline import MAX_LINKS

MARKUP = st.text(alphabet=st.sampled_from("ab é#[]()|!*_`~-=>:&\\\n\n\t .\"'<{}1検。"), max_size=200)


def links(text: str, path: str = "docs/a.md") -> tuple[RawLink, ...]:
    return tuple(link for link in parse(path, text).links if link.kind != "contains")


def link(text: str) -> RawLink:
    (only,) = links(text)
    return only


# --- headings and titles -------------------------------------------------------------------------------------------


def test_headings_have_level_text_anchor_and_line() -> None:
    parsed = parse("a.md", "Intro.\n\n# Top `code` *em*\n\ntext\n\nSub\n---\n\n# Top code em\n")
    assert [(each.level, each.text, each.anchor, each.line) for each in parsed.headings] == [
        (1, "Top code em", "top-code-em", 3),
        (2, "Sub", "sub", 7),
        (1, "Top code em", "top-code-em-1", 10),
    ]


def test_lines_are_right_behind_letters_of_many_bytes() -> None:
    assert parse("a.md", "検索検索検索\n\n# 設定\n\nテキスト\n\n## 次\n").headings[1].line == 7


def test_a_heading_in_code_or_in_a_quotation_begins_no_section() -> None:
    parsed = parse("a.md", "```\n# code\n```\n\n> # quoted\n\n- # item\n\n# real\n")
    assert [heading.text for heading in parsed.headings] == ["real"]


def test_an_anchor_can_be_given() -> None:
    (heading,) = parse("a.md", "# Setting up {#setup}\n").headings
    assert (heading.text, heading.anchor) == ("Setting up", "setup")
    (heading,) = parse("a.md", "# GET /users/{id}\n").headings
    assert heading.text == "GET /users/{id}"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From front matter\n---\n# Heading\n", "From front matter"),
        ("## Second\n\n# First\n", "First"),
        ("## Second\n", "Second"),
        ("no heading", "the.page"),
        ("#\n\n## Named\n", "Named"),
        ("---\ntags: x\n---\n\n## Whole\n\n### Part\n", "Whole"),
        ("## 2.0\n\n## 1.9\n", "the.page"),
        ("Here is how.\n\n## A part\n", "the.page"),
        ("---\ntitle: 42\n---\n", "42"),
        ("---\ntitle:\n---\n# Heading\n", "Heading"),
    ],
)
def test_the_title_comes_from_the_best_place(text: str, title: str) -> None:
    assert parse("docs/the.page.md", text).title == title


# --- front matter --------------------------------------------------------------------------------------------------


def test_front_matter_becomes_attributes_and_properties() -> None:
    text = """---
Title: Search
type: ADR
tags: [ranking, "#bm25", ranking]
keywords: words, more words
aliases: [Finding]
trigger_phrases:
  - how to search
description: What it does.
owner: {name: Ann, team: {id: 7}}
source_refs: [a.py, b.py]
draft: false
empty:
---
Body.
"""
    parsed = parse("docs/a.md", text)
    assert parsed.title == "Search"
    assert parsed.doc_type == "decision_record"
    assert parsed.tags == ("ranking", "bm25", "words", "more words")
    assert parsed.aliases == ("Finding",)
    assert parsed.triggers == ("how to search",)
    assert parsed.properties == {
        "description": "What it does.",
        "owner.name": "Ann",
        "owner.team.id": "7",
        "source_refs": "a.py, b.py",
        "draft": "false",
    }
    assert parsed.body_line == 15
    assert parsed.warnings == ()


def test_tags_may_be_words_in_a_row() -> None:
    assert parse("a.md", "---\ntags: one two three\n---\n").tags == ("one", "two", "three")


def test_a_type_beside_a_doc_type_is_a_property() -> None:
    parsed = parse("a.md", "---\ndoc_type: spec\ntype: note\n---\n")
    assert (parsed.doc_type, parsed.properties) == ("spec", {"type": "note"})


def test_dates_and_tagged_values_are_text() -> None:
    parsed = parse("a.md", "---\ndate: 2026-11-15\nwhat: !thing x\n---\n")
    assert parsed.properties == {"date": "2026-11-15", "what": "x"}


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        ("title: a: b", "not valid YAML (line 2)"),
        ("title: *b", "not valid YAML"),
        (BOMB, "uses aliases"),
        ('{"a":&a [x],"b":*a}', "uses aliases"),
        ("a: " + "[" * 20_000 + "]" * 20_000, "nested more than"),
        ("- " * 30_000 + "x", "nested more than"),
        ("? " * 30_000 + "x", "nested more than"),
        ("a: " + "x" * 70_000, "longer than"),
    ],
)
def test_unusable_front_matter_is_reported_and_stays_text(yaml: str, problem: str) -> None:
    with processor_seconds(4.0):
        parsed = parse("a.md", f"---\n{yaml}\n---\n# Title\n")
    (note,) = parsed.warnings
    assert problem in note
    assert parsed.title == "Title"
    assert parsed.body_line == 1
    assert [heading.text for heading in parsed.headings] == ["Title"]


@pytest.mark.parametrize(
    "text", ["---\n\nJust text.\n\n---\nMore\n", "---\ntitle: never closed\n", "text\n---\ntitle: x\n---\n", "---"]
)
def test_rules_are_not_taken_for_front_matter(text: str) -> None:
    parsed = parse("a.md", text)
    assert (parsed.body_line, parsed.properties, parsed.warnings) == (1, {}, ())


def test_empty_front_matter_is_not_text() -> None:
    parsed = parse("a.md", "---\n---\n# Title\n")
    assert (parsed.body_line, parsed.title) == (3, "Title")


def test_front_matter_at_the_end_of_the_file() -> None:
    assert parse("a.md", "---\ntitle: x\n---").body_line == 4


def test_an_ampersand_or_a_star_is_no_alias() -> None:
    parsed = parse("a.md", "---\ntitle: R&D and AT&T\nnote: 2 * 3 & 4\n---\n")
    assert (parsed.title, parsed.warnings) == ("R&D and AT&T", ())


# --- links ---------------------------------------------------------------------------------------------------------


def test_a_wikilink_names_a_page() -> None:
    found = link("# Top\n\nFirst one. Please see [[Search Design]] for more. Last one.\n")
    assert found == RawLink(
        target="Search Design",
        anchor="",
        kind="references",
        text="Search Design",
        sentence="Please see Search Design for more.",
        line=3,
        section="top",
    )


@pytest.mark.parametrize(
    ("written", "target", "anchor", "kind", "text"),
    [
        ("[[a|shown words]]", "a", "", "references", "shown words"),
        ("[[a|here]]", "a", "", "references", "here"),
        ("[[a|depends_on]]", "a", "", "depends_on", "a"),
        ("[[a|Supersedes]]", "a", "", "supersedes", "a"),
        ("[[a|inspired_by]]", "a", "", "inspired_by", "a"),
        ("[[a|type:inspires]]", "a", "", "inspires", "a"),
        ("[[a|the words|Inspires]]", "a", "", "inspires", "the words"),
        ("[[a#My Heading]]", "a", "my-heading", "references", "a#My Heading"),
        ("[[a#One#Two|text]]", "a", "two", "references", "text"),
        ("[[dir/a.md]]", "dir/a.md", "", "references", "dir/a.md"),
        ("[[dir\\a]]", "dir/a", "", "references", "dir\\a"),
        ("[[ a  b ]]", "a b", "", "references", "a b"),
        ("[x](report.pdf)", "report.pdf", "", "references", "x"),
        ("[[Note: on x]]", "Note: on x", "", "references", "Note: on x"),
        ("![[a]]", "a", "", "embeds", "a"),
        ("![[a#Part|depends_on]]", "a", "part", "embeds", "depends_on"),
        ("[shown](b.md)", "b.md", "", "references", "shown"),
        ("[*shown* `it`](../b.md#Part-One)", "../b.md", "part-one", "references", "shown it"),
        ('[x](b.md "implements")', "b.md", "", "implements", "x"),
        ('[x](b.md "inspired_by")', "b.md", "", "inspired_by", "x"),
        ('[x](b.md "type: inspires")', "b.md", "", "inspires", "x"),
        ('[x](b.md "A title")', "b.md", "", "references", "x"),
        ("[x](b%20c%C3%A9.md)", "b cé.md", "", "references", "x"),
        ("[x](<b c.md>)", "b c.md", "", "references", "x"),
        ("[x](b.md?raw=1#y)", "b.md", "y", "references", "x"),
        ("[x](docs\\b.md)", "docs/b.md", "", "references", "x"),
        ("[x][ref]\n\n[ref]: b.md", "b.md", "", "references", "x"),
        ("[![badge](i.png)](b.md)", "b.md", "", "references", "badge"),
        ("a[^1]\n\n[^1]: [[b]]", "b", "", "references", "b"),
    ],
)
def test_links_are_understood(written: str, target: str, anchor: str, kind: str, text: str) -> None:
    found = link(written)
    assert (found.target, found.anchor, found.kind, found.text) == (target, anchor, kind, text)


@pytest.mark.parametrize(
    "written",
    [
        "[x](https://example.org/a.md)",
        "[x](//example.org/a.md)",
        "[x](mailto:a@b.c)",
        "[x](C:\\a.md)",
        "<https://example.org>",
        "<a@b.c>",
        "[[https://example.org]]",
        "[x](#part)",
        "[[#part]]",
        "![picture](a.png)",
        "![picture](a.md)",
        "![[a.png]]",
        "[x](report.zip)",
        "`[[a]]`",
        "```\n[[a]] [x](b.md)\n```",
        "    [[a]]",
        "\\[[a]]",
        "[[]]",
        "[x]()",
        "[undefined]",
    ],
)
def test_what_leads_nowhere_in_the_project_is_no_link(written: str) -> None:
    assert links(written) == ()


def test_a_wikilink_in_a_table_keeps_its_label_and_its_row() -> None:
    found = link("| a | b |\n|---|---|\n| why | [[page\\|words shown]] |\n")
    assert (found.target, found.text, found.sentence, found.line) == ("page", "words shown", "why words shown", 3)


def test_a_kind_is_left_out_of_the_sentence() -> None:
    assert link("This [[core|depends_on]] at run time.").sentence == "This core at run time."


def test_links_in_one_paragraph_have_their_own_sentences_and_lines() -> None:
    one, two = links("See [[a]] first.\nThen [[b]]! 終わり。")
    assert (one.sentence, one.line) == ("See a first.", 1)
    assert (two.sentence, two.line) == ("Then b!", 2)


def test_japanese_sentences_end_without_a_space() -> None:
    assert link("最初の文。次は[[設定]]を参照。最後。").sentence == "次は設定を参照。"


def test_a_wall_of_text_is_no_sentence() -> None:
    found = link("word " * 500 + "[[a]]" + " word" * 500)
    assert 400 < len(found.sentence) < 500
    assert set(found.sentence.split()) == {"word", "a"}


def test_a_link_in_a_heading_belongs_to_its_section() -> None:
    assert link("# Top\n\n## Part [[a]]\n").section == "part-a"


def test_too_many_links_are_reported() -> None:
    parsed = parse("a.md", "[[a]] " * (MAX_LINKS + 1))
    assert len(parsed.links) == MAX_LINKS
    assert "more than 5,000 links" in parsed.warnings[0]


# --- types of files and documents ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind", "language"),
    [
        ("a.md", "docs", "markdown"),
        ("A.MDX", "docs", "markdown"),
        ("a.txt", "docs", "text"),
        ("a.rst", "docs", "rst"),
        ("README", "docs", "text"),
        ("x/a.py", "code", "python"),
        ("a.tsx", "code", "typescript"),
        ("Makefile", "code", "make"),
        ("CMakeLists.txt", "code", "cmake"),
        ("a.json", "files", "json"),
        ("a.yml", "files", "yaml"),
        ("a.unknown", "files", ""),
        ("py", "files", ""),
        (".gitignore", "files", ""),
    ],
)
def test_the_file_name_decides_the_type(path: str, kind: str, language: str) -> None:
    assert file_type(path) == (kind, language)


@pytest.mark.parametrize(
    ("path", "doc_type"),
    [
        ("docs/adr/0001-use-sqlite.md", "decision_record"),
        ("specs/search.md", "spec"),
        ("docs/search-spec.md", "spec"),
        ("docs/api-guide.md", "guide"),
        ("docs/implementation-summary.md", "implementation_summary"),
        ("docs/implementation-plan.md", "plan"),
        ("README.md", "guide"),
        ("notes/meetings/2026-11-15.md", "meeting"),
        ("TODO.md", "todo"),
        ("specs/001/tasks.md", "tasks"),
        ("specs/001/checklist.md", "checklist"),
        ("handover.md", "handover"),
        ("memory/constitution.md", "constitutional"),
        ("memory/2026.md", "memory"),
        ("scratch/idea.md", "scratch"),
        ("docs/db-schema.md", "db-schema"),
        ("docs/GettingStarted.md", "guide"),
        ("docs/overview.md", "other"),
        ("src/plan.py", "other"),
        ("db/schema.sql", "db-schema"),
        ("pyproject.toml", "config"),
        ("openapi.json", "api"),
        ("data/plan.csv", "other"),
    ],
)
def test_the_type_of_a_document_is_guessed_from_its_path(path: str, doc_type: str) -> None:
    assert parse(path, "").doc_type == doc_type


def test_source_files_that_no_grammar_knows_are_text() -> None:
    assert parse("src/app.pl", "# not a heading\n[[x]]\n") == Parsed(title="app", doc_type="other")


# --- any text ------------------------------------------------------------------------------------------------------


@given(st.one_of(MARKUP, st.text(), MARKUP.map(lambda text: f"---\n{text}\n---\n{text}")))
def test_any_text_parses(text: str) -> None:
    parsed = parse("docs/a.md", text.replace("\r", "\n"))
    lines = text.count("\n") + text.count("\r") + 1
    assert parsed.title
    assert all(1 <= heading.line <= lines for heading in parsed.headings)
    assert len({heading.anchor for heading in parsed.headings}) == len(parsed.headings)
    assert all(found.target and 1 <= found.line <= lines for found in parsed.links)


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "> ",
        "[[",
        "![[",
        "*a ",
        "[a](",
        "[[a|b_c]] ",
        "# a\n",
        "- ",
        "1. > ",
        "|a",
        "```\n\n",
        "&amp;",
        "<a ",
        "<h1>",
        "<h1>a\n</h2>",
    ],
)
def test_hostile_markup_takes_time_in_proportion(text: str) -> None:
    with processor_seconds(20.0):
        parse("a.md", text * (100_000 // len(text)))
