"""Why a document is not among the answers: the right stage, the right reason, a change that works."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.corpus import Page, entry, store_of

from waymeet.ingest.discover.ignore import matching_ignore_rule
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


def told(
    query: str,
    document: str,
    *,
    recipe: str = "auto",
    store: MemoryStore | None = None,
    limit: int = 3,
    filters: Filters | None = None,
) -> WhyNot:
    store = store or store_of(PAGES)
    chosen = RECIPES[recipe]
    asked = Query(query, limit=limit, filters=filters or Filters())
    settings = {name: resolve((Layer("recipe", each.overrides),)) for name, each in RECIPES.items()}
    road = TracedQuery(chosen, asked, Tools(store), settings[recipe])
    others = [(RECIPES[name], settings[name]) for name in ("auto", "classic")]
    return why_not(road, store.documents([document])[document], others)


def test_what_is_found_is_said_to_be() -> None:
    found = told("rotate keys", "docs/1.md", limit=20)
    assert (found.verdict, found.lost_at, found.changes) == ("found", "", ())
    assert found.rank


def test_a_filter_in_the_query_is_named_as_it_was_written() -> None:
    found = told("rotate keys kind:code", "docs/1.md")
    assert (found.verdict, found.lost_at) == ("filtered", "filter")
    assert "kind:code" in found.reason
    assert found.changes == ("drop kind:code from the query",)


@pytest.mark.parametrize(
    ("filters", "change"),
    [
        (Filters(kinds=("code",)), "drop --kind"),
        (Filters(paths=("src",)), "drop --in"),
        (Filters(tags=("x",)), "drop --tag"),
    ],
)
def test_a_filter_of_the_caller_is_named_by_its_option(filters: Filters, change: str) -> None:
    assert told("rotate keys", "docs/1.md", filters=filters).changes == (change,)


def test_an_exclusion_and_a_phrase_are_filters_too() -> None:
    assert told("keys -rotate", "docs/1.md").changes == ("drop the excluded word",)
    assert told('"keys occur"', "docs/1.md").changes == ("drop the quotes",)


def test_what_is_too_far_down_is_told_its_rank_and_how_to_raise_it() -> None:
    found = told("keys", "docs/setup.md")
    assert (found.verdict, found.lost_at) == ("outranked", "limit")
    assert found.rank is not None
    assert found.rank > 3
    assert found.changes[0].startswith("add “guide”, a word of its title: it is then #")
    assert f"--limit {found.rank}: it is then the last one shown" in found.changes
    assert [(each.source, each.rank) for each in found.lists] == [("lexical", found.rank)]


def test_a_document_behind_several_sections_of_another_is_told_its_place_among_the_answers() -> None:
    """The other document has three sections before it, so that it is answer 4, and no answer of three."""
    pages = {"a.md": Page(("keys keys", "keys keys", "keys keys")), "b.md": Page(("keys and quite different words",))}
    found = told("keys", "b.md", store=store_of(pages))
    assert (found.verdict, found.rank) == ("outranked", 4)
    assert "--limit 4: it is then the last one shown" in found.changes
    assert told("keys", "b.md", store=store_of(pages), limit=4).verdict == "found"


def test_what_no_list_reaches_is_told_where_it_would_stand() -> None:
    many = store_of(
        {**{f"{n:03}.md": "keys keys" for n in range(150)}, "z.md": Page(("keys and much more",), title="Z")}
    )
    found = told("keys", "z.md", store=many)
    assert (found.verdict, found.lost_at) == ("outranked", "retrieve")
    assert "#151 of 151 by lexical" in found.reason


def test_what_has_no_word_of_the_query_is_told_so() -> None:
    found = told("rotate", "docs/old.md")
    assert (found.verdict, found.lost_at) == ("unmatched", "retrieve")
    assert found.changes[0] == "add “Old”, a word of its title: it is then #1"
    assert told("the", "docs/old.md").lost_at == "understand"


def test_a_stage_that_drops_it_is_named_and_a_recipe_that_does_not() -> None:
    found = told("rotate keys", "docs/setup.md", recipe="neighbours", limit=20)
    assert (found.verdict, found.lost_at) == ("lost", "select_seeds")
    assert any(change.startswith("--recipe auto: it is then #") for change in found.changes)
    assert next(each.state for each in found.stages if each.stage == "select_seeds") == "absent"


def test_a_stage_that_drops_everything_is_named_too() -> None:
    """The only entry is deprecated, so `weigh_by_intent` leaves nothing at all."""
    store = MemoryStore()
    made = entry("a.md", Page(("needle",), title="A"))
    store.put([replace(made, document=replace(made.document, properties={"tier": "deprecated"}))])
    found = told("needle", "a.md", recipe="memory", store=store)
    assert (found.verdict, found.lost_at) == ("lost", "weigh_by_intent")


def test_rules_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("# comment\n\n*.log\n/a/b/\n!keep.log\n", encoding="utf-8")
    (tmp_path / "a" / ".waymeetignore").write_text("x.md\n!y.log\n", encoding="utf-8")
    ingest = Ingest(ignore=("drafts/",))
    assert matching_ignore_rule(tmp_path, "x.log", ingest) == ".gitignore, line 3: *.log"
    assert matching_ignore_rule(tmp_path, "keep.log", ingest) == ""
    assert matching_ignore_rule(tmp_path, "a/y.log", ingest) == ""
    assert matching_ignore_rule(tmp_path, "a/x.md", ingest) == "a/.waymeetignore, line 1: x.md"
    assert matching_ignore_rule(tmp_path, "a/b/c.md", ingest) == ".gitignore, line 4: /a/b/"
    assert matching_ignore_rule(tmp_path, "drafts/z.md", ingest) == "setting ingest.ignore: drafts/"
    assert matching_ignore_rule(tmp_path, "node_modules/z.md", ingest) == "setting ingest.default_ignore: node_modules/"
    assert matching_ignore_rule(tmp_path, "z.md", ingest) == ""
