"""The async API of a project: every call runs in a thread."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar, Unpack

from waymeet.errors import IndexUnavailableError
from waymeet.ports import Progress
from waymeet.project import Project
from waymeet.project.query_options import QueryOptions
from waymeet.search.cancellation import CANCELLATION, Cancellation
from waymeet.settings import Layer
from waymeet.types import Answer, Query

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport
    from waymeet.search.context import Context
    from waymeet.search.lookup.citation import Excerpt

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_THREADS = 4


class AsyncProject:
    """The async API of a project.

    Searches run in a few threads that share one index. Changes of notes, tasks and skills run in one thread, indexing
    in another, so that they do not block searches. A cancelled call stops waiting at once: if it has not started, it
    never runs; if it has, a search ends before its next stage, and everything else runs to its end, so that a change is
    made completely or not at all. A cancelled indexing run ends between two files.
    """

    def __init__(self, project: Project, *, threads: int = _THREADS) -> None:
        self.project = project
        self._search_pool = ThreadPoolExecutor(threads, thread_name_prefix="waymeet")
        self._change_pool = ThreadPoolExecutor(1, thread_name_prefix="waymeet-change")
        self._index_pool = ThreadPoolExecutor(1, thread_name_prefix="waymeet-index")
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
        self,
        function: Callable[Concatenate[Project, Parameters], Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """Call any function of the project, such as `answer_search`, in a thread."""
        return await self._run_in(self._search_pool, partial(function, self.project, *args, **kwargs))

    async def change(
        self,
        function: Callable[Concatenate[Project, Parameters], Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """Call a function that changes something, such as `answer_remember`, one at a time."""
        return await self._run_in(self._change_pool, partial(function, self.project, *args, **kwargs))

    async def search(
        self, query: str | Query, *, refresh: bool = True, over: Iterable[Layer] = (), **options: Unpack[QueryOptions]
    ) -> Answer:
        """Search, as `Project.search` does."""
        return await self.call(Project.search, query, refresh=refresh, over=over, **options)

    async def explain(self, query: str | Query, **options: Unpack[QueryOptions]) -> Answer:
        """Search and explain each score, as `Project.explain` does."""
        return await self.call(Project.explain, query, **options)

    async def context(
        self, task: str | Query, *, budget: int = 0, refresh: bool = True, **options: Unpack[QueryOptions]
    ) -> "Context":
        """Collect what to read for a task, as `Project.context` does."""
        return await self.call(Project.context, task, budget=budget, refresh=refresh, **options)

    async def read(self, reference: str, *, start: int = 0, lines: int = 0) -> "Excerpt":
        """Read a section or lines of a file, as `Project.read` does."""
        return await self.call(Project.read, reference, start=start, lines=lines)

    async def index(
        self,
        progress: Progress | None = None,
        embedding: Progress | None = None,
        waiting: Callable[[], None] | None = None,
        *,
        accept_removals: bool = False,
    ) -> "IndexReport":
        """Bring the index up to date, as `Project.index` does, one run at a time.

        The callbacks are called in the event loop.
        """
        return await self.run(
            lambda read, embedded, wait: self.project.index(read, embedded, wait, accept_removals=accept_removals),
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
        """Run long work that reports progress.

        If the caller is cancelled, the work ends at its next report.
        """
        loop, stopped = asyncio.get_running_loop(), Event()

        def check_cancelled() -> None:
            if stopped.is_set() or self._closing.is_set():
                raise IndexUnavailableError("Indexing was cancelled.", "Index again for the remaining files.")

        def in_loop(listener: Progress | None) -> Progress:
            def report(done: int, total: int, item: str) -> None:
                check_cancelled()
                if listener is not None:
                    loop.call_soon_threadsafe(listener, done, total, item)

            return report

        def report_waiting() -> None:
            check_cancelled()
            if waiting is not None:
                loop.call_soon_threadsafe(waiting)

        try:
            return await self._run_in(
                self._index_pool, partial(work, in_loop(progress), in_loop(embedding), report_waiting)
            )
        except asyncio.CancelledError:
            stopped.set()
            raise

    async def _run_in(self, pool: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
        """Run work in a pool.

        Raises:
            IndexUnavailableError: the project was closed before the work started.
        """
        cancellation = CANCELLATION.get() or Cancellation()
        context = copy_context()
        context.run(CANCELLATION.set, cancellation)
        try:
            if not self._closing.is_set():
                return await asyncio.get_running_loop().run_in_executor(pool, context.run, work)
        except asyncio.CancelledError:
            cancellation.cancel()
            task = asyncio.current_task()
            if not self._closing.is_set() or (task is not None and task.cancelling()):
                raise
        raise IndexUnavailableError("The project was closed.", "Open it again.")

    async def close(self) -> None:
        """Cancel indexing, wait for running calls, and close the project."""
        self._closing.set()
        await asyncio.to_thread(self._close)

    def stop(self) -> None:
        """Wait for running calls, and leave the project open."""
        self._closing.set()
        for pool in (self._search_pool, self._change_pool, self._index_pool):
            pool.shutdown(wait=True, cancel_futures=True)

    def _close(self) -> None:
        self.stop()
        if self.project.others is not None:
            self.project.others.close()
        self.project.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
