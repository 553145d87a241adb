"""The life of the resident process: one to an index, found by a file beside it, ended by a word or by idleness."""

import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep, time
from typing import TYPE_CHECKING, NamedTuple

import uvicorn

from waymeet import __version__
from waymeet.errors import UsageError, WaymeetError
from waymeet.ingest.embed.job import last_job
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import Daemon, announce, find_daemon, remove_announcement
from waymeet.interfaces.daemon.token import read_token
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.app import Application
from waymeet.interfaces.http.h11_protocol import Protocol
from waymeet.interfaces.http.listener import alone, listening, reachable
from waymeet.interfaces.http.middleware import TRUSTED
from waymeet.interfaces.mcp.server import http_app, make_server
from waymeet.paths import is_too_broad
from waymeet.project import Project
from waymeet.types import Degraded, Query

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from mcp.server.transport_security import TransportSecuritySettings

    from waymeet.ingest.watch import WatchEvent

_LOG = logging.getLogger(__name__)
_LOOK_SECONDS = 1.0
"""How often it looks whether it should end."""
_GRACE = 3
"""Seconds that requests under way may take when it ends."""
_PATIENCE = 2.0
"""Seconds that what is under way beside them may take then."""
_SURELY = 8.0
"""Seconds after which it ends, whatever holds it up: what it writes is safe at any moment."""
_THREADS = 4


class ServeOptions(NamedTuple):
    """How somebody wants it to run."""

    host: str = "127.0.0.1"
    port: int | None = None
    """None for that of the settings, or any other if it is taken."""
    idle_seconds: float = 0.0
    """After how long without requests it ends; 0 for never."""
    compat: bool = False
    """Whether agents get the tools of other systems under their own names, too."""
    page: Path | None = None
    """A folder of web pages to show beside it."""


def run_server(
    project: Project, wanted: ServeOptions, began: Callable[[Daemon], None], told: "Callable[[WatchEvent], None]"
) -> None:
    """Serve a project until somebody ends it; `began` is called when it answers, `told` when watching has news.

    Raises:
        BusyIndexError: another process serves this index.
        UsageError: it cannot listen there, or nobody can have meant this folder.
    """
    if not project.indexed and is_too_broad(project.root):
        raise UsageError(
            f"{project.root} is not a project and will not be indexed by itself.",
            "Name a project: waymeet serve -C PATH",
        )
    with alone(project.index_path), listening(wanted.host, wanted.port, project.settings.serve.port) as wire:
        resident = Daemon(
            pid=os.getpid(),
            host=reachable(wire.getsockname()[0]),
            port=wire.getsockname()[1],
            secret=secrets.token_hex(32),
            version=__version__,
            root=str(project.root),
            started=time(),
        )
        terms = AccessPolicy(wanted.host, resident.port, read_token(), resident, project.settings.serve)
        try:
            asyncio.run(ServerProcess(project, wanted, terms, told).run(wire, began))
        finally:
            remove_announcement(project.index_path, resident)


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs it: what has to be done at the end is not its business alone."""

    def __init__(self, config: uvicorn.Config, began: Callable[[], None]) -> None:
        super().__init__(config)
        self._began = began

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._began()

    def capture_signals(self) -> "AbstractContextManager[None]":  # type: ignore[override]  # there, a generator
        return nullcontext()


class ServerProcess:
    def __init__(
        self, project: Project, wanted: ServeOptions, terms: AccessPolicy, told: "Callable[[WatchEvent], None]"
    ) -> None:
        self._project, self._wanted, self._terms, self._told = project, wanted, terms, told
        self._ending = Event()
        self._trouble = ""

    async def run(self, wire: socket.socket, began: Callable[[Daemon], None]) -> None:
        """Answer until it is time to end."""
        held = AsyncProject(self._project, threads=_THREADS)
        agents = make_server(held, compat=self._wanted.compat, at_start=False, may_write=_may_write)
        self._desk = Application(held, self._terms, self._troubles, self._end)
        app = self._desk.app(http_app(agents, security=_unguarded()), self._wanted.page)
        self._server = _Server(
            uvicorn.Config(
                app,
                http=Protocol,
                ws="none",
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=15,
                timeout_graceful_shutdown=_GRACE,
            ),
            lambda: self._begin(began),
        )
        self._heed_signals()
        watcher = Thread(target=self._watch, name="waymeet-watch", daemon=True)
        watcher.start()
        waiting = asyncio.create_task(self._look())
        try:
            await self._server.serve(sockets=[wire])
        finally:
            self._end()
            waiting.cancel()
            ending = (self._project.index_path, self._terms.resident)
            Thread(target=_end_surely, args=(*ending, _SURELY), daemon=True).start()
            await asyncio.to_thread(watcher.join, _PATIENCE)
            if watcher.is_alive():  # it embeds, say, and loses a batch at most
                _end_surely(*ending, 0.0)
            await held.close()

    def _begin(self, began: Callable[[Daemon], None]) -> None:
        """Tell others that it runs."""
        announce(self._project.index_path, self._terms.resident)
        began(self._terms.resident)

    def _end(self) -> None:
        self._ending.set()
        self._server.should_exit = True
        self._desk.jobs.hush()

    def _heed_signals(self) -> None:
        for each in (signal.SIGINT, signal.SIGTERM):
            if sys.platform == "win32":
                signal.signal(each, lambda *_: self._end())
            else:
                asyncio.get_running_loop().add_signal_handler(each, self._end)

    async def _look(self) -> None:
        """End if nobody has wanted anything for long, or the index is gone for good."""
        index, resident, idle = self._project.index_path, self._terms.resident, self._wanted.idle_seconds
        while not self._ending.is_set():
            await asyncio.sleep(_LOOK_SECONDS)
            if (
                idle
                and self._desk.counted.idle_seconds() > idle
                and not self._desk.jobs.running
                and not self._embedding()
            ):
                _LOG.warning("nobody wanted anything for %g s: ending", idle)
                self._end()
            if not index.parent.exists():
                _LOG.warning("the folder of the index is gone: ending")
                self._end()
            elif find_daemon(index) != resident:
                with suppress(OSError):
                    announce(index, resident)

    def _embedding(self) -> bool:
        job = last_job(self._project.index_path)
        return job is not None and not job.ended and job.pid == os.getpid()

    def _watch(self) -> None:
        """Keep the index up to date, and what answers warm."""

        def told(round_: "WatchEvent") -> None:
            self._trouble = "" if round_.code == "recovered" or not round_.error else round_.error
            self._told(round_)

        warm = Thread(target=self._warm, daemon=True)
        warm.start()
        try:
            self._project.watch(told, stopped=self._ending.is_set)
        except (WaymeetError, OSError) as error:
            self._trouble = str(error)
            _LOG.warning("changes are not watched: %s", error)
        warm.join()

    def _warm(self) -> None:
        """Ask a question that nobody asked, so that the first one who does need not wait for a model."""
        try:
            if not self._project.indexed:
                return
            models = self._project.models.active(self._project.refreshed_store()[0], self._project.settings.embedding)
            if models.is_local:  # nobody else is sent what nobody asked
                self._project.search(Query("warm", limit=1), refresh=False)
        except WaymeetError as error:  # the first who asks will be told
            _LOG.info("nothing could be asked yet: %s", error)

    def _troubles(self) -> tuple[Degraded, ...]:
        return (Degraded("watch", "watch_failed", self._trouble),) if self._trouble else ()


def _may_write(request: object) -> bool:
    """Tell whether whoever sent a request of agents showed the token."""
    scope = getattr(request, "scope", None)
    return bool(scope and scope.get(TRUSTED))


def _unguarded() -> "TransportSecuritySettings":
    """Let the door alone judge Host and Origin: it knows which there are."""
    from mcp.server.transport_security import TransportSecuritySettings

    return TransportSecuritySettings(enable_dns_rebinding_protection=False)


def _end_surely(index: Path, resident: Daemon, seconds: float) -> None:
    """End the process after a while, even if a model or a lock keeps a thread from ending."""
    sleep(seconds)
    remove_announcement(index, resident)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
