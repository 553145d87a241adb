"""The projects of a team's server, kept up to date with the user's list of projects."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from starlette.routing import Router

from waymeet.errors import WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.app import Application
from waymeet.interfaces.teams.token_store import Sender
from waymeet.project.registered.locked_file import file_version
from waymeet.project.registered.registry import RegisteredProject, registry_file

if TYPE_CHECKING:
    from starlette.applications import Starlette

_LOG = logging.getLogger(__name__)
_CLOSING_SECONDS = 2.0
"""How long the end of the server waits for projects that are being closed."""


class ServedProject(NamedTuple):
    """A project of the server."""

    entry: RegisteredProject
    project: AsyncProject
    application: Application
    router: Router
    agents: "Starlette | None" = None


class _Running(NamedTuple):
    """The task in which the MCP server and the jobs of a project run."""

    task: "asyncio.Task[None]"
    ending: asyncio.Event


class ServedProjects:
    """The projects of a server.

    Projects that are added, renamed or forgotten are noticed by the next request.
    """

    def __init__(
        self,
        choose: Callable[[], Sequence[RegisteredProject]],
        start: Callable[[RegisteredProject], ServedProject],
        end: Callable[[ServedProject], Awaitable[None]],
    ) -> None:
        """Serve the projects that `choose` lists.

        `start` opens a project, `end` closes one that is no longer served.
        """
        self._choose, self._start, self._end = choose, start, end
        self._served: dict[str, ServedProject] = {}
        self._running: dict[str, _Running] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._version: object = None
        self._lock = asyncio.Lock()

    def open(self) -> None:
        """Open the projects at the start of the server.

        Raises:
            WaymeetError: one cannot be opened.
        """
        self._version = file_version(registry_file())
        self._served = {entry.id: self._start(entry) for entry in self._choose()}

    def __iter__(self) -> Iterator[ServedProject]:
        return iter(tuple(self._served.values()))

    def find(self, name: str) -> ServedProject | None:
        """Find a project by its name, whatever its case."""
        return next((each for each in self if each.entry.name.casefold() == name.casefold()), None)

    def readable(self, sender: Sender) -> tuple[ServedProject, ...]:
        """List the projects that a sender may read, by name."""
        allowed = (each for each in self if sender.may_read(each.entry.id))
        return tuple(sorted(allowed, key=lambda each: each.entry.name.casefold()))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run what the projects do in the background."""
        try:
            for served in self:
                await self._run(served)
            yield
        finally:
            for id_ in tuple(self._running):
                await self._stop(id_)
            if self._closing:
                await asyncio.wait(self._closing, timeout=_CLOSING_SECONDS)

    async def update(self) -> None:
        """Follow the user's list if it has changed. One that cannot be read changes nothing."""
        version = file_version(registry_file())
        if version == self._version:
            return
        async with self._lock:
            if version == self._version:
                return
            self._version = version
            try:
                entries = {entry.id: entry for entry in await asyncio.to_thread(self._choose)}
            except WaymeetError as error:
                _LOG.error("the list of projects cannot be followed: %s", error)
                return
            for served in self:
                entry = entries.get(served.entry.id)
                if entry is None or (entry.root, entry.index) != (served.entry.root, served.entry.index):
                    self._forget(served)
                elif entry != served.entry:
                    served.application.prefix = project_prefix(entry)
                    self._served[entry.id] = served._replace(entry=entry)
            for entry in entries.values():
                if entry.id not in self._served:
                    await self._add(entry)

    async def _add(self, entry: RegisteredProject) -> None:
        try:
            served = await asyncio.to_thread(self._start, entry)
        except WaymeetError as error:
            _LOG.error("%s is not served: %s", entry.name, error)
            return
        await self._run(served)
        self._served[entry.id] = served

    def _forget(self, served: ServedProject) -> None:
        """Stop serving a project. Running requests are answered first, without making this one wait."""
        id_ = served.entry.id
        del self._served[id_]
        served.application.close_streams()

        async def close() -> None:
            await self._stop(id_)
            await self._end(served)

        task = asyncio.create_task(close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _run(self, served: ServedProject) -> None:
        """Enter the lifespan of a project in a task of its own, which must also leave it."""
        started, ending = asyncio.get_running_loop().create_future(), asyncio.Event()

        async def run() -> None:
            try:
                async with served.application.lifespan(served.agents):
                    started.set_result(None)
                    await ending.wait()
            except Exception as error:
                if started.done():
                    raise
                started.set_exception(error)

        self._running[served.entry.id] = _Running(asyncio.create_task(run()), ending)
        await started

    async def _stop(self, id_: str) -> None:
        running = self._running.pop(id_)
        running.ending.set()
        await running.task


def project_prefix(entry: RegisteredProject) -> str:
    """Give the path below which a project is served."""
    return f"/projects/{entry.name}"
