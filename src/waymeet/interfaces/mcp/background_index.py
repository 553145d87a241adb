"""The index that a server answers from: opened and brought up to date while the server runs already."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from types import TracebackType
from typing import Self

from waymeet.errors import IndexUnavailableError, UsageError, WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import find_usable_daemon
from waymeet.interfaces.requests.operations.index import IndexAnswer, IndexRequest, answer_index
from waymeet.paths import is_too_broad
from waymeet.ports import Progress
from waymeet.project import Project
from waymeet.project.embedding import is_paid
from waymeet.types import Degraded

_LOG = logging.getLogger(__name__)
_LOOK = 0.1
"""Seconds between two looks whether there is an index."""


class BackgroundIndex:
    """The way of one project from its folder to an index that answers.

    Entering it begins: what changed is read, a project that was never indexed is indexed, and what has no vector is
    embedded, all in the background. Leaving it ends that.
    """

    def __init__(self, held: AsyncProject, *, at_start: bool = True) -> None:
        self._held = held
        self._at_start = at_start
        self._usable = asyncio.Event()
        self._whole = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopped = Event()
        self._far: tuple[str, int, int] | None = None
        self._told: set[Progress] = set()
        self._trouble: WaymeetError | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._bring())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def usable(self, tell: Progress) -> None:
        """Wait until there is an index to ask; not for long, for clients give up after a while.

        Raises:
            IndexUnavailableError: the first run is still going on.
        """
        if not await self._awaited(self._usable, tell):
            raise IndexUnavailableError(
                f"The project is being read for the first time: {self._how_far()}.",
                "Ask again in a moment; `status` tells how far it is.",
            )

    async def whole(self, tell: Progress) -> bool:
        """Wait, as long, until what had no vector at the start has one; tell whether that came about meanwhile."""
        return not self._whole.is_set() and await self._awaited(self._whole, tell)

    async def _awaited(self, event: asyncio.Event, tell: Progress) -> bool:
        if event.is_set():
            return True
        self._told.add(tell)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), self._held.project.settings.mcp.wait_seconds)
        finally:
            self._told.discard(tell)
        return event.is_set()

    async def index(self, request: IndexRequest, reading: Progress, embedding: Progress) -> IndexAnswer:
        """Bring the index up to date now, in place of the background.

        Raises:
            WaymeetError: it cannot be done.
        """
        project = self._held.project
        await self._held.call(refuse_everything)
        await self._stop()
        if not await self._held.call(lambda each: each.indexed):
            self._usable.clear()
        files, sections = self._noted("reading files"), self._noted("embedding sections")
        try:
            answer = await self._held.run(
                lambda told, embedded, held: answer_index(project, request, told, embedded, held),
                _both(files, reading),
                _both(sections, embedding),
            )
            self._trouble = None
        finally:
            self._far = None
            self._usable.set()
            self._whole.set()
        return answer

    def degraded(self) -> tuple[Degraded, ...]:
        """Say what is still going on, or what went wrong, in the background."""
        if self._trouble is not None:
            return (Degraded("index", "background_failed", f"{self._trouble.message} {self._trouble.hint}".rstrip()),)
        if self._far is not None:
            return (Degraded("index", "going_on", self._how_far()),)
        return ()

    @property
    def far(self) -> str:
        """Say how far what goes on in the background is; empty if nothing does."""
        return self._how_far() if self._far is not None else ""

    def _how_far(self) -> str:
        what, done, total = self._far or ("reading", 0, 0)
        return f"{what}: {done} of {total}" if total else f"{what} has begun"

    async def _stop(self) -> None:
        self._stopped.set()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _bring(self) -> None:
        project = self._held.project
        try:
            if await self._held.call(lambda each: each.indexed):
                self._usable.set()
            elif is_too_broad(project.root):
                return
            if not self._at_start:
                await self._made_by_others()
                return
            if not project.settings.mcp.index_at_start:
                return
            await self._held.run(
                lambda told, _embedded, held: project.index(told, None, held, embed=False), self._noted("reading files")
            )
            self._usable.set()
            self._far = None
            await self._held.run(
                lambda _told, embedded, held: _embed(project, embedded, held, self._stopped.is_set),
                None,
                self._noted("embedding sections"),
            )
        except WaymeetError as error:
            self._trouble = error
            _LOG.warning("%s", error)
        finally:
            self._far = None
            self._usable.set()  # whoever waits is answered, be it by an error
            self._whole.set()

    async def _made_by_others(self) -> None:
        """Wait until there is an index that somebody else in this process makes."""
        while not self._usable.is_set() and not await self._held.call(lambda each: each.indexed):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._usable.wait(), _LOOK)

    def _noted(self, what: str) -> Progress:
        def note(done: int, total: int, item: str) -> None:
            self._far = (what, done, total)
            for tell in self._told:
                tell(done, total, item)

        self._far = (what, 0, 0)
        return note


def _both(first: Progress, second: Progress) -> Progress:
    def told(done: int, total: int, item: str) -> None:
        first(done, total, item)
        second(done, total, item)

    return told


def _embed(project: Project, progress: Progress, waiting: Callable[[], None], stopped: Callable[[], bool]) -> None:
    """Embed what has no vector, if that may happen by itself: not for money, and not if the user does not want it."""
    numbers = project.settings.embedding
    if find_usable_daemon(project.index_path, project.root):
        return  # the daemon embeds
    if numbers.background and not is_paid(project.models, numbers):
        project.embed(progress, stopped, waiting=waiting)


def refuse_everything(project: Project) -> None:
    """Refuse to index a home folder or a whole disk, which an agent may ask for without meaning it."""
    if not project.indexed and is_too_broad(project.root):
        raise UsageError(
            f"{project.root} is not a project and will not be indexed by an agent.",
            "Start the server in a project's folder, or name it: waymeet mcp -C PATH",
        )
