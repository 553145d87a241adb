"""`waymeet serve`."""

import sys
from pathlib import Path
from time import monotonic, sleep, time
from typing import TYPE_CHECKING

import click

from waymeet.errors import BusyIndexError
from waymeet.interfaces.cli.common import json_option, open_project, print_json, print_json_line, project_options, say
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.render.text import escape_control, to_single_line
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.watch import WatchEvent
    from waymeet.interfaces.daemon.discovery import Daemon

_EPILOG = manual(
    """
    waymeet serve                            this project, at http://127.0.0.1:7337
    waymeet serve --port 0                   at any free port
    waymeet serve --status                   who serves this project, and since when
    waymeet serve --stop                     end it
    waymeet serve --show-token               what changes over HTTP need
    curl "http://127.0.0.1:7337/v1/search?query=rotate+keys"
    """,
    exits={0: "it was ended, or it runs (--status)", 1: "it does not run (--status, --stop)", 3: "it runs already"},
    see="waymeet mcp, waymeet index --watch, waymeet settings",
)
_OTHERS = """\
Other machines can reach it: everything needs the token, and nothing is encrypted; use a proxy that does.
Names that they address it by must be allowed: serve.hosts"""
_STOP_SECONDS = 15.0


@click.command(short_help="Keep the index warm for HTTP, agents and commands.", epilog=_EPILOG)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at; others need the token.")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port; 0 for any [default: 7337, else any].")
@click.option("--idle-seconds", type=click.FloatRange(0), default=0.0, help="End after so long without a request.")
@click.option("--compat", is_flag=True, help="Offer agents also the tools of other systems under their own names.")
@click.option("--status", "asking", is_flag=True, help="Say who serves this project, and end.")
@click.option("--stop", "stopping", is_flag=True, help="End the process that serves this project.")
@click.option("--show-token", "showing", is_flag=True, help="Print the token that changes over HTTP need, and end.")
@project_options
@json_option
def command(
    host: str,
    port: int | None,
    idle_seconds: float,
    compat: bool,
    asking: bool,
    stopping: bool,
    showing: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Keep this project's index warm and up to date, and answer over HTTP until it is ended.

    Programs ask it over HTTP (/openapi.json says how), agents at /mcp. Commands such as search, and `waymeet mcp`, find
    it by themselves and answer the same with it or without it. Only this machine can reach it unless --host says
    otherwise. Who changes notes, tasks or skills, or starts indexing, has to show the token.
    """
    if asking + stopping + showing > 1:
        raise click.UsageError("Choose one of --status, --stop and --show-token.")
    if showing:
        from waymeet.interfaces.daemon.token import read_token

        print_json({"token": read_token()}) if as_json else say(read_token())
        return 0
    with open_project(root, index, flags) as project:
        if asking:
            return _status(project, as_json=as_json)
        if stopping:
            return _stop(project, as_json=as_json)
        return _serve(project, host, port, idle_seconds, compat=compat, as_json=as_json)


def _serve(project: Project, host: str, port: int | None, idle_seconds: float, *, compat: bool, as_json: bool) -> int:
    from waymeet.interfaces.http.access import is_loopback
    from waymeet.interfaces.http.process import ServeOptions, run_server

    _log_safely()

    def began(resident: "Daemon") -> None:
        if as_json:
            print_json_line({"address": resident.address, "pid": resident.pid, "root": resident.root})
        else:
            say(f"Serving {project.root} at {resident.address}; agents at {resident.address}/mcp. Ctrl-C ends it.")
            say("Changes need the token: waymeet serve --show-token", err=True)
            if not is_loopback(host):
                say(_OTHERS, err=True)
        sys.stdout.flush()

    def told(round_: "WatchEvent") -> None:
        if round_.error:
            say(f"{to_single_line(round_.error)} {to_single_line(round_.hint)}".rstrip(), err=True)

    run_server(project, ServeOptions(host, port, idle_seconds, compat), began, told)
    return 0


def _log_safely() -> None:
    """Have what goes wrong told on standard error, without anything in it that could steer a terminal."""
    import logging

    class Safe(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return escape_control(super().format(record))

    told = logging.StreamHandler(sys.stderr)
    told.setFormatter(Safe("waymeet serve: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[told])


def _running(project: Project) -> "Daemon | None":
    """Find the process that serves the project, whatever its version; one that does not answer does not count."""
    from waymeet.interfaces.daemon.client import send_request
    from waymeet.interfaces.daemon.discovery import find_daemon, is_running, remove_announcement

    told = find_daemon(project.index_path)
    if told is None:
        return None
    if not is_running(told.pid):
        remove_announcement(project.index_path, told)
        return None
    return told if send_request(told, "GET", "/healthz") else None


def _status(project: Project, *, as_json: bool) -> int:
    from waymeet import __version__

    found = _running(project)
    if as_json:
        shown = {"pid": found.pid, "address": found.address, "version": found.version} if found else {}
        since = {"root": found.root, "seconds": time() - found.started} if found else {}
        print_json({"running": found is not None, **shown, **since})
    elif found:
        other = (
            f" (Waymeet {found.version}; commands of {__version__} work alone)" if found.version != __version__ else ""
        )
        say(f"Process {found.pid} serves {found.root} at {found.address} since {_span(time() - found.started)}{other}.")
    else:
        say(f"Nobody serves {project.root}. To do it: waymeet serve")
    return 0 if found else 1


def _stop(project: Project, *, as_json: bool) -> int:
    from waymeet.interfaces.daemon.client import send_request
    from waymeet.interfaces.daemon.discovery import is_running

    found = _running(project)
    if found is None:
        print_json({"stopped": False}) if as_json else say(f"Nobody serves {project.root}.")
        return 1
    send_request(found, "POST", "/resident/stop")
    until = monotonic() + _STOP_SECONDS
    while is_running(found.pid) and monotonic() < until:
        sleep(0.05)
    if is_running(found.pid):
        raise BusyIndexError(f"Process {found.pid} has not ended yet.", "Look again: waymeet serve --status")
    print_json({"stopped": True, "pid": found.pid}) if as_json else say(f"Process {found.pid} has ended.")
    return 0


def _span(seconds: float) -> str:
    """Say how long something lasts.

    >>> _span(5), _span(300), _span(9000)
    ('5 s', '5 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
