"""`waymeet token`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from time import time

import click
import msgspec

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import json_option, print_json, print_lines, say
from waymeet.interfaces.cli.group import Group
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.shell_complete import complete_projects
from waymeet.interfaces.render.text import Line
from waymeet.interfaces.teams import token_store
from waymeet.interfaces.teams.token_store import DAY, StoredToken
from waymeet.project.registered.registry import choose_projects, list_projects

_EPILOG = manual(
    """
    waymeet token add anna --read wiki --write api
    waymeet token add ci --read api --expires 7d
    waymeet token list
    waymeet token revoke anna
    """,
    exits={0: "done, or found", 1: "there is none"},
    see="waymeet serve --all, waymeet projects",
)
_UNITS = {"d": DAY, "w": 7 * DAY, "h": 3600}


@click.group(cls=Group, epilog=_EPILOG)
def command() -> None:
    """Manage the tokens of a server of several projects (waymeet serve --all).

    A token may read, or read and change, the projects that it names. Only its digest is stored.
    """


@command.command(
    "add",
    short_help="Add a token and print it once.",
    epilog=manual(
        """
        waymeet token add anna --read wiki --write api
        waymeet token add ci --read api --expires 7d
        waymeet token add bot --read '*' --expires never
        """,
        exits={0: "added"},
        see="waymeet token list, waymeet projects",
    ),
)
@click.argument("name")
@click.option(
    "--read",
    "read",
    multiple=True,
    metavar="NAME[,NAME]",
    shell_complete=complete_projects,
    help="Projects that it may read; * for all that exist now. Repeatable.",
)
@click.option(
    "--write",
    "write",
    multiple=True,
    metavar="NAME[,NAME]",
    shell_complete=complete_projects,
    help="Projects that it may read and change. Repeatable.",
)
@click.option(
    "--expires", default="90d", show_default=True, help="Time until it expires, such as 12h, 7d, 4w; or never."
)
@json_option
def _add(name: str, read: tuple[str, ...], write: tuple[str, ...], expires: str, as_json: bool) -> int:
    """Add a token for NAME, a person or a program, and print it. It is shown only now.

    Changes are recorded in the audit log under NAME.
    """
    if not (read or write):
        raise click.UsageError("Name at least one project with --read or --write.")
    token, text = token_store.add_token(name, _find_ids(read), _find_ids(write), _parse_expiry(expires))
    if as_json:
        shown = msgspec.json.encode({**_describe(token), "token": text})
        click.echo(msgspec.json.format(shown, indent=2).decode())  # not masked: it is what was asked for
        return 0
    click.echo(text)
    say(f"{_describe_rights(token)}. {_describe_expiry(token)}", err=True)
    say("This is the only time that the token is shown. Send it as `Authorization: Bearer TOKEN`.", err=True)
    return 0


@command.command(
    "list",
    short_help="List the tokens.",
    epilog=manual(
        """
        waymeet token list
        waymeet token list --json
        """,
        exits={0: "found", 1: "there is none"},
        see="waymeet token revoke",
    ),
)
@json_option
def _list(as_json: bool) -> int:
    """List the tokens with their rights, revoked and expired ones included."""
    tokens = token_store.list_tokens()
    if as_json:
        print_json({"tokens": [_describe(token) for token in tokens]})
    elif tokens:
        print_lines(_lines(tokens))
    else:
        say("There is no token. Add one: waymeet token add NAME --read PROJECT")
    return 0 if tokens else 1


@command.command(
    "revoke",
    short_help="Revoke a token.",
    epilog=manual(
        """
        waymeet token revoke anna
        """,
        exits={0: "revoked"},
        see="waymeet token list",
    ),
)
@click.argument("name")
@json_option
def _revoke(name: str, as_json: bool) -> int:
    """Revoke the token of NAME. Running servers refuse it from the next request on."""
    token = token_store.revoke_token(name)
    print_json(_describe(token)) if as_json else say(f"Revoked the token of {token.name}.")
    return 0


def _find_ids(options: Iterable[str]) -> list[str]:
    names = [name for option in options for part in option.split(",") if (name := part.strip())]
    return [project.id for project in choose_projects(names)] if names else []


def _parse_expiry(written: str) -> int:
    """Convert a time span to the time when a token expires, 0 for never."""
    if written == "never":
        return 0
    match = re.fullmatch(r"([1-9]\d{0,4})([hdw])", written)
    if not match:
        raise UsageError(f"--expires {written!r} is no time span.", "Write 12h, 7d, 4w or never.")
    return int(time()) + int(match[1]) * _UNITS[match[2]]


def _describe(token: StoredToken) -> dict[str, object]:
    names = {project.id: project.name for project in list_projects()}
    return {
        "name": token.name,
        "state": token.state(time()),
        "read": [names.get(id_, "(forgotten)") for id_ in token.read],
        "write": [names.get(id_, "(forgotten)") for id_ in token.write],
        "created": token.created,
        "expires": token.expires or None,
    }


def _describe_rights(token: StoredToken) -> str:
    described = _describe(token)
    rights = [
        f"may {verb} {', '.join(map(str, names))}"
        for verb, names in (("read", described["read"]), ("read and change", described["write"]))
        if isinstance(names, Sequence) and names
    ]
    return f"{token.name} {' and '.join(rights)}" if rights else f"{token.name} has no rights"


def _describe_expiry(token: StoredToken) -> str:
    return f"It expires on {_date(token.expires)}." if token.expires else "It does not expire."


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _lines(tokens: Iterable[StoredToken]) -> Iterator[Line]:
    for token in tokens:
        state = token.state(time())
        end = f"expires {_date(token.expires)}" if token.expires else "never expires"
        style = "green" if state == "valid" else "yellow"
        yield [(f"{state.ljust(7)}  ", style), (_describe_rights(token), ""), (f"  ({end})", "dim")]
