"""Requests: decoding, errors, budgets and cursors, and agreement with the core."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from waymeet import Project, Query
from waymeet import errors as known_errors
from waymeet.analysis.intent import INTENT_WORDS
from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.errors import CursorError, RequestError, WaymeetError
from waymeet.interfaces.requests import fields
from waymeet.interfaces.requests.decode import convert, decode_json
from waymeet.interfaces.requests.errors import list_statuses, to_failure
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.operations.search import SearchAnswer, SearchRequest, to_query
from waymeet.interfaces.requests.schemas import components, flat_schema, schema
from waymeet.notebook.fields import PRIORITIES, RELATIONS, STATUSES
from waymeet.recipes import RECIPES
from waymeet.search.understand.inline_filters import KINDS
from waymeet.types import Answer, Filters, Variant

Ask = Callable[..., Any]
Run = Callable[..., Any]


def _shown(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in answer.hits]


# --- search --------------------------------------------------------------------------------------------------------


def test_search_gives_what_the_core_gives(opened: Project, ask: Ask) -> None:
    found = ask("search", query="rotate keys", limit=5, explain=True, include_linked=True)
    wanted = opened.search(Query("rotate keys", limit=5, explain=True, include_linked=True))
    assert found.hits == wanted.hits
    assert found.degraded == wanted.degraded
    assert (found.total_found, found.search_type, found.generation) == (
        wanted.total_found,
        wanted.search_type,
        wanted.generation,
    )
    assert found.cut == ()
    assert found.cursor


def test_a_request_says_all_that_a_query_can_say(opened: Project) -> None:
    request = SearchRequest(
        query="x",
        limit=3,
        recipe="classic",
        mode="bm25_only",
        kinds=("docs",),
        paths=(str(opened.root / "docs"), "./src", ".github"),
        tags=("a",),
        doc_types=("ADR",),
        languages=("Python",),
        namespaces=("n",),
        properties=("status = accepted",),
        changed_after="2025-06",
        changed_before="2025-06-30T12:00:00+02:00",
        link_types=("references",),
        depth=0,
        intent="fix_bug",
        lex=("l",),
        vec=("v",),
        hyde=("h", "  "),
        expand=False,
        explain=True,
        include_linked=True,
        facets=True,
    )
    assert to_query(opened, request) == Query(
        text="x",
        limit=3,
        recipe="classic",
        mode="bm25_only",
        filters=Filters(
            paths=("docs", "src", ".github"),
            kinds=("docs",),
            doc_types=("decision_record",),
            tags=("a",),
            languages=("python",),
            namespaces=("n",),
            properties=(("status", "accepted"),),
            changed_from=1748736000_000000000,
            changed_before=1751277600_000000000,
        ),
        explain=True,
        depth=0,
        link_types=("references",),
        intent="fix_bug",
        variants=(Variant("l", "lex"), Variant("v", "vec"), Variant("h", "hyde")),
        expand=False,
        include_linked=True,
        facets=True,
    )
    assert to_query(opened, SearchRequest(query="x")) == Query("x")
    assert set(Query.__struct_fields__) == {  # a new field of a query needs one of the request
        *("text", "limit", "recipe", "mode", "filters", "explain", "depth", "link_types"),
        *("intent", "variants", "expand", "include_linked", "facets"),
    }


@pytest.mark.parametrize(
    "given",
    [
        {"properties": ["nonsense"]},
        {"changed_after": "lunch"},
        {"changed_before": "2025-13"},
        {"limit": -1},
        {"limit": 1001},
        {"limit": "3"},
        {"depth": 11},
        {"kinds": ["poems"]},
        {"intent": "dance"},
        {"budget": -5},
        {"recipe": "nope"},
        {"mode": "nope"},
        {"colour": "red"},
        {"query": ""},
        {"cursor": "###"},
        {"cursor": "AAAA"},
        {"cursor": "ü"},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(ask: Ask, given: dict[str, Any]) -> None:
    with pytest.raises(WaymeetError) as refused:
        ask("search", **{"query": "keys", **given})
    failure = to_failure(refused.value)
    assert failure.status == 400
    assert failure.message
    assert failure.next_step


def test_pages_show_everything_once(opened: Project, ask: Ask) -> None:
    pages: list[SearchAnswer] = []
    cursor = ""
    while cursor or not pages:
        pages.append(ask("search", query="rotate keys", limit=7, cursor=cursor))
        cursor = pages[-1].cursor
    ids = [hit.id for page in pages for hit in page.hits]
    assert len(ids) == len(set(ids)) == pages[0].total_found
    assert pages[0].hits == opened.search(Query("rotate keys", limit=7)).hits
    assert set(ids) == {hit.id for hit in opened.search(Query("rotate keys", limit=100)).hits}
    assert not any(each.code == "stale_cursor" for page in pages for each in page.degraded)


def test_what_a_budget_leaves_out_is_on_the_next_page(ask: Ask) -> None:
    seen: list[str] = []
    cursor = ""
    for _ in range(50):
        page = ask("search", query="rotate keys", limit=10, budget=900, cursor=cursor)
        assert page.tokens <= 900
        seen += [hit.id for hit in page.hits]
        cursor = page.cursor
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == page.total_found


def test_a_cursor_of_an_index_that_changed_says_so_and_repeats_nothing(opened: Project, ask: Ask) -> None:
    first = ask("search", query="rotate keys", limit=5)
    (opened.root / "docs" / "rotate.md").write_text("# Rotate keys\n\nRotate keys, rotate keys.\n", "utf-8")
    second = ask("search", query="rotate keys", limit=5, cursor=first.cursor)
    assert [each.code for each in second.degraded if each.stage == "cursor"] == ["stale_cursor"]
    assert second.hits[0].document == "docs/rotate.md", "what has come since is not lost"
    assert not {hit.id for hit in first.hits} & {hit.id for hit in second.hits}


def test_a_cursor_of_another_question_or_project_is_refused(opened: Project, ask: Ask, tmp_path: Path) -> None:
    first = ask("search", query="rotate keys", limit=5)
    assert ask("search", query="rotate keys", limit=3, explain=True, cursor=first.cursor).hits
    with pytest.raises(CursorError, match="another query"):
        ask("search", query="rotate keys", limit=5, kinds=["docs"], cursor=first.cursor)
    with pytest.raises(CursorError):
        ask("search", query="rotate keys", limit=5, cursor=first.cursor[:-3])


def test_a_budget_shortens_before_it_drops(opened: Project, ask: Ask) -> None:
    whole = ask("search", query="rotate keys", limit=5, include_linked=True, explain=True)
    sizes, previous = [], whole
    for budget in (whole.tokens, whole.tokens * 2 // 3, whole.tokens // 2, whole.tokens // 4, 300, 1):
        found = ask("search", query="rotate keys", limit=5, include_linked=True, explain=True, budget=budget)
        assert [hit.id for hit in found.hits] == [hit.id for hit in whole.hits][: len(found.hits)]
        assert [hit.score for hit in found.hits] == [hit.score for hit in whole.hits][: len(found.hits)]
        assert found.tokens <= budget or (len(found.hits) == 1 and "more than the budget" in found.cut[-1])
        assert found.tokens <= previous.tokens
        assert all(
            hit.sections[0].snippet[start:end].strip("…")
            for hit in found.hits
            for start, end in hit.sections[0].highlights
        )
        sizes.append(len(found.hits))
        previous = found
    assert sizes[0] == sizes[1] == 5, "texts go first"
    assert sizes[-1] == 1


# --- types, schemas, errors ----------------------------------------------------------------------------------------


def test_the_choices_are_those_of_the_core() -> None:
    assert get_args(fields.Kind) == KINDS
    assert set(get_args(fields.Intent)) == {"", *INTENT_WORDS}
    assert get_args(fields.Relation) == RELATIONS
    assert get_args(fields.Status) == STATUSES
    assert get_args(fields.Priority) == PRIORITIES


def test_the_schema_names_every_recipe_and_mode() -> None:
    properties = flat_schema(SearchRequest)["properties"]
    for recipe in RECIPES.values():
        assert recipe.name in properties["recipe"]["description"]
        assert all(mode in properties["mode"]["description"] for mode in recipe.modes)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_request_is_flat_described_and_strict(name: str) -> None:
    made = flat_schema(OPERATIONS[name].request)
    assert made["type"] == "object"
    assert made["additionalProperties"] is False
    assert made["description"].endswith(".")
    assert "$ref" not in json.dumps(made)
    for field, described in made["properties"].items():
        assert "description" in described, f"{name}.{field} is not described"
        assert described.get("type") != "null"
    assert schema(OPERATIONS[name].answer)["$defs"]


def test_the_answers_make_components() -> None:
    references, named = components([each.answer for each in OPERATIONS.values()])
    assert references[0] == {"$ref": "#/components/schemas/SearchAnswer"}
    assert {"SearchAnswer", "Hit", "Explanation", "Context", "ItemAnswer"} <= named.keys()


def test_every_error_has_a_name_and_a_status() -> None:
    kinds = [each for each in vars(known_errors).values() if isinstance(each, type) and issubclass(each, WaymeetError)]
    told = {kind: to_failure(kind("What happened.")) for kind in kinds}
    assert len({each.code for each in told.values()}) == len(kinds)
    assert {each.status for each in told.values()} == list_statuses()
    assert all(each.next_step for each in told.values())
    assert to_failure(WaymeetError("a", "b")).next_step == "b"


def test_a_misspelt_field_is_suggested() -> None:
    with pytest.raises(RequestError, match="limt") as refused:
        decode_json(SearchRequest, b'{"query": "x", "limt": 3}')
    assert refused.value.hint == "Did you mean `limit`?"
    assert convert(SearchRequest, {"query": "x", "limit": "3", "explain": "true"}, lax=True).limit == 3


def test_the_estimate_is_about_right() -> None:
    """A hundred English words are about 130 tokens of the usual vocabularies."""
    words = (
        "the quick brown foxes jumped over several extraordinarily lazy dogs while nobody was watching them closely "
    )
    assert 95 <= estimate_tokens(words * 6) <= 200


def test_the_command_line_the_library_and_a_request_give_the_same(opened: Project, ask: Ask, run: Run) -> None:
    printed = json.loads(run("search", "rotate signing keys", "-n", "5", "--json").out)
    by_library = json.loads(msgspec.json.encode(opened.search(Query("rotate signing keys", limit=5))))
    by_request = json.loads(msgspec.json.encode(ask("search", query="rotate signing keys", limit=5)))
    for name in ("hits", "degraded", "total_found", "search_type", "notes"):
        assert printed[name] == by_library[name] == by_request[name]
