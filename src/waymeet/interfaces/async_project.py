"""A project for programs that must not wait: each call runs in a thread and is awaited."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from waymeet.errors import IndexUnavailableError
from waymeet.ports import Progress
from waymeet.project import Project
from waymeet.types import Answer, Query

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport
    from waymeet.search.context import Context
    from waymeet.search.lookup.citation import Excerpt

Given = ParamSpec("Given")
Result = TypeVar("Result")

_THREADS = 4


class AsyncProject:
    """A project whose calls are awaited.

    Questions are answered in a few threads of its own, which share one index; indexing has a thread for itself, and
    changes of notes, tasks and skills have one, so that they keep nobody else waiting. Who is cancelled stops waiting
    at once: a call that has not begun never begins, one that has comes to its end, so that a change is made whole or
    not at all. An indexing run ends between two files.
    """

    def __init__(self, project: Project, *, threads: int = _THREADS) -> None:
        self.project = project
        self._answering = ThreadPoolExecutor(threads, thread_name_prefix="waymeet")
        self._changing = ThreadPoolExecutor(1, thread_name_prefix="waymeet-change")
        self._indexing = ThreadPoolExecutor(1, thread_name_prefix="waymeet-index")
        self._closing = Event()

    @classmethod
    async def open(
        cls,
        root: Path | str | None = None,
        *,
        index: Path | str | None = None,
        flags: Iterable[str] = (),
        threads: int = _THREADS,
    ) -> Self:
        """Open a project, as `Project.open` does."""
        return cls(await asyncio.to_thread(Project.open, root, index=index, flags=flags), threads=threads)

    async def call(
        self, function: Callable[Concatenate[Project, Given], Result], *given: Given.args, **named: Given.kwargs
    ) -> Result:
        """Await any function of the project, such as `answer_search`."""
        return await self._awaited(self._answering, partial(function, self.project, *given, **named))

    async def change(
        self, function: Callable[Concatenate[Project, Given], Result], *given: Given.args, **named: Given.kwargs
    ) -> Result:
        """Await a function that changes something, such as `answer_remember`: one after the other, as they came."""
        return await self._awaited(self._changing, partial(function, self.project, *given, **named))

    async def search(self, query: str | Query, *, refresh: bool = True) -> Answer:
        """Answer a question, as `Project.search` does."""
        return await self.call(Project.search, query, refresh=refresh)

    async def context(self, task: str | Query, *, budget: int = 0, refresh: bool = True) -> "Context":
        """Put together what to read for a task, as `Project.context` does."""
        return await self.call(Project.context, task, budget=budget, refresh=refresh)

    async def read(self, reference: str, *, start: int = 0, lines: int = 0) -> "Excerpt":
        """Read a section or some lines of a file, as `Project.read` does."""
        return await self.call(Project.read, reference, start=start, lines=lines)

    async def index(
        self,
        progress: Progress | None = None,
        embedding: Progress | None = None,
        waiting: Callable[[], None] | None = None,
        *,
        accept_removals: bool = False,
    ) -> "IndexReport":
        """Bring the index up to date, as `Project.index` does; one run at a time.

        What is told of the progress is called in the event loop.
        """
        return await self.run(
            lambda told, embedded, held: self.project.index(told, embedded, held, accept_removals=accept_removals),
            progress,
            embedding,
            waiting,
        )

    async def run(
        self,
        work: Callable[[Progress, Progress, Callable[[], None]], Result],
        progress: Progress | None = None,
        embedding: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> Result:
        """Await long work that tells of its progress; who is cancelled ends it when it next tells, or waits."""
        loop, stopped = asyncio.get_running_loop(), Event()

        def go_on() -> None:
            if stopped.is_set() or self._closing.is_set():
                raise IndexUnavailableError("The run was ended before it was done.", "Index again for the rest.")

        def told(told_to: Progress | None) -> Progress:
            def tell(done: int, total: int, item: str) -> None:
                go_on()
                if told_to is not None:
                    loop.call_soon_threadsafe(told_to, done, total, item)

            return tell

        def held() -> None:
            go_on()
            if waiting is not None:
                loop.call_soon_threadsafe(waiting)

        try:
            return await self._awaited(self._indexing, partial(work, told(progress), told(embedding), held))
        except asyncio.CancelledError:
            stopped.set()
            raise

    async def _awaited(self, pool: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
        """Await work in a thread; what a closing door drops is an error for those who wait for it."""
        try:
            if not self._closing.is_set():
                return await asyncio.get_running_loop().run_in_executor(pool, work)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._closing.is_set() or (task is not None and task.cancelling()):
                raise
        raise IndexUnavailableError("The project was closed.", "Open it again.")

    async def close(self) -> None:
        """Wait for what is under way, ending a run of indexing, and let go of the index."""
        self._closing.set()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        for pool in (self._answering, self._changing, self._indexing):
            pool.shutdown(wait=True, cancel_futures=True)
        self.project.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
