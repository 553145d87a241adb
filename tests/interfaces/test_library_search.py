"""Searches of the library with keyword arguments, and what is refused with a suggestion."""

import asyncio
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from waymeet import Answer, AsyncProject, Filters, Project, Query, Variant, WaymeetError
from waymeet.errors import UnknownOptionError, UnknownRecipeError, UsageError


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.hits]


def test_options_are_the_fields_of_a_query(opened: Project) -> None:
    answer = opened.search("rotate keys", limit=5, recipe="threeway", kinds=["docs"])
    assert (answer.recipe, len(answer.hits)) == ("threeway", 5)
    assert ids(answer) == ids(
        opened.search(Query("rotate keys", limit=5, recipe="threeway", filters=Filters(kinds=("docs",))))
    )


def test_every_filter_is_an_option(opened: Project, project: Path) -> None:
    assert {hit.kind for hit in opened.search("user id keys", kinds="code").hits} == {"code"}
    assert {hit.kind for hit in opened.search("user id keys", kinds=["doc"]).hits} == {"docs"}
    assert {hit.document for hit in opened.search("rank", doc_types=["Spec"]).hits} == {"docs/fusion.md"}
    assert {hit.document for hit in opened.search("rank", tags="core").hits} == {"docs/fusion.md"}
    assert {hit.document for hit in opened.search("user", languages=["Python"]).hits} == {"src/users.py"}
    for path in ("docs/setup.md", project / "docs/setup.md"):
        assert {hit.document for hit in opened.search("keys", paths=[str(path)]).hits} == {"docs/setup.md"}
    (project / "docs/adr.md").write_text("---\nstatus: accepted\n---\n# Rank by links\n", encoding="utf-8")
    for properties in ({"status": "accepted"}, {"status": ["draft", "accepted"]}, [("status", "accepted")]):
        assert {hit.document for hit in opened.search("rank", properties=properties).hits} == {"docs/adr.md"}
    for past in ("2001", "2001-02-03T04:05:06Z", date(2001, 2, 3), datetime(2001, 2, 3, tzinfo=UTC)):
        assert opened.search("keys", changed_after=past).hits
        assert not opened.search("keys", changed_before=past).hits


def test_options_take_precedence_over_a_query(opened: Project) -> None:
    query = Query("keys", limit=2, filters=Filters(paths=("docs",), kinds=("code",)))
    answer = opened.search(query, limit=3, kinds=["docs"], explain=True)
    assert len(answer.hits) == 3
    assert all(hit.document.startswith("docs/") and hit.explanation for hit in answer.hits)
    answer = opened.search(query, filters=Filters(kinds=("docs",)), paths="docs/more")
    assert all(hit.document.startswith("docs/more/") for hit in answer.hits)


def test_modes_variants_and_links(opened: Project) -> None:
    assert opened.search("keys", recipe="classic", mode="bm25_only").mode == "bm25_only"
    answer = opened.search("keys", recipe="deep", variants=[Variant("drawer", "lex")], expand=False)
    assert answer.expanded == ("drawer",)
    assert opened.search("keys", include_linked=True, depth=0, link_types="references").hits[0].linked_pages


def test_explain_and_context_have_the_same_options(opened: Project) -> None:
    assert all(hit.explanation and hit.kind == "code" for hit in opened.explain("user id", kinds=["code"]).hits)
    context = opened.context("rotate keys", budget=2000, paths=["docs/more"], limit=2)
    assert len({piece.id.partition("#")[0] for piece in context.pieces}) == 2
    assert all(piece.id.startswith("docs/more/") for piece in context.pieces)


def test_the_async_project_has_them_too(opened: Project) -> None:
    async def search() -> tuple[Answer, Answer]:
        project = AsyncProject(opened)
        return (
            await project.search("rotate keys", limit=2, kinds=["docs"]),
            await project.explain("rotate keys", limit=1),
        )

    plain, explained = asyncio.run(search())
    assert ids(plain) == ids(opened.search("rotate keys", limit=2, kinds=["docs"]))
    assert explained.hits[0].explanation


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limt": 5}, "no option 'limt'.*\nDid you mean limit?"),
        ({"kind": "docs"}, "no option 'kind'.*\nDid you mean kinds?"),
        ({"zzz": 1}, "no option 'zzz'.*\nOptions: limit, recipe"),
        ({"kinds": ["dosc"]}, "no kind 'dosc'.*\nDid you mean docs?"),
        ({"recipe": "treeway"}, "no recipe 'treeway'.*\nDid you mean threeway?"),
        ({"limit": 0}, "limit is 0"),
        ({"limit": "5"}, "limit is '5'"),
        ({"changed_after": "lunch"}, "'lunch' is not a time"),
        ({"mode": "hybrid"}, "auto has no mode 'hybrid'.*\nRecipes with this mode: classic, neighbours, files"),
        ({"mode": "words"}, "auto has no mode 'words'.*\nNo recipe has it. Modes: hybrid, bm25_only, vec_only"),
        ({"recipe": "threeway", "mode": "deep"}, "threeway has no mode 'deep'.*\nRecipes with this mode: deep"),
    ],
)
def test_a_wrong_option_is_refused_with_a_suggestion(opened: Project, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        opened.search("keys", **options)  # type: ignore[arg-type]


def test_an_unknown_option_is_a_type_error_as_well(opened: Project) -> None:
    with pytest.raises(TypeError):
        opened.search("keys", limt=5)  # type: ignore[call-arg]
    assert issubclass(UnknownOptionError, WaymeetError)
    assert issubclass(UnknownRecipeError, WaymeetError)


@pytest.mark.parametrize("text", ["-keys", "-keys -setup", '-"rotate keys"', "kind:docs -keys", "−keys"])
def test_a_query_of_exclusions_alone_is_refused(opened: Project, text: str) -> None:
    for search in (opened.search, opened.explain, opened.context):
        with pytest.raises(UsageError, match="only excludes words"):
            search(text)


def test_other_queries_with_exclusions_are_not(opened: Project) -> None:
    for text in ("rotate -drawer", "rot* -drawer", '"-keys"', "-k keys", "--keys"):
        assert opened.search(text).hits, text
