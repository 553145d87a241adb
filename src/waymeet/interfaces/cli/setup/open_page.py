"""`waymeet open`."""

import json
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click

from waymeet import __version__
from waymeet.errors import BusyIndexError, UsageError
from waymeet.interfaces.cli.common import json_option, open_project, print_json, project_options, say
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.setup.serve import find_running
from waymeet.interfaces.render.text import to_single_line
from waymeet.paths import is_too_broad
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.interfaces.daemon.discovery import Daemon

_START_SECONDS = 60.0
"""Seconds that a server may take to start."""
_POLL_SECONDS = 0.1
_MAX_LOG_BYTES = 2000
_EPILOG = manual(
    """
    waymeet open                             the search page of this project
    waymeet open "rotate keys"               with the results of a query
    waymeet open --no-browser                only print the link
    waymeet open --sign-out                  sign out all browsers
    """,
    exits={3: "the server did not start"},
    see="waymeet serve, waymeet search",
)


@click.command(epilog=_EPILOG)
@click.argument("query", default="")
@click.option("--no-browser", is_flag=True, help="Only print the link, which signs in one browser within two minutes.")
@click.option("--sign-out", "sign_out", is_flag=True, help="Sign out all browsers and exit.")
@project_options
@json_option
def command(
    query: str,
    no_browser: bool,
    sign_out: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Open the page of the project in a browser, signed in for writing.

    Starts `waymeet serve` in the background if it does not run yet; it stops after a time without requests
    (serve.idle_seconds). The link has a code that can be used once. The browser stays signed in until the server stops
    or the time of its session is over (serve.sign_in_seconds).
    """
    with open_project(root, index, flags) as project:
        running = find_running(project)
        if sign_out:
            return _sign_out(running.daemon if running else None, as_json=as_json)
        daemon = running.daemon if running else _start(project)
        _check_version(daemon)
    path = f"/?{urlencode({'q': query})}" if query.strip() else "/"
    address, link = f"{daemon.address}{path}", _make_link(daemon, path)
    is_opened = not no_browser and _open_browser(link or address)
    if as_json:
        state = {"pid": daemon.pid, "started": running is None, "opened": is_opened}
        click.echo(json.dumps({"address": address, "sign_in": "" if is_opened else link, **state}, indent=2))
        return 0
    click.echo(address if is_opened or not link else link)  # without masking: the code is what was asked for
    if not is_opened and not no_browser:
        say("No browser could be started. Open this link in one within two minutes.", err=True)
    return 0


def _make_link(daemon: "Daemon", path: str) -> str:
    """Make a link that signs in one browser, or return an empty text if there is none."""
    from waymeet.interfaces.daemon.client import send_request

    response = send_request(daemon, "POST", "/daemon/sign-in")
    if response is None or response.status != 200:
        return ""
    code = json.loads(response.body)["code"]
    return f"{daemon.address}/sign-in?{urlencode({'code': code, 'to': path})}"


def _sign_out(daemon: "Daemon | None", *, as_json: bool) -> int:
    """Sign out all browsers. Without a server, there are no sessions."""
    from waymeet.interfaces.daemon.client import send_request

    ended = 0
    if daemon is not None:
        response = send_request(daemon, "POST", "/daemon/sign-out")
        if response is None or response.status != 200:
            raise BusyIndexError(
                "The server does not answer.", "Stop it, which ends all sessions: waymeet serve --stop"
            )
        ended = json.loads(response.body)["ended"]
    text = f"Signed out {ended} browser{'' if ended == 1 else 's'}." if ended else "No browser was signed in."
    print_json({"ended": ended}) if as_json else say(text)
    return 0


def _check_version(daemon: "Daemon") -> None:
    if daemon.version != __version__:
        message = f"A server of version {daemon.version} runs; this is version {__version__}."
        raise UsageError(message, "Stop it, then try again: waymeet serve --stop")


def _start(project: Project) -> "Daemon":
    """Start the server of the project in the background, and wait until it answers.

    Raises:
        BusyIndexError: it does not start.
        UsageError: the folder is too broad to be a project.
    """
    from waymeet.ingest.embed.background import start_process
    from waymeet.interfaces.daemon.discovery import log_path

    if not project.is_indexed and is_too_broad(project.root):
        message = f"{project.root} is not a project and is not indexed automatically."
        raise UsageError(message, "Name a project: waymeet open -C PATH")
    project.index_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = log_path(project.index_path)
    arguments = ["serve", "--idle-seconds", str(project.settings.serve.idle_seconds)]
    process = start_process(arguments, project.root, project.index_path, project.flags, log)
    deadline = monotonic() + _START_SECONDS
    while monotonic() < deadline:
        running = find_running(project)
        if running and running.responds:
            return running.daemon
        if process.poll() is not None:
            raise BusyIndexError(f"The server did not start: {_last_line(log)}", "Run: waymeet serve")
        sleep(_POLL_SECONDS)
    raise BusyIndexError(f"The server does not answer yet. Its log: {log}", "Try again, or run: waymeet serve")


def _last_line(log: Path) -> str:
    """Read the last line of a log."""
    try:
        lines = log.read_bytes()[-_MAX_LOG_BYTES:].decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return f"see {log}"
    return to_single_line(lines[-1]) if lines else f"see {log}"


def _open_browser(address: str) -> bool:
    import webbrowser

    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
