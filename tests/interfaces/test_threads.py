"""Searches of several threads and an event loop while files change."""

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from waymeet import AsyncProject, Project, Query, WaymeetError
from waymeet.errors import IndexUnavailableError
from waymeet.interfaces.requests.operations.search import SearchRequest, answer_search
from waymeet.types import Answer, Filters, Hit

PAGES = 150
QUESTIONS = [
    Query("rotate signing keys"),
    Query("reciprocal rank fusion", filters=Filters(kinds=("docs",))),
    Query('"ranked lists" -setup'),
    Query("get user by id", recipe="neighbours"),
    Query("検索 スコア", recipe="classic"),
    *(Query("keys", filters=Filters(paths=("docs",), tags=(f"tag{number}",))) for number in range(30)),
]


@pytest.fixture
def _restless() -> Iterator[None]:
    """Switch threads a hundred times as often as usual, to provoke races."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 100)
    yield
    sys.setswitchinterval(usual)


@pytest.fixture
def many(project: Path) -> Path:
    """Fill the project with enough pages that segments are made and merged."""
    for number in range(PAGES):
        text = f"# Page {number}\n\nKeys of drawer {number} are rotated. [next](page{(number + 1) % PAGES}.md)\n"
        (project / "docs" / f"page{number}.md").write_text(f"---\ntags: [tag{number % 30}]\n---\n{text}", "utf-8")
    return project


def _shown(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in answer.hits]


@pytest.mark.usefixtures("_restless")
def test_threads_get_the_answers_that_one_gets(many: Path) -> None:
    with Project.open(many) as project:
        project.index()
        wanted = [_shown(project.search(query)) for query in QUESTIONS]
    with Project.open(many) as project, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda at: _shown(project.search(QUESTIONS[at % len(QUESTIONS)])), range(100)))
    assert found == [wanted[at % len(QUESTIONS)] for at in range(100)]


@pytest.mark.usefixtures("_restless")
def test_an_answer_is_of_one_generation_while_the_index_changes(many: Path) -> None:
    """Text and tag of a page name the round of its last change; those of a hit must agree."""

    def write(round_: int) -> None:
        for number in range(40):
            text = f"---\ntags: [round{round_}]\n---\n# Turn {number}\n\nThe wheel turns in round{round_} of drawer.\n"
            (many / "docs" / f"turn{number}.md").write_text(text, "utf-8")

    def consistent(hit: Hit, round_: int) -> bool:
        return f"round{round_}" in hit.sections[0].snippet

    write(0)
    stopped = threading.Event()
    wrong: list[str] = []
    with Project.open(many) as project:
        project.index()

        def ask(round_: int) -> None:
            while not stopped.is_set():
                query = Query("wheel turns", filters=Filters(tags=(f"round{round_}",)), limit=20)
                wrong.extend(hit.id for hit in project.search(query, refresh=False).hits if not consistent(hit, round_))

        with ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(ask, round_) for round_ in range(4)]
            try:
                for round_ in (1, 2, 3):
                    write(round_)
                    project.index()
            finally:
                stopped.set()
            for each in asking:
                each.result()
        last = project.search(Query("wheel turns", filters=Filters(tags=("round3",)), limit=50))
    assert not wrong
    assert len(last.hits) == 40


def test_those_who_ask_together_share_one_look_for_changed_files(project: Path) -> None:
    with Project.open(project) as opened:
        opened.index()
        (project / "docs" / "new.md").write_text("# New\n\nZebras graze.\n", "utf-8")
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: opened.search("zebras"), range(16)))
    assert {hit.document for answer in found for hit in answer.hits} == {"docs/new.md"}
    assert all(len(answer.hits) == 1 for answer in found), "no answer is older than the change"
    assert not [each for answer in found for each in answer.degraded if each.stage == "freshness"]


def _awaited(work: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(work())


def test_the_async_door_gives_the_same_answers(project: Path) -> None:
    async def ask() -> None:
        async with await AsyncProject.open(project) as door:
            report = await door.index()
            assert report.added == 6
            several = await asyncio.gather(*(door.search("rotate signing keys") for _ in range(20)))
            with Project.open(project) as plain:
                wanted = _shown(plain.search("rotate signing keys"))
            assert [_shown(each) for each in several] == [wanted] * 20
            by_request = await door.call(answer_search, SearchRequest(query="rotate signing keys"))
            assert _shown(by_request) == wanted
            assert (await door.read("docs/setup.md", start=1, lines=1)).text == "# Setup"
            assert (await door.context("rotate the keys")).pieces

    _awaited(ask)


def test_progress_is_told_in_the_event_loop_and_a_run_can_be_cancelled(many: Path) -> None:
    told: list[str] = []

    async def index() -> None:
        async with await AsyncProject.open(many) as door:
            loop_thread = threading.current_thread()

            def progress(done: int, total: int, item: str) -> None:
                assert threading.current_thread() is loop_thread
                told.append(item)
                if len(told) == 3:
                    running.cancel()

            running = asyncio.ensure_future(door.index(progress))
            with pytest.raises(asyncio.CancelledError):
                await running
            seen = len(told)
            report = await door.index()  # takes its turn behind the run that ended, and does the rest
            assert report.added + report.unchanged == PAGES + 6
            assert len(told) <= seen + 400
            assert len((await door.search("drawer 7")).hits) == 10

    _awaited(index)
    assert told


def test_a_cancelled_question_leaves_the_door_usable(project: Path) -> None:
    async def ask() -> None:
        async with await AsyncProject.open(project, threads=1) as door:
            await door.index()
            held = threading.Event()
            first = asyncio.ensure_future(door.call(lambda _: held.wait(10)))
            waiting = [asyncio.ensure_future(door.search("keys")) for _ in range(5)]
            await asyncio.sleep(0)
            for each in waiting:
                each.cancel()
            held.set()
            assert await first
            assert all(
                isinstance(each, asyncio.CancelledError)
                for each in await asyncio.gather(*waiting, return_exceptions=True)
            )
            assert (await door.search("keys")).hits

    _awaited(ask)


def test_an_error_comes_through_the_door_and_a_closed_one_says_so(project: Path) -> None:
    async def ask() -> None:
        door = await AsyncProject.open(project)
        with pytest.raises(WaymeetError, match="not indexed yet"):
            await door.search("keys")
        await door.close()
        with pytest.raises(IndexUnavailableError, match="closed"):
            await door.search("keys")

    _awaited(ask)


def test_who_waits_at_a_closing_door_is_told(project: Path) -> None:
    async def ask() -> None:
        door = await AsyncProject.open(project, threads=1)
        await door.index()
        held = threading.Event()
        first = asyncio.ensure_future(door.call(lambda _: held.wait(10)))
        waiting = asyncio.ensure_future(door.search("keys"))
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(door.close())
        await asyncio.sleep(0.05)
        held.set()
        assert await first, "what has begun comes to its end"
        with pytest.raises(IndexUnavailableError, match="closed"):
            await waiting
        await closing

    _awaited(ask)
