"""The picker: keys, answers while typing, and what happens to answers that come too late."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Event
from time import monotonic

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from waymeet.errors import UsageError
from waymeet.interfaces.cli.ask.picker.app import Picker
from waymeet.interfaces.cli.ask.picker.state import Found
from waymeet.types import Answer, Hit, Section

UP, DOWN, PAGE_DOWN, ENTER, ESCAPE, TAB = "\x1b[A", "\x1b[B", "\x1b[6~", "\r", "\x1b", "\t"
CTRL_C, CTRL_D, CTRL_N, CTRL_P, CTRL_Y = "\x03", "\x04", "\x0e", "\x10", "\x19"
_PATIENCE = 60.0
"""Seconds after which a test fails. Nothing is measured by the clock."""


class Output(DummyOutput):
    """A terminal that keeps what is written around the drawing."""

    def __init__(self, columns: int = 120, rows: int = 30) -> None:
        self.size = Size(rows=rows, columns=columns)
        self.raw = ""

    def get_size(self) -> Size:
        return self.size

    def write_raw(self, data: str) -> None:
        self.raw += data


def make_found(text: str, count: int = 3) -> Found:
    hits = []
    for number in range(count):
        id_ = f"docs/{text}-{number}.md#L1-L2"
        section = Section(id_, 1, 2, ("Heading",), text, ((0, len(text)),))
        hits.append(Hit(id_, id_[:-6], f"Title {number}", "docs", "", 1, 2, 1.0, "", (), (section,), relevance=0.5))
    answer = Answer(text, "auto", "", "lexical", tuple(hits), total_found=count)
    return Found(answer, {hit.id: "\n".join(f"{text} line {n}" for n in range(100)) for hit in hits})


class Session:
    """A picker that runs, with a keyboard and a screen."""

    def __init__(self, picker: Picker, keyboard: PipeInput, output: Output, task: "asyncio.Task[Hit | None]") -> None:
        self.picker, self.output, self.task = picker, output, task
        self.type = keyboard.send_text

    @property
    def screen(self) -> str:
        drawn = self.picker.app.renderer.last_rendered_screen
        if drawn is None:
            return ""
        size = self.output.size
        rows = (drawn.data_buffer[row] for row in range(size.rows))
        return "\n".join("".join(row[column].char for column in range(size.columns)) for row in rows)

    async def until(self, condition: Callable[[], object]) -> None:
        end = monotonic() + _PATIENCE
        while not condition():
            assert monotonic() < end, self.screen
            assert not self.task.done() or condition(), self.task
            await asyncio.sleep(0.005)

    async def shows(self, text: str) -> None:
        await self.until(lambda: text in self.screen)

    async def ends(self) -> Hit | None:
        return await asyncio.wait_for(self.task, _PATIENCE)


@asynccontextmanager
async def running(
    search: Callable[[str], Found] = make_found, text: str = "", columns: int = 120, rows: int = 30
) -> AsyncIterator[Session]:
    with create_pipe_input() as keyboard:
        output = Output(columns, rows)
        picker = Picker(search, text, debounce=0.0, terminal_input=keyboard, terminal_output=output)
        task = asyncio.create_task(picker.run_async())
        session = Session(picker, keyboard, output, task)
        try:
            yield session
        finally:
            if not task.done():
                session.type(CTRL_C)
                await session.ends()


def test_results_appear_while_typing_and_enter_chooses() -> None:
    async def use() -> None:
        async with running() as session:
            await session.shows("Type what to search for")
            session.type("tea")
            await session.shows("docs/tea-0.md#L1-L2")
            await session.shows("Title 0 › Heading")
            session.type(" leaf")
            await session.shows("docs/tea leaf-0.md")
            session.type(DOWN + CTRL_N + CTRL_P + DOWN + UP)
            await session.shows("2 of 3 · auto · lexical")
            session.type(ENTER)
            hit = await session.ends()
            assert hit
            assert hit.id == "docs/tea leaf-1.md#L1-L2"

    asyncio.run(use())


def test_a_query_of_the_command_line_is_searched_at_once() -> None:
    async def use() -> None:
        async with running(text="茶") as session:
            await session.shows("docs/茶-0.md")
            session.type(DOWN * 10)
            await session.shows("3 of 3")

    asyncio.run(use())


@pytest.mark.parametrize("key", [ESCAPE, CTRL_C, "\x07", CTRL_D])
def test_it_can_be_left(key: str) -> None:
    async def use() -> None:
        async with running() as session:
            await session.shows("Type what")
            session.type(key)
            assert await session.ends() is None

    asyncio.run(use())


def test_enter_without_a_result_does_nothing() -> None:
    async def use() -> None:
        async with running(lambda text: make_found(text, 0)) as session:
            await session.shows("Type what")
            session.type(ENTER + CTRL_Y + DOWN + PAGE_DOWN + "x")
            await session.shows("Nothing found.")
            session.type(ENTER)
            session.type("y")
            await session.until(lambda: session.picker.buffer.text == "xy")
            assert not session.task.done()

    asyncio.run(use())


def test_a_slow_search_neither_blocks_typing_nor_replaces_a_later_answer() -> None:
    started, release, searched = Event(), Event(), list[str]()

    def search(text: str) -> Found:
        searched.append(text)
        if text == "slow":
            started.set()
            assert release.wait(_PATIENCE)
        return make_found(text)

    async def use() -> None:
        async with running(search) as session:
            await session.shows("Type what")
            session.type("slow")
            await session.until(started.is_set)
            for typed in ("slow1", "slow12", "slow123"):  # each is drawn although the search has not ended
                session.type(typed[-1])
                await session.shows(f"search › {typed}")
            assert "docs/" not in session.screen
            release.set()
            await session.shows("docs/slow123-0.md")
            assert "docs/slow-0.md" not in session.screen
            assert searched == ["slow", "slow123"], "what was outdated before it began is not searched for"

    asyncio.run(use())


def test_an_empty_query_shows_no_results() -> None:
    async def use() -> None:
        async with running(text="t") as session:
            await session.shows("docs/t-0.md")
            session.type("\x7f")
            await session.shows("Type what to search for")
            assert "docs/t-0.md" not in session.screen

    asyncio.run(use())


def test_a_refused_query_is_explained_and_can_be_corrected() -> None:
    def search(text: str) -> Found:
        if text.startswith("-"):
            raise UsageError("The query only excludes words: \x1b[31m-x", "Add a word.")
        return make_found(text)

    async def use() -> None:
        async with running(search, "-x") as session:
            await session.shows("The query only excludes words: �[31m-x")
            session.type("\x15tea")
            await session.shows("docs/tea-0.md")

    asyncio.run(use())


def test_an_unexpected_error_ends_the_picker_and_is_raised() -> None:
    def search(text: str) -> Found:
        raise ZeroDivisionError(text)

    async def use() -> None:
        async with running(search, "x") as session:
            with pytest.raises(ZeroDivisionError):
                await session.ends()

    asyncio.run(use())


def test_the_citation_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")

    async def use() -> None:
        async with running(text="tea") as session:
            await session.shows("docs/tea-0.md")
            session.type(CTRL_Y)
            await session.shows("docs/tea-0.md#L1-L2 sent to the terminal's clipboard (OSC 52)")
            assert session.output.raw == "\x1b]52;c;ZG9jcy90ZWEtMC5tZCNMMS1MMg==\x07"
            session.type(DOWN)
            await session.shows("2 of 3")

    asyncio.run(use())


def test_the_preview_scrolls_and_hides() -> None:
    async def use() -> None:
        async with running(text="tea") as session:
            await session.shows("1 tea line 0")
            session.type(PAGE_DOWN)
            await session.until(lambda: "1 tea line 0" not in session.screen and "tea line 20" in session.screen)
            session.type(TAB)
            await session.until(lambda: "tea line" not in session.screen)

    asyncio.run(use())


@pytest.mark.parametrize(("columns", "rows"), [(20, 5), (40, 12), (10, 3), (200, 50)])
def test_any_size_is_usable(columns: int, rows: int) -> None:
    async def use() -> None:
        async with running(text="茶", columns=columns, rows=rows) as session:
            await session.until(lambda: session.picker.state.hits)
            await session.shows("▌")
            session.type(DOWN + ENTER)
            hit = await session.ends()
            assert hit
            assert hit.id == "docs/茶-1.md#L1-L2"

    asyncio.run(use())
