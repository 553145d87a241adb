"""The server process of an index: start, watch, announce, and end on request or when idle."""

import asyncio
import logging
import os
import secrets
import socket
import ssl
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
from waymeet.interfaces.http.access import AccessPolicy, is_loopback
from waymeet.interfaces.http.app import Application
from waymeet.interfaces.http.end_signals import call_on_signals
from waymeet.interfaces.http.h11_protocol import Protocol
from waymeet.interfaces.http.listener import local_address, open_socket, serve_lock
from waymeet.interfaces.http.middleware import AUDIT, TRUSTED, Middleware
from waymeet.interfaces.mcp.server import http_app, make_server
from waymeet.paths import is_too_broad
from waymeet.project import Project
from waymeet.project.registered.projects import Projects
from waymeet.project.registered.registry import register_indexed
from waymeet.settings import Serve
from waymeet.types import Degraded, Query

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from mcp.server.lowlevel import Server
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette

    from waymeet.ingest.watch import WatchEvent

_LOG = logging.getLogger(__name__)
_CHECK_SECONDS = 1.0
"""How often the server checks whether it should end."""
_SHUTDOWN_SECONDS = 3
"""Seconds that active requests may take when the server ends."""
_ACCEPT_SECONDS = 0.05
"""Seconds in which connections that were accepted last become known, so that they are ended like the others."""
_WATCHER_SECONDS = 2.0
"""Seconds that the watcher may take then."""
_FORCED_EXIT_SECONDS = 8.0
"""Seconds after which the process exits in any case: writes are safe at any moment."""
_THREADS = 4


class ServeOptions(NamedTuple):
    """Options of `waymeet serve`."""

    host: str = "127.0.0.1"
    port: int | None = None
    """None for the port of the settings, or any free one if that is taken."""
    idle_seconds: float = 0.0
    """Seconds without requests after which it ends; 0 for never."""
    compat: bool = False
    """Whether MCP also offers the tool names of other systems."""
    certificate: Path | None = None
    """File of the TLS certificate and those that sign it; None for no TLS."""
    key: Path | None = None
    """File of its private key; None if it is in the file of the certificate."""
    is_behind_proxy: bool = False
    """Whether a proxy in front of it adds TLS."""

    @property
    def scheme(self) -> str:
        """The scheme of the server's URL."""
        return "https" if self.certificate else "http"


def run_server(
    project: Project,
    options: ServeOptions,
    on_start: Callable[[Daemon], None],
    on_event: "Callable[[WatchEvent], None]",
) -> None:
    """Serve a project until it is stopped.

    `on_start` is called when the server answers, `on_event` for each event of the watcher.

    Raises:
        BusyIndexError: another process serves this index.
        UsageError: the address cannot be opened, or the folder is too broad to be a project.
    """
    if not project.is_indexed and is_too_broad(project.root):
        raise UsageError(
            f"{project.root} is not a project and is not indexed automatically.",
            "Name a project: waymeet serve -C PATH",
        )
    check_encryption(options)
    with (
        serve_lock(project.index_path),
        open_socket(options.host, options.port, project.settings.serve.port) as listener,
    ):
        daemon = Daemon(
            pid=os.getpid(),
            host=local_address(listener.getsockname()[0]),
            port=listener.getsockname()[1],
            secret=secrets.token_hex(32),
            version=__version__,
            root=str(project.root),
            started=time(),
            scheme=options.scheme,
        )
        access = make_policy(options, daemon, project.settings.serve)
        try:
            asyncio.run(ServerProcess(project, options, access, on_event).run(listener, on_start))
        finally:
            remove_announcement(project.index_path, daemon)


def make_policy(options: ServeOptions, daemon: Daemon, settings: Serve) -> AccessPolicy:
    """Make the rules of access that do not depend on a project."""
    return AccessPolicy(
        options.host, daemon.port, read_token(), daemon, settings, options.scheme, options.is_behind_proxy
    )


def check_encryption(options: ServeOptions) -> None:
    """Refuse to listen to other machines without TLS, and certificates that cannot be used.

    Raises:
        UsageError: TLS is missing, or its files are wrong.
    """
    if options.key and not options.certificate:
        raise UsageError("--tls-key needs --tls-cert.", "Give the file of the certificate, too.")
    if options.certificate:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(options.certificate, options.key, _no_password)
        except (OSError, ValueError) as error:  # SSLError is an OSError
            files = " and ".join(str(file) for file in (options.certificate, options.key) if file)
            hint = "Give files in PEM format: --tls-cert CERTIFICATE --tls-key KEY, the key without a password."
            raise UsageError(f"TLS cannot be used with {files}: {error}.", hint) from error
    elif not is_loopback(options.host) and not options.is_behind_proxy:
        message = f"Other machines can reach {options.host}, and nothing would be encrypted."
        raise UsageError(message, "Give --tls-cert and --tls-key, or --behind-proxy if a proxy in front adds TLS.")


def _no_password() -> str:
    raise ValueError("the key has a password")


def uvicorn_config(app: Middleware, options: ServeOptions) -> uvicorn.Config:
    """Make the configuration of the HTTP server."""
    return uvicorn.Config(
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
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        ssl_certfile=options.certificate,
        ssl_keyfile=options.key,
    )


def make_agents(project: AsyncProject, limits: Serve, *, compat: bool) -> "Starlette":
    """Make the MCP server of a project, for senders whose rights the middleware has checked."""
    agents = make_server(project, compat=compat, at_start=False, may_write=_may_write, record_change=_record_change)
    return mount_agents(agents, limits)


def mount_agents(server: "Server[None]", limits: Serve) -> "Starlette":
    """Make the application of an MCP server at `/mcp`.

    The middleware has checked its senders.
    """
    return http_app(
        server, security=_without_host_check(), max_sessions=limits.sessions, session_seconds=limits.session_seconds
    )


class ReportingServer(uvicorn.Server):
    """A uvicorn server that reports its start and leaves signals to its caller."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it."""
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and end those that are open."""
        for server in self.servers:
            server.close()
        await asyncio.sleep(_ACCEPT_SECONDS)
        await super().shutdown(sockets)

    def capture_signals(self) -> "AbstractContextManager[None]":  # type: ignore[override]  # there, a generator
        """Capture no signals."""
        return nullcontext()


class ServerProcess:
    """Runs the HTTP server, the watcher and the idle check of one index."""

    def __init__(
        self, project: Project, options: ServeOptions, access: AccessPolicy, on_event: "Callable[[WatchEvent], None]"
    ) -> None:
        self._project, self._options, self._access, self._on_event = project, options, access, on_event
        self._stopping = Event()
        self._watch_error = ""

    async def run(self, listener: socket.socket, on_start: Callable[[Daemon], None]) -> None:
        """Serve until the process is stopped."""
        self._project.others = Projects(flags=self._project.flags, own=[self._project])
        project = AsyncProject(self._project, threads=_THREADS)
        self._app = Application(project, self._access, self._report_errors, self._stop)
        self._server = self._make_server(project, on_start)
        call_on_signals(self._stop)
        watcher = Thread(target=self._watch, name="waymeet-watch", daemon=True)
        watcher.start()
        checks = asyncio.create_task(self._check_regularly())
        try:
            await self._server.serve(sockets=[listener])
        finally:
            self._stop()
            checks.cancel()
            exit_arguments = (self._project.index_path, self._access.daemon)
            Thread(target=_force_exit, args=(*exit_arguments, _FORCED_EXIT_SECONDS), daemon=True).start()
            await asyncio.to_thread(watcher.join, _WATCHER_SECONDS)
            if watcher.is_alive():  # for example embedding: at most one batch is lost
                _force_exit(*exit_arguments, 0.0)
            await project.close()

    def _make_server(self, project: AsyncProject, on_start: Callable[[Daemon], None]) -> ReportingServer:
        agents = make_agents(project, self._access.settings, compat=self._options.compat)
        config = uvicorn_config(self._app.app(agents), self._options)
        return ReportingServer(config, lambda: self._announce(on_start))

    def _announce(self, on_start: Callable[[Daemon], None]) -> None:
        """Write the daemon file and report the start."""
        try:
            announce(self._project.index_path, self._access.daemon)
        except OSError as error:
            _LOG.warning("other commands, --status and --stop do not find this server: %s", error)
        on_start(self._access.daemon)

    def _stop(self) -> None:
        self._stopping.set()
        self._server.should_exit = True
        self._app.close_streams()

    async def _check_regularly(self) -> None:
        """Stop when the server is idle for too long or the folder of the index is removed."""
        index, daemon, idle = self._project.index_path, self._access.daemon, self._options.idle_seconds
        while not self._stopping.is_set():
            await asyncio.sleep(_CHECK_SECONDS)
            if (
                idle
                and self._app.metrics.idle_seconds() > idle
                and not self._app.jobs.is_running
                and not self._is_embedding()
            ):
                _LOG.warning("no request for %g s: stopping", idle)
                self._stop()
            if not index.parent.exists():
                _LOG.warning("the folder of the index was removed: stopping")
                self._stop()
            elif find_daemon(index) != daemon:
                with suppress(OSError):
                    announce(index, daemon)

    def _is_embedding(self) -> bool:
        job = last_job(self._project.index_path)
        return job is not None and not job.ended and job.pid == os.getpid()

    def _watch(self) -> None:
        """Keep the index up to date and load the model in advance."""

        def on_event(event: "WatchEvent") -> None:
            self._watch_error = "" if event.code == "recovered" or not event.error else event.error
            self._on_event(event)

        warm = Thread(target=self._warm, daemon=True)
        warm.start()
        try:
            self._project.watch(on_event, stopped=self._stopping.is_set)
        except (WaymeetError, OSError) as error:
            self._watch_error = str(error)
            _LOG.warning("file changes are not watched: %s", error)
        warm.join()

    def _warm(self) -> None:
        """Run one query, so that the first user query does not wait for the model to load."""
        try:
            if not self._project.is_indexed:
                return
            register_indexed(self._project.root, self._project.index_path)
            models = self._project.models.active(self._project.refreshed_store()[0], self._project.settings.embedding)
            if models.is_local:  # nothing is sent to a provider without a user query
                self._project.search(Query("warm", limit=1), refresh=False)
        except WaymeetError as error:  # the first user query will report it
            _LOG.info("warm-up query failed: %s", error)

    def _report_errors(self) -> tuple[Degraded, ...]:
        return (Degraded("watch", "watch_failed", self._watch_error),) if self._watch_error else ()


def _may_write(request: object) -> bool:
    """Tell whether an MCP request has the token."""
    scope = getattr(request, "scope", None)
    return bool(scope and scope.get(TRUSTED))


def _record_change(request: object, tool: str, result: str) -> None:
    """Record a change by a tool in the audit log, if the server has one."""
    record = (getattr(request, "scope", None) or {}).get(AUDIT)
    if record is not None:
        record(f"mcp {tool}", result)


def _without_host_check() -> "TransportSecuritySettings":
    """Leave the checks of Host and Origin to our middleware."""
    from mcp.server.transport_security import TransportSecuritySettings

    return TransportSecuritySettings(enable_dns_rebinding_protection=False)


def _force_exit(index: Path, daemon: Daemon, seconds: float) -> None:
    """Exit after some seconds, even if a model or a lock keeps a thread running."""
    sleep(seconds)
    remove_announcement(index, daemon)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
