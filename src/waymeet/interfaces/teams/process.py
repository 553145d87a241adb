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
from typing import TYPE_CHECKING

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
from waymeet.interfaces.teams.app import ServedProject, TeamApplication
from waymeet.interfaces.teams.audit_log import AuditLog, audit_file
from waymeet.interfaces.teams.rate_limit import RateLimit
from waymeet.interfaces.teams.sign_in import TeamSignIn
from waymeet.interfaces.teams.token_store import TokenChecker, has_valid_token
from waymeet.project import Project
from waymeet.project.registered.projects import Projects
from waymeet.project.registered.registry import RegisteredProject
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
) -> None:
    """Serve several projects until the process is stopped.

    Raises:
        UsageError: the address cannot be opened, the audit log cannot be written, or no token has access although
            other machines can reach the server.
        WaymeetError: a project cannot be opened.
    """
    if not is_loopback(options.host) and not has_valid_token([entry.id for entry in entries]):
        hint = f"Add one: waymeet token add NAME --read {entries[0].name}"
        raise UsageError("No valid token may read one of these projects.", hint)
    audit = AuditLog(audit_file())
    projects = [_open(entry, flags) for entry in entries]
    settings = projects[0].settings.serve
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
        server = TeamServer(tuple(zip(entries, projects, strict=True)), options, access, audit)
        asyncio.run(server.run(listener, lambda: on_start(daemon)))


def make_access(options: ServeOptions, daemon: Daemon, settings: Serve) -> TeamAccess:
    """Make the rules of access for a server."""
    policy = make_policy(options, daemon, settings)
    tokens = TokenChecker()
    return TeamAccess(policy, tokens, RateLimit(settings.token_requests), TeamSignIn(policy, tokens))


def _open(entry: RegisteredProject, flags: tuple[str, ...]) -> Project:
    return Project.open(entry.root, index=Path(entry.index) if entry.index else None, flags=flags)


class TeamServer:
    """Runs the HTTP server and the watchers of several projects."""

    def __init__(
        self,
        projects: Sequence[tuple[RegisteredProject, Project]],
        options: ServeOptions,
        access: TeamAccess,
        audit: AuditLog,
    ) -> None:
        self._projects, self._options, self._access, self._audit = projects, options, access, audit
        self._stopping = Event()
        self._watch_errors: dict[str, str] = {}
        self._together = Projects(own=[project for _, project in projects])

    async def run(self, listener: socket.socket, on_start: Callable[[], None]) -> None:
        """Serve until the process is stopped."""
        served = self.serve_projects()
        self._app = TeamApplication(served, self._together, self._access, self._audit)
        self._server = ReportingServer(uvicorn_config(self._app.app(), self._options), on_start)
        call_on_signals(self._stop)
        watchers = [Thread(target=self._watch, args=pair, daemon=True) for pair in self._projects]
        for watcher in watchers:
            watcher.start()
        try:
            await self._server.serve(sockets=[listener])
        finally:
            self._stop()
            for watcher in watchers:
                await asyncio.to_thread(watcher.join, _WATCHER_SECONDS / len(watchers))
            if any(watcher.is_alive() for watcher in watchers):  # for example embedding: at most one batch is lost
                sys.stdout.flush()
                os._exit(0)
            for each in served:
                await each.project.close()
            self._together.close()

    def serve_projects(self) -> tuple[ServedProject, ...]:
        """Make the routes and the MCP server of each project. None of them knows another project."""
        return tuple(self._serve_project(entry, project) for entry, project in self._projects)

    def _serve_project(self, entry: RegisteredProject, project: Project) -> ServedProject:
        project.others = None
        async_project = AsyncProject(project, threads=_THREADS)
        errors = partial(self._report_errors, entry.id)
        prefix = f"/projects/{entry.name}"
        application = Application(async_project, self._access.policy, errors, self._stop, prefix)
        agents = make_agents(async_project, self._access.settings, compat=self._options.compat)
        return ServedProject(entry, async_project, application, agents)

    def _stop(self) -> None:
        self._stopping.set()
        self._server.should_exit = True
        self._app.close_streams()

    def _watch(self, entry: RegisteredProject, project: Project) -> None:
        """Keep the index of a project up to date."""

        def on_event(event: "WatchEvent") -> None:
            self._watch_errors[entry.id] = "" if event.code == "recovered" else event.error

        try:
            project.watch(on_event, stopped=self._stopping.is_set)
        except (WaymeetError, OSError) as error:
            self._watch_errors[entry.id] = str(error)
            _LOG.warning("file changes of %s are not watched: %s", entry.name, error)

    def _report_errors(self, project: str) -> tuple[Degraded, ...]:
        error = self._watch_errors.get(project, "")
        return (Degraded("watch", "watch_failed", error),) if error else ()
