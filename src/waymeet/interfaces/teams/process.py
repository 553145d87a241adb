"""The process of a server of several projects: start, watch files, end on a signal."""

import asyncio
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import time
from typing import TYPE_CHECKING, NamedTuple

from waymeet import __version__
from waymeet.errors import UsageError, WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import Daemon
from waymeet.interfaces.http.access import is_loopback
from waymeet.interfaces.http.app import Application
from waymeet.interfaces.http.end_signals import call_on_signals
from waymeet.interfaces.http.listener import local_address, open_socket
from waymeet.interfaces.http.process import ReportingServer, ServeOptions, make_agents, make_policy, uvicorn_config
from waymeet.interfaces.teams.access import TeamAccess
from waymeet.interfaces.teams.app import TeamApplication
from waymeet.interfaces.teams.audit_log import AuditLog, audit_file
from waymeet.interfaces.teams.rate_limit import RateLimit
from waymeet.interfaces.teams.served_projects import ServedProject, ServedProjects, project_prefix
from waymeet.interfaces.teams.sign_in import TeamSignIn
from waymeet.interfaces.teams.token_store import TokenChecker, has_valid_token
from waymeet.project import Project
from waymeet.project.registered.projects import Projects
from waymeet.project.registered.registry import RegisteredProject, list_projects
from waymeet.settings import Serve
from waymeet.types import Degraded

if TYPE_CHECKING:
    from waymeet.ingest.watch import WatchEvent

_LOG = logging.getLogger(__name__)
_WATCHER_SECONDS = 2.0
_THREADS = 4


def run_team_server(
    entries: Sequence[RegisteredProject],
    options: ServeOptions,
    flags: tuple[str, ...],
    on_start: Callable[[Daemon], None],
    *,
    is_all: bool,
) -> None:
    """Serve several projects until the process is stopped.

    With `is_all`, projects that are added to the user's list later are served, too.

    Raises:
        UsageError: the address cannot be opened, the audit log cannot be written, or no token has access although
            other machines can reach the server.
        WaymeetError: a project cannot be opened.
    """
    if not is_loopback(options.host) and not has_valid_token([entry.id for entry in entries]):
        hint = f"Add one: waymeet token add NAME --read {entries[0].name}"
        raise UsageError("No valid token may read one of these projects.", hint)
    audit = AuditLog(audit_file())
    settings = _open(entries[0], flags).settings.serve
    ids = {entry.id for entry in entries}
    with open_socket(options.host, options.port, settings.port) as listener:
        daemon = Daemon(
            pid=os.getpid(),
            host=local_address(listener.getsockname()[0]),
            port=listener.getsockname()[1],
            secret=secrets.token_hex(32),
            version=__version__,
            root="",
            started=time(),
            scheme=options.scheme,
        )
        access = make_access(options, daemon, settings)
        server = TeamServer(options, flags, access, audit)
        server.open(lambda: [entry for entry in list_projects() if is_all or entry.id in ids])
        asyncio.run(server.run(listener, lambda: on_start(daemon)))


def make_access(options: ServeOptions, daemon: Daemon, settings: Serve) -> TeamAccess:
    """Make the rules of access for a server."""
    policy = make_policy(options, daemon, settings)
    tokens = TokenChecker()
    return TeamAccess(policy, tokens, RateLimit(settings.token_requests), TeamSignIn(policy, tokens))


def _open(entry: RegisteredProject, flags: tuple[str, ...]) -> Project:
    return Project.open(entry.root, index=Path(entry.index) if entry.index else None, flags=flags)


class _Watcher(NamedTuple):
    """The thread that keeps the index of a project up to date."""

    thread: Thread
    stopping: Event


class TeamServer:
    """Runs the HTTP server and the watchers of several projects."""

    def __init__(self, options: ServeOptions, flags: tuple[str, ...], access: TeamAccess, audit: AuditLog) -> None:
        self._options, self._flags, self._access, self._audit = options, flags, access, audit
        self._stopping = Event()
        self._watch_errors: dict[str, str] = {}
        self._watchers: dict[str, _Watcher] = {}
        self._together = Projects(())

    def open(self, choose: Callable[[], Sequence[RegisteredProject]]) -> None:
        """Open the projects that a function chooses from the user's list.

        Raises:
            WaymeetError: one cannot be opened.
        """
        self._served = ServedProjects(choose, self._serve_project, self._close_project)
        self._served.open()
        self._app = TeamApplication(self._served, self._together, self._access, self._audit)

    async def run(self, listener: socket.socket, on_start: Callable[[], None]) -> None:
        """Serve until the process is stopped."""
        self._server = ReportingServer(uvicorn_config(self._app.app(), self._options), on_start)
        call_on_signals(self._stop)
        try:
            await self._server.serve(sockets=[listener])
        finally:
            self._stop()
            threads = [watcher.thread for watcher in self._watchers.values()]
            for thread in threads:
                await asyncio.to_thread(thread.join, _WATCHER_SECONDS / len(threads))
            if any(thread.is_alive() for thread in threads):  # for example embedding: at most one batch is lost
                sys.stdout.flush()
                os._exit(0)
            for each in self._served:
                await each.project.close()
            self._together.close()

    def _serve_project(self, entry: RegisteredProject) -> ServedProject:
        """Make the routes, the MCP server and the watcher of a project."""
        project = _open(entry, self._flags)
        project.others = None
        async_project = AsyncProject(project, threads=_THREADS)
        errors = partial(self._report_errors, entry.id)
        application = Application(async_project, self._access.policy, errors, self._stop, project_prefix(entry))
        agents = make_agents(async_project, self._access.settings, compat=self._options.compat)
        self._together.add_own(project)
        self._start_watcher(entry, project)
        return ServedProject(entry, async_project, application, application.project_router(agents), agents)

    async def _close_project(self, served: ServedProject) -> None:
        """Close a project that is no longer served, when its watcher has ended."""
        self._together.remove_own(served.project.project)
        watcher = self._watchers[served.entry.id]
        watcher.stopping.set()
        await asyncio.to_thread(watcher.thread.join)
        await served.project.close()
        del self._watchers[served.entry.id]
        self._watch_errors.pop(served.entry.id, None)

    def _start_watcher(self, entry: RegisteredProject, project: Project) -> None:
        stopping = Event()
        thread = Thread(target=self._watch, args=(entry, project, stopping), daemon=True)
        self._watchers[entry.id] = _Watcher(thread, stopping)
        thread.start()

    def _stop(self) -> None:
        self._stopping.set()
        self._server.should_exit = True
        self._app.close_streams()

    def _watch(self, entry: RegisteredProject, project: Project, stopping: Event) -> None:
        """Keep the index of a project up to date."""

        def on_event(event: "WatchEvent") -> None:
            self._watch_errors[entry.id] = "" if event.code == "recovered" else event.error

        try:
            project.watch(on_event, stopped=lambda: stopping.is_set() or self._stopping.is_set())
        except (WaymeetError, OSError) as error:
            self._watch_errors[entry.id] = str(error)
            _LOG.warning("file changes of %s are not watched: %s", entry.name, error)

    def _report_errors(self, project: str) -> tuple[Degraded, ...]:
        error = self._watch_errors.get(project, "")
        return (Degraded("watch", "watch_failed", error),) if error else ()
