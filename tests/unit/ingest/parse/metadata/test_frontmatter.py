"""Front matter: links to other documents, tier and language."""

import pytest

from waymeet.ingest.parse import RawLink, parse


def front(yaml: str, path: str = "docs/a.md", body: str = "") -> tuple[RawLink, ...]:
    return parse(path, f"---\n{yaml}\n---\n{body}").links


def stated(yaml: str) -> list[tuple[str, str, str]]:
    return [(link.kind, link.target, link.anchor) for link in front(yaml)]


# --- sources -------------------------------------------------------------------------------------------------------


def test_source_refs_are_meant_from_the_root_or_else_from_the_folder() -> None:
    (link,) = front("source_refs:\n  - src/a.py")
    assert (link.kind, link.refs, link.anchor) == ("source", ("p:src/a.py", "p:docs/src/a.py"), "")


@pytest.mark.parametrize(
    ("written", "refs", "anchor"),
    [
        ("src/a.py#Store.put", ("p:src/a.py", "p:docs/src/a.py"), "Store.put"),
        ("src/a.py::Store", ("p:src/a.py", "p:docs/src/a.py"), "Store"),
        ("src/a.py:12", ("p:src/a.py", "p:docs/src/a.py"), ""),
        ("src/a.py#L3-L9", ("p:src/a.py", "p:docs/src/a.py"), ""),
        ("./src/a.py", ("p:src/a.py", "p:docs/src/a.py"), ""),
        ("/src/a.py", ("p:src/a.py", "p:docs/src/a.py"), ""),
        ("../src/a.py", ("p:src/a.py",), ""),
        ("a.py", ("p:a.py", "p:docs/a.py", "n:a.py"), ""),
        ("src/core/", ("p:src/core", "p:docs/src/core", "p:src/core/", "p:docs/src/core/"), ""),
    ],
)
def test_forms_of_a_source(written: str, refs: tuple[str, ...], anchor: str) -> None:
    (link,) = front(f"source_refs: ['{written}']")
    assert (link.refs, link.anchor) == (refs, anchor)


def test_a_vanished_source_is_not_mistaken_for_another_of_its_name() -> None:
    (link,) = front("source_refs: [src/old/util.ts]")
    assert not any(key.startswith("n:") for key in link.refs)


def test_other_keys_name_sources_only_if_they_look_like_paths() -> None:
    assert [link.target for link in front("sources: [src/a.py, a book by somebody, 'https://example.org/a.py']")] == [
        "src/a.py"
    ]
    assert front("covers: everything") == ()


def test_a_source_with_more_about_it() -> None:
    (link,) = front("source_refs:\n  - path: src/a.py\n    hash: abc")
    assert link.target == "src/a.py"


# --- typed links ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("depends_on: [core, dir/b.md]", [("depends_on", "core", ""), ("depends_on", "dir/b.md", "")]),
        ("depends-on: core", [("depends_on", "core", "")]),
        ("supersedes: '[[Old page#Part one]]'", [("supersedes", "Old page", "part-one")]),
        ("supersedes: [[Old page]]", [("supersedes", "Old page", "")]),
        ("supersedes: '[the old one](old.md#x)'", [("supersedes", "old.md", "x")]),
        ("subtask_of: t-1", [("subtask_of", "t-1", "")]),
        ("blocks: [t-2, t-3]", [("blocks", "t-2", ""), ("blocks", "t-3", "")]),
        ("related: x", [("related_to", "x", "")]),
        ("belongs_to: x\nvariant_of: y", [("belongs_to", "x", ""), ("variant_of", "y", "")]),
        ("links: {inspired by: [a, b]}", [("inspired_by", "a", ""), ("inspired_by", "b", "")]),
        ("links: [a, {target: b, type: refines}]", [("references", "a", ""), ("refines", "b", "")]),
        ("enabled: true", []),
        ("enabled: yes", []),
        ("supports: 3", []),
        ("caused: 'https://example.org'", []),
        ("colour: green", []),
    ],
)
def test_keys_named_like_links_are_links(yaml: str, expected: list[tuple[str, str, str]]) -> None:
    assert stated(yaml) == expected


def test_what_front_matter_links_to_stays_a_property() -> None:
    assert parse("a.md", "---\ndepends_on: [x, y]\n---\n").properties == {"depends_on": "x, y"}


def test_links_without_end_are_not_followed() -> None:
    many = ", ".join(f"a{number}" for number in range(2_000))
    assert len(front(f"depends_on: [{many}]")) == 500


# --- tiers and properties ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("yaml", "tier"),
    [
        ("tier: constitutional", "constitutional"),
        ("importance: Critical", "critical"),
        ("importance_tier: IMPORTANT", "important"),
        ("importance: high", "important"),
        ("importance: normal", "normal"),
        ("tier: temporary", "temporary"),
        ("deprecated: true", "deprecated"),
    ],
)
def test_the_importance_of_a_page_is_normalised(yaml: str, tier: str) -> None:
    assert parse("a.md", f"---\n{yaml}\n---\n").properties["tier"] == tier


def test_an_unknown_tier_stays_as_it_is() -> None:
    assert parse("a.md", "---\ntier: gold\n---\n").properties == {"tier": "gold"}


def test_any_key_is_a_property() -> None:
    parsed = parse("a.md", "---\ndescription: About tea\nowner: {name: Hana}\n---\n")
    assert parsed.properties == {"description": "About tea", "owner.name": "Hana"}


# --- languages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "lang", "refs"),
    [
        ("docs/a.ja.md", "ja", ("p:docs/a.md", "p:docs/a.en.md")),
        ("a.zh-CN.md", "zh-cn", ("p:a.md", "p:a.en.md")),
        ("README_ja.md", "ja", ("p:readme.md", "p:readme_en.md")),
        ("README-zh_CN.md", "zh-cn", ("p:readme.md", "p:readme-en.md")),
        ("docs/ja/sub/a.md", "ja", ("p:docs/en/sub/a.md", "p:docs/sub/a.md")),
        ("docs/pt-br/a.md", "pt-br", ("p:docs/en/a.md", "p:docs/a.md")),
        ("web/i18n/ja/docusaurus-plugin-content-docs/current/b/a.md", "ja", ("p:web/docs/b/a.md",)),
        ("docs/a.en.md", "en", ("p:docs/a.md",)),
    ],
)
def test_the_path_gives_the_language_and_the_original(path: str, lang: str, refs: tuple[str, ...]) -> None:
    parsed = parse(path, "text")
    assert parsed.properties["lang"] == lang
    assert [(link.kind, link.refs) for link in parsed.links] == [("translation", refs)]


@pytest.mark.parametrize("path", ["how-to-do-it.md", "notes_is.md", "v1.2.md", "api/my/a.md", "src/no/a.md", "a.md"])
def test_what_only_looks_like_a_language(path: str) -> None:
    parsed = parse(path, "text")
    assert (parsed.properties, parsed.links) == ({}, ())


def test_front_matter_gives_the_language_and_the_original() -> None:
    parsed = parse("a.md", "---\nlang: JA\ntranslation_of: docs/b.md\n---\n")
    assert parsed.properties["lang"] == "ja"
    assert [(link.kind, link.target) for link in parsed.links] == [("translation", "docs/b.md")]


def test_translations_may_be_listed_by_language() -> None:
    links = front("translations: {ja: a.ja.md, fr: fr/a.md}")
    assert [(link.kind, link.target) for link in links] == [("translation", "a.ja.md"), ("translation", "fr/a.md")]


def test_the_script_gives_the_language() -> None:
    assert parse("a.md", "# 検索の設定\n\nここに書きます。\n").properties == {"lang": "ja"}
    assert parse("a.md", "# Setup\n\nThe word 検索 means search, and that is all there is to say.\n").properties == {}


def test_links_named_after_a_language_lead_to_translations_at_the_top_only() -> None:
    text = "[日本語](b.ja.md) | [简体中文](b.zh-CN.md) | [guide](c.md)\n" + "\n" * 40 + "[日本語](d.md)\n"
    assert [link.kind for link in parse("a.md", text).links] == [
        "translation",
        "translation",
        "references",
        "references",
    ]
