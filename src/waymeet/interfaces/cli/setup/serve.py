"""`waymeet serve`."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from waymeet.errors import BusyIndexError
from waymeet.interfaces.cli.ask.search_projects import check_options, choose_names
from waymeet.interfaces.cli.common import (
    format_count,
    format_duration,
    json_option,
    no_background_option,
    open_project,
    print_json,
    print_json_line,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.shell_complete import complete_projects
from waymeet.interfaces.render.text import escape_control, to_single_line
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.watch import WatchEvent
    from waymeet.interfaces.daemon.discovery import Daemon

_EPILOG = manual(
    """
    waymeet serve                            this project, at http://127.0.0.1:7337
    waymeet serve --port 0                   at any free port
    waymeet serve --status                   show the running daemon
    waymeet serve --stop                     stop it
    waymeet serve --show-token               token for writing over HTTP
    waymeet serve --in-project api,wiki      several projects, for tokens with rights
    waymeet serve --all --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
    curl "http://127.0.0.1:7337/v1/search?query=rotate+keys"
    """,
    exits={0: "stopped, or running (--status)", 1: "not running (--status, --stop)", 3: "already running"},
    see="waymeet mcp, waymeet token, waymeet projects, waymeet settings",
)
_REMOTE_NOTE = """\
Other machines can reach this address. Every request needs the token. Allow the host names that clients use:
serve.hosts"""
_TEAM_NOTE = """\
Every request needs a token: waymeet token add. Your own, for all of them: waymeet serve --show-token"""
_STOP_SECONDS = 15.0
_ANSWER_SECONDS = 3.0
"""Seconds after which a daemon that does not answer is known by its lock, and stopped by a signal."""


@click.command(epilog=_EPILOG)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; any other needs the token.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="Port; 0 for any free one [default: 7337, else any free one]."
)
@click.option("--all", "is_all", is_flag=True, help="Serve all your projects, each below /projects/NAME.")
@click.option(
    "--in-project",
    "in_projects",
    multiple=True,
    metavar="NAME[,NAME]",
    shell_complete=complete_projects,
    help="Serve these projects of yours, each below /projects/NAME. Repeatable.",
)
@click.option(
    "--tls-cert",
    "certificate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Certificate for TLS, with the chain; needed for other addresses than those of this machine.",
)
@click.option("--tls-key", "key", type=click.Path(path_type=Path), metavar="FILE", help="Private key for TLS.")
@click.option("--behind-proxy", "is_behind_proxy", is_flag=True, help="A proxy in front of the server adds TLS.")
@click.option("--idle-seconds", type=click.FloatRange(0), default=0.0, help="Stop after this time without a request.")
@click.option("--compat", is_flag=True, help="Also offer tools under the names of other systems.")
@click.option("--status", "show_status", is_flag=True, help="Show the daemon of this project and exit.")
@click.option("--stop", "stop", is_flag=True, help="Stop the daemon of this project.")
@click.option("--show-token", "show_token", is_flag=True, help="Print the token for writing over HTTP and exit.")
@no_background_option
@project_options
@json_option
def command(
    host: str,
    port: int | None,
    idle_seconds: float,
    compat: bool,
    show_status: bool,
    stop: bool,
    show_token: bool,
    is_all: bool,
    in_projects: tuple[str, ...],
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
    **tls: Any,  # noqa: ANN401 - named like the fields of the server's options
) -> int:
    """Run a daemon that keeps the index loaded and up to date, and answers over HTTP.

    Browsers show the search page (waymeet open), programs use HTTP (see /openapi.json), agents /mcp. Commands such as
    search, and `waymeet mcp`, use the daemon automatically; results are the same without it. It listens on this machine
    only, unless --host is set; other addresses need TLS, or a proxy that adds it. Requests that write notes, tasks or
    skills, or start indexing, need the token.

    With --all or --in-project, it serves several projects to a team. Every request needs a token that may read or
    change the project (waymeet token), and changes are recorded in an audit log.
    """
    if show_status + stop + show_token > 1:
        raise click.UsageError("Choose one of --status, --stop and --show-token.")
    if show_token:
        return _print_token(as_json=as_json)
    options = {"host": host, "port": port, "idle_seconds": idle_seconds, "compat": compat, **tls}
    names = choose_names(in_projects, is_all=is_all)
    if names:
        one = {"--project": root, "--index": index, "--idle-seconds": idle_seconds}
        check_options(names, **one, **{"--status": show_status, "--stop": stop})
        return _serve_team(names, options, flags, as_json=as_json)
    with open_project(root, index, flags) as project:
        if show_status or stop:
            return (_print_status if show_status else _stop)(project, as_json=as_json)
        return _serve(project, options, as_json=as_json)


def _print_token(*, as_json: bool) -> int:
    """Print the token without masking it: it is what was asked for."""
    import json

    from waymeet.interfaces.daemon.token import read_token

    token = read_token()
    click.echo(json.dumps({"token": token}, indent=2) if as_json else token)
    return 0


def _serve_team(names: tuple[str, ...], options: dict[str, Any], flags: tuple[str, ...], *, as_json: bool) -> int:
    from waymeet.interfaces.http.process import ServeOptions, check_encryption
    from waymeet.interfaces.teams.process import run_team_server
    from waymeet.project.registered.registry import ALL, choose_projects

    chosen = ServeOptions(**options)
    check_encryption(chosen)
    entries = choose_projects(names)
    _configure_logging()

    def on_start(daemon: "Daemon") -> None:
        if as_json:
            served = [entry.name for entry in entries]
            print_json_line({"address": daemon.address, "pid": daemon.pid, "projects": served})
        else:
            say(f"Serving {format_count(len(entries), 'project')} at {daemon.address}. Ctrl-C stops it.")
            for entry in entries:
                say(f"  {daemon.address}/projects/{entry.name}  {entry.root}")
            say(_TEAM_NOTE, err=True)
        sys.stdout.flush()

    run_team_server(entries, chosen, flags, on_start, is_all=ALL in names)
    return 0


def _serve(project: Project, options: dict[str, Any], *, as_json: bool) -> int:
    from waymeet.interfaces.http.access import is_loopback
    from waymeet.interfaces.http.process import ServeOptions, run_server

    _configure_logging()

    def on_start(daemon: "Daemon") -> None:
        if as_json:
            print_json_line({"address": daemon.address, "pid": daemon.pid, "root": daemon.root})
        else:
            say(f"Serving {project.root} at {daemon.address}; agents at {daemon.address}/mcp. Ctrl-C stops it.")
            say("Writing needs the token: waymeet serve --show-token", err=True)
            if not is_loopback(options["host"]):
                say(_REMOTE_NOTE, err=True)
        sys.stdout.flush()

    def on_index(event: "WatchEvent") -> None:
        if event.error:
            say(f"{to_single_line(event.error)} {to_single_line(event.hint)}".rstrip(), err=True)

    run_server(project, ServeOptions(**options), on_start, on_index)
    return 0


def _configure_logging() -> None:
    """Log warnings to standard error, with control characters escaped."""
    import logging

    class EscapingFormatter(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return escape_control(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(EscapingFormatter("waymeet serve: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _Running(NamedTuple):
    """The running daemon of a project."""

    daemon: "Daemon"
    responds: bool
    """Whether it answers over HTTP."""


def find_running(project: Project) -> _Running | None:
    """Find the daemon of the project, of any version.

    One that does not answer over HTTP is known by the lock that its process holds.
    """
    from waymeet.interfaces.daemon.client import send_request
    from waymeet.interfaces.daemon.discovery import find_daemon, is_running, is_server, remove_announcement

    daemon = find_daemon(project.index_path)
    if daemon is None:
        return None
    if not is_running(daemon.pid):
        remove_announcement(project.index_path, daemon)
        return None
    responds = send_request(daemon, "GET", "/healthz", seconds=_ANSWER_SECONDS) is not None
    return _Running(daemon, responds) if responds or is_server(project.index_path, daemon) else None


def _print_status(project: Project, *, as_json: bool) -> int:
    from waymeet import __version__

    running = find_running(project)
    if running is None:
        empty = f"No daemon runs for {project.root}. Start one: waymeet serve"
        print_json({"running": False}) if as_json else say(empty)
        return 1
    daemon = running.daemon
    if as_json:
        process = {"pid": daemon.pid, "address": daemon.address, "version": daemon.version}
        since = {"root": daemon.root, "seconds": time() - daemon.started}
        print_json({"running": True, "responds": running.responds, **process, **since})
        return 0
    uptime = format_duration(time() - daemon.started)
    say(f"Process {daemon.pid} has served {daemon.root} at {daemon.address} for {uptime}.")
    if not running.responds:
        say("It does not answer over HTTP at the moment. To stop it: waymeet serve --stop", err=True)
    if daemon.version != __version__:
        say(f"Its version is {daemon.version}: commands of version {__version__} do not use it.", err=True)
    return 0


def _stop(project: Project, *, as_json: bool) -> int:
    running = find_running(project)
    if running is None:
        print_json({"stopped": False}) if as_json else say(f"No daemon runs for {project.root}.")
        return 1
    daemon = running.daemon
    _request_stop(project, running)
    deadline = monotonic() + _STOP_SECONDS
    while _is_up(project, daemon) and monotonic() < deadline:
        sleep(0.05)
    if _is_up(project, daemon):
        raise BusyIndexError(f"Process {daemon.pid} has not stopped yet.", "Check again: waymeet serve --status")
    print_json({"stopped": True, "pid": daemon.pid}) if as_json else say(f"Process {daemon.pid} has stopped.")
    return 0


def _is_up(project: Project, daemon: "Daemon") -> bool:
    """Tell whether a daemon still has its file or its lock.

    The process id alone does not tell: an ended process stays listed until its parent has taken note of it.
    """
    from waymeet.interfaces.daemon.discovery import find_daemon, is_running, is_server

    index = project.index_path
    return is_running(daemon.pid) and (find_daemon(index) == daemon or is_server(index, daemon))


def _request_stop(project: Project, running: _Running) -> None:
    """Ask the daemon to stop over HTTP, or by a signal if it does not answer."""
    from waymeet.interfaces.daemon.client import send_request
    from waymeet.interfaces.daemon.discovery import is_server

    daemon = running.daemon
    if running.responds and send_request(daemon, "POST", "/daemon/stop", seconds=_ANSWER_SECONDS):
        return
    if is_server(project.index_path, daemon):
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(daemon.pid, signal.SIGTERM)
