"""The keys by which links find documents, and the entries that carry them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.analysis import count_terms
from waymeet.analysis.keys import MENTION_PREFIX
from waymeet.ingest.build.entry import BuiltEntry, build_entry
from waymeet.ingest.build.link_keys import document_keys, link_keys
from waymeet.ingest.parse import parse
from waymeet.ingest.parse.references.paths import module_key
from waymeet.ingest.read.decode import Decoded
from waymeet.settings import Chunking
from waymeet.types import Fingerprint


def build(path: str, text: str) -> BuiltEntry:
    return build_entry(path, Decoded(text, "utf-8"), Fingerprint("d", len(text), 7), Chunking())


def test_a_document_is_known_by_path_name_title_and_aliases() -> None:
    parsed = parse("docs/Search Design.md", "---\ntitle: How to Search!\naliases: [Finding, '']\n---\n")
    assert document_keys("docs/Search Design.md", parsed) == (
        "p:docs/search design.md",
        "n:search design.md",
        "n:search design",
        "t:how to search",
        "t:finding",
    )


def test_names_do_not_depend_on_how_accents_are_spelled() -> None:
    composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
    assert document_keys(composed, parse(composed, "")) == document_keys(decomposed, parse(decomposed, ""))


@pytest.mark.parametrize(
    ("target", "source", "first"),
    [
        ("b.md", "docs/a.md", ["p:docs/b.md", "p:b.md", "n:b.md", "n:b", "t:b"]),
        ("./b.md", "docs/a.md", ["p:docs/b.md", "n:b.md"]),
        ("../b.md", "docs/a.md", ["p:b.md", "n:b.md"]),
        ("/docs/b.md", "x/a.md", ["p:docs/b.md", "n:b.md"]),
        ("../../b.md", "docs/a.md", ["n:b.md", "n:b"]),
        ("b", "a.md", ["p:b", "p:b.md", "p:b.markdown", "p:b.mdx", "p:b/index.md", "p:b/readme.md", "n:b", "t:b"]),
        ("Search Design", "docs/a.md", ["p:docs/search design", "p:docs/search design.md"]),
        ("guide/", "a.md", ["p:guide", "p:guide.md", "p:guide.markdown", "p:guide.mdx", "p:guide/index.md"]),
        (".", "docs/a.md", ["p:docs"]),
        ("..", "docs/a.md", ["p:index.md", "p:readme.md"]),
        ("src/app.py", "docs/a.md", ["p:docs/src/app.py", "p:src/app.py", "n:app.py"]),
        ("sub/README.md", "docs/a.md", ["p:docs/sub/readme.md", "p:sub/readme.md"]),
    ],
)
def test_a_reference_is_tried_as_path_then_by_name_then_by_title(target: str, source: str, first: list[str]) -> None:
    assert list(link_keys(target, source))[: len(first)] == first


def test_a_name_that_every_folder_has_is_not_looked_for_elsewhere() -> None:
    assert link_keys("sub/README.md", "a.md") == ("p:sub/readme.md",)
    assert "n:readme" in link_keys("README", "docs/a.md")


def test_a_source_file_is_not_taken_for_a_page_of_the_same_name() -> None:
    assert "n:app" not in link_keys("src/app.py", "a.md")
    assert "n:app" in link_keys("app.html", "a.md")


@given(st.text(alphabet="ab./\\ é#.md"), st.sampled_from(["a.md", "docs/a.md", "x/y/z.md"]))
def test_no_reference_leads_out_of_the_root(target: str, source: str) -> None:
    for key in link_keys(target, source):
        sort, _, rest = key.partition(":")
        assert sort in {"p", "n", "t"}
        assert rest
        if sort == "p":
            assert not rest.startswith("/")
            assert ".." not in rest.split("/")


def test_a_link_carries_the_terms_of_title_text_and_sentence() -> None:
    (link,) = build("docs/a.md", "# Ranking\n\nThe [fusion page](b.md) explains it.\n").entry.links
    assert link.terms == count_terms("Ranking\nfusion page\nThe fusion page explains it.")
    assert (link.kind, link.source_anchor, link.line, link.text) == ("references", "ranking", 3, "fusion page")
    assert link.refs[0] == "p:docs/b.md"


@pytest.mark.parametrize(
    "target", ["[x](a.md)", "[x](a.md#part)", "[[a]]", "[x](./a.md)", "[x](/docs/a.md)", "[x](#b)"]
)
def test_a_link_to_its_own_document_is_left_out(target: str) -> None:
    assert build("docs/a.md", target).entry.links == ()


def test_an_entry_has_the_terms_of_every_field() -> None:
    text = """---
title: Rank Fusion
tags: [ranking]
aliases: [RRF]
trigger_phrases: [combine lists]
description: About lists.
owner: ann
---
# Top

## Sub

Body words.
"""
    entry = build("docs/rank-fusion.md", text).entry
    assert entry.terms == {
        "title": count_terms("Rank Fusion RRF"),
        "path": count_terms("docs rank-fusion md"),
        "tags": count_terms("ranking"),
        "properties": count_terms("About lists ann"),
        "triggers": count_terms("combine lists"),
    }
    assert [dict(terms) for terms in entry.chunk_terms] == [
        {"headings": count_terms("Top"), "body": count_terms("Top Sub Body words.")}
    ]


def test_a_document_says_what_its_file_is() -> None:
    document = build("src/app.py", "import os\n\nprint(os)").entry.document
    assert (document.id, document.kind, document.language, document.title) == ("src/app.py", "code", "python", "app")
    assert (document.digest, document.size, document.modified_ns, document.lines) == ("d", 20, 7, 3)


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1)])
def test_lines_are_counted_as_an_editor_counts_them(text: str, lines: int) -> None:
    assert build("a.txt", text).entry.document.lines == lines


def test_an_empty_file_can_be_found_by_its_path() -> None:
    entry = build("pkg/__init__.py", "").entry
    assert len(entry.chunks) == len(entry.chunk_terms) == 1
    assert "pkg" in entry.terms["path"]


def test_replaced_bytes_are_noted() -> None:
    damaged = build_entry("a.md", Decoded("\ufffd", "utf-8", replaced=True), Fingerprint("", 1, 0), Chunking())
    assert damaged.warnings == ("some bytes are not valid utf-8 and were replaced",)


def test_prose_is_known_by_the_people_and_places_it_names_and_code_by_its_modules_alone() -> None:
    prose = build("a.md", "# Notes\n\nIn Bristol he met Amy Wadge.\n").entry.document.names
    assert [key for key in prose if key.startswith(MENTION_PREFIX)] == ["e:bristol", "e:amy wadge"]
    code = build("shop/cart.py", '"""Written by Amy Wadge."""\n').entry.document.names
    assert module_key("python", "shop/cart") in code
    assert not any(key.startswith(MENTION_PREFIX) for key in code)
