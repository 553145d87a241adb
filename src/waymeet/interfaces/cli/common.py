"""What the commands share: options, opening the project, printing."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from waymeet.interfaces.present import Line, one_line, plain_line, safe
from waymeet.ports import Progress
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.index import Report

Command = TypeVar("Command", bound=Callable[..., Any])


def project_options(command: Command) -> Command:
    """Add the options that say which project and which settings are meant."""
    options = (
        click.option(
            "-C", "--project", "root", type=click.Path(path_type=Path), help="The project's folder [default: this one]."
        ),
        click.option(
            "--index", "index", type=click.Path(path_type=Path), help="The index file [default: in your data folder]."
        ),
        click.option("--set", "flags", multiple=True, metavar="KEY=VALUE", help="Change a setting for this call."),
    )
    for option in reversed(options):
        command = option(command)
    return command


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def opened(root: Path | None, index: Path | None, flags: tuple[str, ...]) -> Project:
    """Open the project that the options name, or the one this folder belongs to."""
    return Project.open(root, index=index, flags=flags)


_STEERING = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def print_json(value: object) -> None:
    """Print a value as JSON, with characters that could steer a terminal written as escapes."""
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2).decode()
    click.echo(_STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text))


def say(text: str, *, err: bool = False) -> None:
    """Print a message for people, of as many lines as it has."""
    click.echo(safe(text), err=err)


def print_lines(lines: Iterable[Line]) -> None:
    """Print lines, with their styles if a person is looking."""
    if not wants_colour(sys.stdout):
        for line in lines:
            click.echo(plain_line(line))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((one_line(text), style) for text, style in line)))


def wants_colour(stream: Any) -> bool:  # noqa: ANN401 - any text stream
    """Tell whether a stream is a terminal that may be coloured."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def bars(*titles: str) -> Iterator[tuple[Progress | None, ...]]:
    """Give one progress call for each title; bars stand on standard error while a person is looking."""
    if not sys.stderr.isatty():
        yield (None,) * len(titles)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[item]}"),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as shown:

        def bar(title: str) -> Progress:
            task = shown.add_task(title, total=None, item="", visible=False)
            return lambda done, total, item: shown.update(
                task, completed=done, total=total, item=escape(one_line(item)[-60:]), visible=True
            )

        yield tuple(map(bar, titles))


def indexed(project: Project) -> "Report":
    """Bring the project's index up to date, showing how far it is."""
    with bars("Indexing", "Embedding") as (reading, embedding):
        return project.index(reading, embedding, _say_waiting if sys.stderr.isatty() else None)


def _say_waiting() -> None:
    click.echo("Another process is indexing this project; waiting for it to finish.", err=True)


def several(number: int, what: str) -> str:
    """Count something in plain words.

    >>> several(1, "file"), several(2, "file")
    ('1 file', '2 files')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def from_here(root: Path, path: str) -> str:
    """Read a path as seen from where the user stands, else as seen from the project's root."""
    try:
        here = (Path.cwd() / path).resolve()
        if here.exists() and here.is_relative_to(root):
            return here.relative_to(root).as_posix()
    except (OSError, ValueError):
        return path  # no such place here; it may still be one below the root
    return path
