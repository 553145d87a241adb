"""Translations: one of them is shown, and the others are named by the corresponding section."""

from msgspec.structs import replace
from support.corpus import Page, entry, store_of

from waymeet.recipes import find_recipe
from waymeet.search.pipeline import answer_query
from waymeet.search.rank.translations import find_counterpart, translation_groups
from waymeet.search.state import Tools
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Chunk, Query, Symbol

PAGES = {
    "a.md": ("Tea is weighed by the gram.", "en"),
    "a.ja.md": ("Tea はグラムで量ります。お茶の量り方。", "ja"),
    "a.zh.md": ("Tea 按克称重。", "zh"),
    "b.md": ("Tea and water.", ""),
}


def bilingual() -> MemoryStore:
    store = MemoryStore()
    entries = []
    for path, (text, lang) in PAGES.items():
        built = entry(path, Page((text,), links=("a.md|translation",) if lang in {"ja", "zh"} else ()))
        entries.append(replace(built, document=replace(built.document, properties={"lang": lang} if lang else {})))
    store.put(entries)
    return store


def ask(text: str, recipe: str = "auto") -> Answer:
    return answer_query(find_recipe(recipe), Query(text), Tools(bilingual()), Settings())


def shown(found: Answer) -> list[str]:
    return [hit.document for hit in found.hits]


def test_all_translations_of_a_page_form_one_group() -> None:
    groups = translation_groups(bilingual(), ["a.zh.md", "b.md"])
    assert groups == {"a.zh.md": frozenset({"a.md", "a.ja.md", "a.zh.md"})}


def test_a_latin_query_shows_the_latin_page_and_names_its_translations() -> None:
    found = ask("tea")
    assert shown(found).count("a.md") == 1
    assert "a.ja.md" not in shown(found)
    assert "b.md" in shown(found)
    (hit,) = (hit for hit in found.hits if hit.document == "a.md")
    assert [(page.id, page.lang) for page in hit.translations] == [("a.ja.md#L1-L1", "ja"), ("a.zh.md#L1-L1", "zh")]


def test_a_japanese_query_shows_the_japanese_page() -> None:
    assert shown(ask("お茶の量り方 tea"))[0] == "a.ja.md"
    assert shown(ask("称重 tea"))[0] == "a.zh.md"


def test_a_german_query_shows_the_german_page() -> None:
    store = MemoryStore()
    pages = {"a.md": ("Tea is weighed by the gram, Tee.", "en"), "a.de.md": ("Tee wird in Gramm gewogen.", "de")}
    entries = [entry(path, Page((text,), links=("a.md|translation",))) for path, (text, _) in pages.items()]
    store.put([replace(e, document=replace(e.document, properties={"lang": pages[e.document.id][1]})) for e in entries])
    for query, page in (("Wie wird der Tee gewogen?", "a.de.md"), ("how is the tea weighed", "a.md")):
        assert shown(answer_query(find_recipe("auto"), Query(query), Tools(store), Settings())) == [page]


def test_a_translation_with_a_much_better_score_is_shown_in_any_language() -> None:
    assert "a.md" in shown(ask("gram weighed テスト"))
    assert "a.ja.md" not in shown(ask("gram weighed テスト"))


def test_recipes_that_show_both_name_them() -> None:
    found = ask("tea", recipe="classic")
    assert {"a.md", "a.ja.md", "a.zh.md"} <= set(shown(found))
    assert all(hit.translations for hit in found.hits if hit.document.startswith("a."))


def test_a_collection_without_translations_skips_the_stage() -> None:
    found = answer_query(find_recipe("auto"), Query("tea"), Tools(store_of({"a.md": "tea"})), Settings())
    (step,) = (step for step in found.steps if step.stage == "collapse_translations")
    assert step.skipped == "no translations among the results"


# --- alignment -----------------------------------------------------------------------------------------------------


def page(path: str, *sections: tuple[str, ...]) -> list[Chunk]:
    """Make chunks of ten lines; each is given by its headings, the last of which is its anchor."""
    return [
        Chunk(
            f"{path}#L{10 * at + 1}-L{10 * at + 10}", path, at, 10 * at + 1, 10 * at + 10, "", headings, headings[-1:]
        )
        for at, headings in enumerate(sections)
    ]


def test_sections_correspond_by_the_position_of_their_headings() -> None:
    ours = page("a.md", ("A",), ("A", "B"), ("A", "C"))
    theirs = page("a.ja.md", ("あ",), ("あ", "い"), ("あ", "う"))
    assert [find_counterpart(each.id, ours, theirs) for each in ours] == [each.id for each in theirs]


def test_parts_of_a_long_section_correspond_to_parts() -> None:
    ours = page("a.md", ("A",), ("B",), ("B",), ("C",))
    theirs = page("a.ja.md", ("あ",), ("い",), ("う",))
    assert [find_counterpart(each.id, ours, theirs) for each in ours] == [
        "a.ja.md#L1-L10",
        "a.ja.md#L11-L20",
        "a.ja.md#L11-L20",
        "a.ja.md#L21-L30",
    ]


def test_joined_sections_correspond_to_all_of_them() -> None:
    (joined,) = page("a.ja.md", ("あ",))
    joined = replace(joined, anchors=("あ", "い", "う"))
    assert find_counterpart(joined.id, [joined], page("a.md", ("A",), ("B",), ("C",))) == "a.md#L1-L30"


def test_pages_with_different_headings_correspond_by_depth_then_by_position() -> None:
    ours = page("a.md", ("A",), ("A", "B"), ("A", "B", "D"), ("A", "C"))
    theirs = page("a.ja.md", ("あ",), ("あ", "い"), ("あ", "う"))
    assert [find_counterpart(each.id, ours, theirs) for each in ours] == [
        "a.ja.md#L1-L10",
        "a.ja.md#L11-L20",
        "a.ja.md#L11-L20",
        "a.ja.md#L21-L30",
    ]
    assert find_counterpart("a.md#L31-L40", page("a.md", (), (), (), ()), page("a.ja.md", (), ())) == "a.ja.md#L11-L20"


def test_code_blocks_are_no_headings() -> None:
    first, second = page("a.md", ("A",), ("B",))
    block = Symbol("A/python-1", "code_block", 2, 4)
    first = replace(first, anchors=("A", "A/python-1"), symbols=(block,))
    assert find_counterpart(second.id, [first, second], page("a.ja.md", ("あ",), ("い",))) == "a.ja.md#L11-L20"
