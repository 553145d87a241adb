"""Update the index in the background while an MCP server already answers."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from types import TracebackType
from typing import NamedTuple, Self

from waymeet.errors import IndexUnavailableError, UsageError, WaymeetError
from waymeet.ingest.embed.job_queue import machine_turn
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import find_usable_daemon
from waymeet.interfaces.requests.operations.index import IndexAnswer, IndexRequest, answer_index
from waymeet.paths import is_too_broad
from waymeet.ports import Progress
from waymeet.project import Project
from waymeet.project.embedding.background import queued_job
from waymeet.project.embedding.job import is_paid
from waymeet.types import Degraded

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 0.1
"""Seconds between two checks whether another task has made the index."""
_READING, _EMBEDDING = "reading files", "embedding sections"


class _PhaseProgress(NamedTuple):
    phase: str
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.phase}: {self.done} of {self.total}" if self.total else f"{self.phase}: started"


class BackgroundIndex:
    """Updates the index of a project while a server runs.

    Entering the context starts a task that indexes changed files, or a project without an index, and then embeds
    sections without a vector. Leaving the context stops the task.
    """

    def __init__(self, project: AsyncProject, *, at_start: bool = True) -> None:
        self._project = project
        self._at_start = at_start
        self._usable = asyncio.Event()
        self._embedded = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopped = Event()
        self._progress: _PhaseProgress | None = None
        self._listeners: set[Progress] = set()
        self._error: WaymeetError | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._update())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def wait_until_usable(self, listener: Progress) -> None:
        """Wait for an index to search, at most `mcp.wait_seconds`, because clients time out.

        Raises:
            IndexUnavailableError: the first run has not finished.
        """
        if not await self._wait(self._usable, listener):
            raise IndexUnavailableError(
                f"The project is being indexed for the first time ({self._progress or _PhaseProgress(_READING)}).",
                "Try again in a moment; `status` shows the progress.",
            )

    async def wait_until_embedded(self, listener: Progress) -> bool:
        """Wait for missing vectors, at most `mcp.wait_seconds`.

        Returns whether they were added while this call waited.
        """
        return not self._embedded.is_set() and await self._wait(self._embedded, listener)

    async def _wait(self, event: asyncio.Event, listener: Progress) -> bool:
        if event.is_set():
            return True
        self._listeners.add(listener)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), self._project.project.settings.mcp.wait_seconds)
        finally:
            self._listeners.discard(listener)
        return event.is_set()

    async def index(self, request: IndexRequest, reading: Progress, embedding: Progress) -> IndexAnswer:
        """Stop the background task and index now.

        Raises:
            WaymeetError: indexing failed.
        """
        project = self._project.project
        await self._project.call(refuse_broad_root)
        await self._stop()
        if not await self._project.call(_is_indexed):
            self._usable.clear()
        try:
            answer = await self._project.run(
                lambda read, embedded, waiting: answer_index(project, request, read, embedded, waiting),
                _call_both(self._track(_READING), reading),
                _call_both(self._track(_EMBEDDING), embedding),
            )
            self._error = None
        finally:
            self._progress = None
            self._usable.set()
            self._embedded.set()
        return answer

    def list_degraded(self) -> tuple[Degraded, ...]:
        """List the running update, or the error of a failed one."""
        if self._error is not None:
            return (Degraded("index", "background_failed", f"{self._error.message} {self._error.hint}".rstrip()),)
        if self._progress is not None:
            return (Degraded("index", "going_on", str(self._progress)),)
        return ()

    @property
    def progress(self) -> str:
        """Describe the progress of the running update, or give the empty string."""
        return str(self._progress or "")

    async def _stop(self) -> None:
        self._stopped.set()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _update(self) -> None:
        project = self._project.project
        try:
            if await self._project.call(_is_indexed):
                self._usable.set()
            elif is_too_broad(project.root):
                return
            if not self._at_start:
                await self._wait_for_other_indexer()
            elif project.settings.mcp.index_at_start:
                await self._index_and_embed(project)
        except WaymeetError as error:
            self._error = error
            _LOG.warning("%s", error)
        finally:
            self._progress = None
            self._usable.set()  # waiting calls continue and report the error
            self._embedded.set()

    async def _index_and_embed(self, project: Project) -> None:
        report = await self._project.run(
            lambda read, _embedded, waiting: project.index(read, None, waiting, embed=False), self._track(_READING)
        )
        if report.settings:
            _LOG.warning("the settings of the index have changed: %s", "; ".join(report.settings))
        self._usable.set()
        self._progress = None
        await self._project.run(
            lambda _read, embedded, waiting: _embed_missing(project, embedded, waiting, self._stopped.is_set),
            None,
            self._track(_EMBEDDING),
        )

    async def _wait_for_other_indexer(self) -> None:
        """Wait until another task of this process has made the index."""
        while not self._usable.is_set() and not await self._project.call(_is_indexed):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._usable.wait(), _POLL_SECONDS)

    def _track(self, phase: str) -> Progress:
        """Record the progress of a phase and pass it to listeners."""

        def track(done: int, total: int, item: str) -> None:
            self._progress = _PhaseProgress(phase, done, total)
            for listener in self._listeners:
                listener(done, total, item)

        self._progress = _PhaseProgress(phase)
        return track


def _call_both(first: Progress, second: Progress) -> Progress:
    def call(done: int, total: int, item: str) -> None:
        first(done, total, item)
        second(done, total, item)

    return call


def _is_indexed(project: Project) -> bool:
    return project.is_indexed


def _embed_missing(
    project: Project, progress: Progress, waiting: Callable[[], None], stopped: Callable[[], bool]
) -> None:
    """Embed sections without a vector if the model is free and `embedding.background` is on."""
    settings = project.settings.embedding
    if find_usable_daemon(project.index_path, project.root):
        return  # the daemon embeds
    if settings.background and not is_paid(project.models, settings):
        with machine_turn(queued_job(project.root, project.index_path), wait=True, waiting=waiting):
            project.embed(progress, stopped, waiting=waiting)


def refuse_broad_root(project: Project) -> None:
    """Refuse to index a home folder or a whole disk.

    An agent may be started in such a folder by mistake.

    Raises:
        UsageError: the folder is too broad.
    """
    if not project.is_indexed and is_too_broad(project.root):
        raise UsageError(
            f"{project.root} is not a project and is not indexed for an agent.",
            "Start the server in a project's folder, or name it: waymeet mcp -C PATH",
        )
