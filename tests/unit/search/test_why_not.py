"""Why a document is not among the results: the right stage, the right reason, a change that works."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.corpus import Page, entry, store_of

from waymeet.ingest.discover.ignore import find_ignore_rule
from waymeet.recipes import RECIPES
from waymeet.search.state import Tools
from waymeet.search.why_not import TracedQuery, WhyNot, why_not
from waymeet.settings import Ingest, Layer, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters, Query

PAGES = {
    **{f"docs/{n}.md": f"rotate keys {'keys ' * n}" for n in range(1, 6)},
    "docs/setup.md": Page(("a long text in which keys occur once, and nothing else",), title="Rotation guide"),
    "docs/old.md": Page(("nothing of the kind",), title="Old"),
    "src/a.py": Page(("rotate keys",), kind="code"),
}


def explain(
    query: str,
    document: str,
    *,
    recipe: str = "auto",
    store: MemoryStore | None = None,
    limit: int = 3,
    filters: Filters | None = None,
) -> WhyNot:
    store = store or store_of(PAGES)
    request = Query(query, limit=limit, filters=filters or Filters())
    settings = {name: resolve((Layer("recipe", each.overrides),)) for name, each in RECIPES.items()}
    traced = TracedQuery(RECIPES[recipe], request, Tools(store), settings[recipe])
    others = [(RECIPES[name], settings[name]) for name in ("auto", "classic")]
    return why_not(traced, store.documents([document])[document], others)


def test_a_document_among_the_results_is_found() -> None:
    report = explain("rotate keys", "docs/1.md", limit=20)
    assert (report.verdict, report.lost_at, report.changes) == ("found", "", ())
    assert report.rank


def test_a_filter_in_the_query_is_named_as_it_was_written() -> None:
    report = explain("rotate keys kind:code", "docs/1.md")
    assert (report.verdict, report.lost_at) == ("filtered", "filter")
    assert "kind:code" in report.reason
    assert report.changes == ("drop kind:code from the query",)


@pytest.mark.parametrize(
    ("filters", "change"),
    [
        (Filters(kinds=("code",)), "drop --kind"),
        (Filters(paths=("src",)), "drop --in"),
        (Filters(tags=("x",)), "drop --tag"),
    ],
)
def test_a_filter_of_the_caller_is_named_by_its_option(filters: Filters, change: str) -> None:
    assert explain("rotate keys", "docs/1.md", filters=filters).changes == (change,)


def test_an_exclusion_and_a_phrase_are_filters_too() -> None:
    assert explain("keys -rotate", "docs/1.md").changes == ("drop the excluded word",)
    assert explain('"keys occur"', "docs/1.md").changes == ("drop the quotes",)


def test_an_outranked_document_has_its_rank_and_changes_that_raise_it() -> None:
    report = explain("keys", "docs/setup.md")
    assert (report.verdict, report.lost_at) == ("outranked", "limit")
    assert report.rank is not None
    assert report.rank > 3
    assert report.changes[0] == f"--limit {report.rank}: it is then the last one shown"
    assert report.changes[1].startswith("add “guide”, a word of its title: it is then #")
    assert [(each.source, each.rank) for each in report.lists] == [("lexical", report.rank)]


def test_the_rank_of_a_document_counts_all_sections_before_it() -> None:
    """The other document has three sections before it, so that it is result 4, and not among three."""
    pages = {"a.md": Page(("keys keys", "keys keys", "keys keys")), "b.md": Page(("keys and quite different words",))}
    report = explain("keys", "b.md", store=store_of(pages))
    assert (report.verdict, report.rank) == ("outranked", 4)
    assert "--limit 4: it is then the last one shown" in report.changes
    assert explain("keys", "b.md", store=store_of(pages), limit=4).verdict == "found"


def test_a_document_beyond_the_lists_has_its_rank_in_longer_ones() -> None:
    many = store_of(
        {**{f"{n:03}.md": "keys keys" for n in range(150)}, "z.md": Page(("keys and much more",), title="Z")}
    )
    report = explain("keys", "z.md", store=many)
    assert (report.verdict, report.lost_at) == ("outranked", "retrieve")
    assert "#151 of 151 by lexical" in report.reason


def test_a_document_without_the_words_of_the_query_is_unmatched() -> None:
    report = explain("rotate", "docs/old.md")
    assert (report.verdict, report.lost_at) == ("unmatched", "retrieve")
    assert report.changes[0] == "add “Old”, a word of its title: it is then #1"
    assert explain("the", "docs/old.md").lost_at == "understand"


def test_a_stage_that_drops_it_is_named_and_a_recipe_that_does_not() -> None:
    report = explain("rotate keys", "docs/setup.md", recipe="neighbours", limit=20)
    assert (report.verdict, report.lost_at) == ("lost", "select_seeds")
    assert any(change.startswith("--recipe auto: it is then #") for change in report.changes)
    assert next(each.state for each in report.stages if each.stage == "select_seeds") == "absent"


def test_a_stage_that_drops_everything_is_named_too() -> None:
    """The only entry is deprecated, so `weigh_by_intent` leaves nothing at all."""
    store = MemoryStore()
    built = entry("a.md", Page(("needle",), title="A"))
    store.put([replace(built, document=replace(built.document, properties={"tier": "deprecated"}))])
    report = explain("needle", "a.md", recipe="memory", store=store)
    assert (report.verdict, report.lost_at) == ("lost", "weigh_by_intent")


def test_rules_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("# comment\n\n*.log\n/a/b/\n!keep.log\n", encoding="utf-8")
    (tmp_path / "a" / ".waymeetignore").write_text("x.md\n!y.log\n", encoding="utf-8")
    ingest = Ingest(ignore=("drafts/",))

    def rule(path: str) -> str:
        ignored = find_ignore_rule(tmp_path, path, ingest)
        return ignored.rule if ignored else ""

    assert rule("x.log") == ".gitignore, line 3: *.log"
    assert rule("keep.log") == ""
    assert rule("a/y.log") == ""
    assert rule("a/x.md") == "a/.waymeetignore, line 1: x.md"
    assert rule("a/b/c.md") == ".gitignore, line 4: /a/b/"
    assert rule("drafts/z.md") == "setting ingest.ignore: drafts/"
    assert rule("node_modules/z.md") == "setting ingest.default_ignore: node_modules/"
    assert rule("z.md") == ""


_LONG = (
    "Rotate the signing keys every ninety days; the old key stays valid for a week, so that open sessions go on. " * 2
)


def test_a_copy_is_explained_by_the_section_that_is_shown() -> None:
    store = store_of({"keys.txt": _LONG, "keys.html": _LONG})
    report = explain("rotate keys", "keys.html", store=store)
    assert (report.verdict, report.lost_at) == ("lost", "collapse_copies")
    assert report.reason == "keys.html#L1-L1 is shown as a copy of keys.txt#L1-L1"
    assert "--in keys.html: it is then #1" in report.changes


def test_a_lower_section_of_a_document_with_a_copy_names_the_copy() -> None:
    pages = {**PAGES, "keys.txt": _LONG, "keys.html": Page((_LONG, "other keys"))}
    report = explain("rotate keys", "keys.html", store=store_of(pages), limit=1)
    assert report.verdict == "outranked"
    assert report.reason.endswith("; keys.html#L1-L1 is shown as a copy of keys.txt#L1-L1")
