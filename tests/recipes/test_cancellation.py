"""A search that is cancelled runs no further stage."""

import asyncio
from contextvars import copy_context

import pytest
from msgspec.structs import replace
from starlette.requests import Request
from support.corpus import Page, store_of

from waymeet.errors import SearchCancelledError
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.web.newest_search import PAGE, NewestSearches
from waymeet.recipes import RECIPES
from waymeet.search.cancellation import CANCELLATION, Cancellation, check_cancelled
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Recipe, Search, Tools
from waymeet.settings import Settings
from waymeet.types import Query


def make_recipe(cancellation: Cancellation, ran: list[str]) -> Recipe:
    """Make a recipe whose second stage cancels the search."""

    def first(search: Search, tools: Tools, settings: Settings) -> Search:
        ran.append("first")
        return search

    def second(search: Search, tools: Tools, settings: Settings) -> Search:
        ran.append("second")
        cancellation.cancel()
        return search

    def third(search: Search, tools: Tools, settings: Settings) -> Search:
        ran.append("third")
        return search

    return replace(RECIPES["classic"], stages=(first, second, third))


def test_no_stage_runs_after_the_search_was_cancelled() -> None:
    cancellation, ran = Cancellation(), list[str]()
    recipe, tools = make_recipe(cancellation, ran), Tools(store_of({"a.md": Page(("needle",))}), ())

    def search() -> None:
        CANCELLATION.set(cancellation)
        answer_query(recipe, Query("needle"), tools, Settings())

    with pytest.raises(SearchCancelledError) as error:
        copy_context().run(search)
    assert ran == ["first", "second"]
    assert to_failure(error.value).code == "cancelled"
    answer_query(recipe, Query("needle"), tools, Settings())
    assert ran[2:] == ["first", "second", "third"], "nothing cancels a search of another context"


def make_request(page: str) -> Request:
    return Request({"type": "http", "headers": [(PAGE.encode(), page.encode())] if page else []})


def test_a_newer_search_of_the_same_page_cancels_the_earlier_one() -> None:
    newest, ended = NewestSearches(), list[str]()

    async def search(page: str, name: str, next_one: asyncio.Event, other: asyncio.Event) -> None:
        with newest.replace(make_request(page)):
            next_one.set()
            await other.wait()
            try:
                check_cancelled()
                ended.append(f"{name} answered")
            except SearchCancelledError:
                ended.append(f"{name} cancelled")

    async def run() -> None:
        started = [asyncio.Event() for _ in range(4)]
        pages = ("one", "two", "", "one")
        tasks = []
        for number, page in enumerate(pages):
            tasks.append(asyncio.create_task(search(page, str(number), started[number], started[3])))
            await started[number].wait()
        await asyncio.gather(*tasks)

    asyncio.run(run())
    assert sorted(ended) == ["0 cancelled", "1 answered", "2 answered", "3 answered"]
    assert newest._running == {}
