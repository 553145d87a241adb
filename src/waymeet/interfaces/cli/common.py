"""What the commands share: options, opening the project, printing."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from waymeet.interfaces.cli import NO_PAGER, ROOT
from waymeet.interfaces.cli.shell_complete import settings_like
from waymeet.interfaces.render.text import Line, escape_control, plain_line, to_single_line
from waymeet.paths import is_too_broad, is_visible
from waymeet.ports import Progress, Store
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport
    from waymeet.types import Degraded

_MARK = re.compile(r"#|:(?=\d)")
"""What parts a file from a place in it."""
Command = TypeVar("Command", bound=Callable[..., Any])


def project_options(command: Command) -> Command:
    """Add the options that say which project and which settings are meant."""
    options = (
        click.option(
            "-C",
            "--project",
            "root",
            type=click.Path(path_type=Path, readable=False),
            help="The project's folder [default: this one].",
        ),
        click.option(
            "--index", "index", type=click.Path(path_type=Path), help="The index file [default: in your data folder]."
        ),
        click.option(
            "--set",
            "flags",
            multiple=True,
            metavar="KEY=VALUE",
            shell_complete=settings_like,
            help="Change a setting for this call. Repeatable.",
        ),
        click.option(
            "--no-pager",
            is_flag=True,
            expose_value=False,
            callback=_without_pager,
            help="Print long output at once, also on a terminal.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _without_pager(ctx: click.Context, _param: click.Parameter, chosen: bool) -> None:
    if chosen:
        ctx.meta[NO_PAGER] = True


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def opened(root: Path | None, index: Path | None, flags: tuple[str, ...]) -> Project:
    """Open the project that the options name, before or behind the command, or the one this folder belongs to."""
    return Project.open(root or _meta().get(ROOT), index=index, flags=flags)


def _meta() -> dict[str, Any]:
    """Give what was said before the command's name."""
    context = click.get_current_context(silent=True)
    return context.meta if context else {}


_STEERING = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def print_json(value: object) -> None:
    """Print a value as JSON, with characters that could steer a terminal written as escapes."""
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2).decode()
    _print_escaped(text)


def print_json_line(value: object) -> None:
    """Print a value as JSON on one line, likewise."""
    _print_escaped(msgspec.json.encode(value, order="deterministic").decode())


def _print_escaped(text: str) -> None:
    click.echo(_STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text))


def say(text: str, *, err: bool = False) -> None:
    """Print a message for people, of as many lines as it has."""
    click.echo(escape_control(text), err=err)


def print_lines(lines: Iterable[Line], project: Project | None = None, *, err: bool = False) -> None:
    """Print lines, on a terminal with their styles, links and a pager; the project says where its files are."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        for line in lines:
            click.echo(plain_line(line), err=err)
        return
    from waymeet.interfaces.render.terminal import linking, nowhere, write

    links = linking(project.root, project.settings.terminal.links) if project else nowhere
    write(lines, stream, links, paging=not err and _pages(project))


def print_whole(text: str, project: Project) -> None:
    """Print a text with its tabs and line ends, through a pager if it is longer than the screen."""
    if not sys.stdout.isatty():
        say(text)
        return
    from waymeet.interfaces.render.terminal import write_text

    write_text(text, sys.stdout, paging=_pages(project))


def _pages(project: Project | None) -> bool:
    return not _meta().get(NO_PAGER) and (project is None or project.settings.terminal.pager)


@contextmanager
def bars(*titles: str) -> Iterator[tuple[Progress | None, ...]]:
    """Give one progress call for each title; bars stand on standard error while a person is looking."""
    if not sys.stderr.isatty():
        yield (None,) * len(titles)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many are done in a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed else "", style="dim")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[item]}"),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as shown:

        def bar(title: str) -> Progress:
            task = shown.add_task(title, total=None, item="", visible=False)
            return lambda done, total, item: shown.update(
                task, completed=done, total=total, item=escape(to_single_line(item)[-60:]), visible=True
            )

        yield tuple(map(bar, titles))


def indexed(project: Project, *, accept_removals: bool = False) -> "IndexReport":
    """Bring the words and links of the project's index up to date, showing how far it is."""
    if project.outdated:
        click.echo("The index was made by an earlier version; rebuilding it.", err=True)
    with bars("Indexing") as (reading,):
        waiting = once(_say_waiting) if sys.stderr.isatty() else None
        return project.index(reading, None, waiting, accept_removals=accept_removals, embed=False)


def once(told: Callable[[], None]) -> Callable[[], None]:
    """Call something the first time only."""
    said: list[bool] = []

    def first() -> None:
        if not said:
            said.append(True)
            told()

    return first


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


def cited(root: Path, reference: str) -> str:
    """Read an id or path as seen from where the user stands, else as seen from the project's root."""
    path, mark, rest = _parted(reference)
    return from_here(root, path) + mark + rest


def _parted(reference: str) -> tuple[str, str, str]:
    """Part a reference into the file and the place in it, if the whole is not itself a file.

    >>> _parted("docs/a.md#L1-L2"), _parted("a.md:3:4")
    (('docs/a.md', '#', 'L1-L2'), ('a.md', ':', '3:4'))
    """
    if is_visible(Path(reference)):
        return reference, "", ""
    marks = [each for each in _MARK.finditer(reference) if each.start()]
    # A file's own name may hold such a mark: the longest that is a file counts, else the part before the first.
    files = (each for each in reversed(marks) if is_visible(Path(reference[: each.start()])))
    mark = next(files, marks[0] if marks else None)
    return (reference[: mark.start()], mark[0], reference[mark.end() :]) if mark else (reference, "", "")


def index_first(project: Project) -> None:
    """Index the project if that never happened, unless nobody can have meant it."""
    if project.indexed:
        return
    if is_too_broad(project.root):
        raise click.UsageError(
            f"{to_single_line(str(project.root))} is not a project and will not be indexed by itself.\n"
            "Go to a project's folder, or name it: waymeet index PATH"
        )
    report = indexed(project)
    say(f"Indexed {project.root}: {several(report.added, 'file')} in {report.seconds:.1f} s.", err=True)


def current(project: Project, *, surely: bool = False) -> "tuple[Store, tuple[Degraded, ...]]":
    """Give the project's store, indexed on first use and brought up to date, and what it may lack all the same.

    `surely` is for checks that others rely on: what is too much for a search to take in is taken in all the same.
    """
    index_first(project)
    store, degraded = project.refreshed_store()
    if surely and degraded:
        indexed(project)
        return store, ()
    return store, degraded


def say_degraded(degraded: "Iterable[Degraded]") -> None:
    """Say on standard error what makes an answer less than it could be."""
    for each in degraded:
        say(f"degraded: {each.stage}: {each.detail} [{each.code}]", err=True)


kinds_option = click.option(
    "--kinds", "kinds", multiple=True, metavar="KIND[,KIND]", help="Only links of these kinds, such as references."
)


def listed(kinds: Iterable[str]) -> tuple[str, ...]:
    """Take apart kinds that are given one by one or with commas between them.

    >>> listed(["references,mentions", "calls"])
    ('references', 'mentions', 'calls')
    """
    return tuple(kind for given in kinds for each in given.split(",") if (kind := each.strip()))
