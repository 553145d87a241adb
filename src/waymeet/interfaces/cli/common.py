"""Options, project access and output shared by the commands."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from waymeet.errors import BusyIndexError
from waymeet.interfaces.cli import MASKS_SECRETS, NO_PAGER, ROOT
from waymeet.interfaces.cli.shell_complete import complete_assignments
from waymeet.interfaces.cli.slow_notice import SlowNotice, say_if_slow
from waymeet.interfaces.masked_paths import unmask_path
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.render.text import Line, escape_control, plain_line, to_single_line
from waymeet.paths import is_too_broad, is_visible
from waymeet.ports import Progress, Store
from waymeet.project import Project
from waymeet.project.backend import needs_upgrade
from waymeet.project.registered.registry import register_indexed
from waymeet.project.store_address import has_password
from waymeet.settings import Terminal

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport
    from waymeet.types import Degraded

_MARK = re.compile(r"#|:(?=\d)")
"""The separator between a file and a place in it."""
_NO_BACKGROUND = "waymeet.no_background"
_STORE = "waymeet.store"
Command = TypeVar("Command", bound=Callable[..., Any])
Value = TypeVar("Value")


def project_options(command: Command) -> Command:
    """Add the options that select the project, its index and its settings."""
    options = (
        click.option(
            "-C",
            "--project",
            "root",
            type=click.Path(path_type=Path, readable=False),
            help="Project folder [default: the current one].",
        ),
        click.option(
            "--index", "index", type=click.Path(path_type=Path), help="Index file [default: in your data folder]."
        ),
        click.option(
            "--store",
            metavar="ADDRESS",
            expose_value=False,
            callback=_choose_store,
            help="PostgreSQL server with the index, or sqlite [default: where it was stored last].",
        ),
        click.option(
            "--set",
            "flags",
            multiple=True,
            metavar="KEY=VALUE",
            shell_complete=complete_assignments,
            help="Override a setting for this call. Repeatable.",
        ),
        click.option(
            "--no-pager",
            is_flag=True,
            expose_value=False,
            callback=_disable_pager,
            help="Do not page long output.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _choose_store(ctx: click.Context, _param: click.Parameter, chosen: str | None) -> None:
    if chosen:
        ctx.meta[_STORE] = chosen


def _disable_pager(ctx: click.Context, _param: click.Parameter, chosen: bool) -> None:
    if chosen:
        ctx.meta[NO_PAGER] = True


def _forbid_background(ctx: click.Context, _param: click.Parameter, chosen: bool) -> None:
    if chosen:
        ctx.meta[_NO_BACKGROUND] = True


no_background_option = click.option(
    "--no-background",
    is_flag=True,
    expose_value=False,
    callback=_forbid_background,
    help="Start no background process for files and vectors that are missing.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def open_project(root: Path | None, index: Path | None, flags: tuple[str, ...]) -> Project:
    """Open the project that the options select, or the one that contains the current folder.

    `--project` may be given before or after the command's name.
    """
    if _meta().get(_NO_BACKGROUND):
        flags = (*flags, "embedding.background=false")
    if _STORE in _meta():
        flags = (*flags, f"store.dsn={_meta()[_STORE]}")
    project = Project.open(root or _meta().get(ROOT), index=index, flags=flags)
    if has_password(project.settings.store.dsn):  # the arguments of a process are visible to other users
        project.flags = tuple(flag for flag in project.flags if not flag.startswith("store.dsn="))
    MASKS_SECRETS.set(project.settings.ingest.mask_secrets)
    if needs_upgrade(project.address):
        click.echo("The index was made by an earlier version; converting it once.", err=True)
    return project


def _meta() -> dict[str, Any]:
    """Return the options given before the command's name."""
    context = click.get_current_context(silent=True)
    return context.meta if context else {}


_CONTROL = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def mask(value: Value) -> Value:
    """Mask the secrets in what is printed, unless the project's user has switched that off."""
    return mask_outgoing(value, enabled=MASKS_SECRETS.get())


def print_json(value: object) -> None:
    """Print a value as JSON, with secrets masked and control characters escaped."""
    text = msgspec.json.format(msgspec.json.encode(mask(value), order="deterministic"), indent=2).decode()
    _print_escaped(text)


def print_json_line(value: object) -> None:
    """Print a value as one line of JSON, with secrets masked and control characters escaped."""
    _print_escaped(msgspec.json.encode(mask(value), order="deterministic").decode())


def _print_escaped(text: str) -> None:
    click.echo(_CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", text))


def say(text: str, *, err: bool = False) -> None:
    """Print a message of one or more lines, with secrets masked."""
    click.echo(escape_control(mask(text)), err=err)


def print_lines(lines: Iterable[Line], project: Project | None = None, *, err: bool = False) -> None:
    """Print lines, on a terminal with styles, a pager and links to the project's files."""
    stream = sys.stderr if err else sys.stdout
    lines = map(mask_line, lines)
    if not stream.isatty():
        for line in lines:
            click.echo(plain_line(line), err=err)
        return
    from waymeet.interfaces.render.terminal import file_links, no_link, write_lines

    links = file_links(project.root, project.settings.terminal.links) if project else no_link
    write_lines(lines, stream, links, paging=not err and _uses_pager(project))


def mask_line(line: Line) -> Line:
    """Mask the secrets of a line, which then loses its styles and links."""
    text = "".join(part for part, _ in line)
    masked = mask(text)
    return line if masked == text else [(masked, "")]


def print_long_text(text: str, project: Project) -> None:
    """Print a text, through a pager if it is longer than the screen."""
    text = mask(text)
    if not sys.stdout.isatty():
        say(text)
        return
    from waymeet.interfaces.render.terminal import write_text

    write_text(text, sys.stdout, paging=_uses_pager(project))


def _uses_pager(project: Project | None) -> bool:
    return not _meta().get(NO_PAGER) and (project is None or project.settings.terminal.pager)


@contextmanager
def bars(terminal: Terminal, *titles: str) -> Iterator[tuple[Progress, ...]]:
    """Show a progress bar for each title on standard error, or lines if it is not a terminal."""
    if not sys.stderr.isatty():
        with SlowNotice(f"{titles[0]} …", terminal.notice_seconds) as notice:
            yield tuple(map(notice.progress, titles))
        return
    from waymeet.interfaces.cli.progress_bars import Bar, make_bars

    with make_bars() as shown:
        yield tuple(Bar(shown, title) for title in titles)


def update_index(
    project: Project,
    *,
    accept_removals: bool = False,
    by_index_settings: bool = False,
    wait: bool = True,
    predict: bool = True,
) -> "IndexReport":
    """Update the index except for true vectors, with a progress bar.

    Raises:
        BusyIndexError: another process is indexing, and `wait` is off.
    """
    if project.is_outdated:
        click.echo("The index was made by an earlier version; rebuilding it.", err=True)
    with bars(project.settings.terminal, "Indexing") as (progress,):
        return project.index(
            progress,
            None,
            report_waiting(progress, "Another process is indexing this project; waiting for it to finish."),
            accept_removals=accept_removals,
            embed=False,
            predict=predict,
            by_index_settings=by_index_settings,
            wait=wait,
        )


def report_waiting(progress: Progress, text: str) -> Callable[[], None]:
    """Make a function that says that a command waits, without a terminal after two seconds."""
    if sys.stderr.isatty():
        return call_once(lambda: click.echo(text, err=True))
    return lambda: progress(0, 0, text)


def call_once(function: Callable[[], None]) -> Callable[[], None]:
    """Wrap a function so that only the first call runs it."""
    calls: list[bool] = []

    def run_once() -> None:
        if not calls:
            calls.append(True)
            function()

    return run_once


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun in singular or plural.

    >>> format_count(1, "file"), format_count(2, "file")
    ('1 file', '2 files')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def format_duration(seconds: float) -> str:
    """Format a duration in its natural unit.

    >>> format_duration(4.2), format_duration(200), format_duration(9000)
    ('4 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def to_root_path(root: Path, path: str) -> str:
    """Convert a path that exists in the current folder to one relative to the root."""
    path = unmask_path(root, path)
    try:
        resolved = (Path.cwd() / path).resolve()
        if resolved.exists() and resolved.is_relative_to(root):
            return resolved.relative_to(root).as_posix()
    except (OSError, ValueError):
        return path  # not valid here; it may still be a path below the root
    return path


def to_root_reference(root: Path, reference: str) -> str:
    """Convert an id or path relative to the current folder to one relative to the root."""
    path, mark, place = _split_reference(unmask_path(root, reference))
    return to_root_path(root, path) + mark + place


def _split_reference(reference: str) -> tuple[str, str, str]:
    """Split a reference into the file, the separator and the place in the file.

    >>> _split_reference("docs/a.md#L1-L2"), _split_reference("a.md:3:4")
    (('docs/a.md', '#', 'L1-L2'), ('a.md', ':', '3:4'))
    """
    if is_visible(Path(reference)):
        return reference, "", ""
    marks = [match for match in _MARK.finditer(reference) if match.start()]
    # A file name may contain a separator: the longest existing file counts, else the part before the first one.
    files = (match for match in reversed(marks) if is_visible(Path(reference[: match.start()])))
    mark = next(files, marks[0] if marks else None)
    return (reference[: mark.start()], mark[0], reference[mark.end() :]) if mark else (reference, "", "")


def index_if_needed(project: Project, *, wait: bool = True) -> None:
    """Index a project that has no index yet, unless its folder is too broad.

    With `wait` off, a part of an index that another process is making is enough.
    """
    if project.is_indexed:
        register_indexed(project.root, project.index_path)  # earlier versions did not
        return
    if is_too_broad(project.root):
        raise click.UsageError(
            f"{to_single_line(str(project.root))} is not a project folder; it is not indexed automatically.\n"
            "Change to a project folder, or name one: waymeet index PATH"
        )
    try:
        report = update_index(project, by_index_settings=True, wait=wait)
    except BusyIndexError as error:
        if project.address.may_exist:
            return  # the answer says that the index is not complete
        message = f"{project.root} is being indexed for the first time by another process."
        raise BusyIndexError(message, "Try again in a moment, or without --no-refresh to wait for it.") from error
    say(f"Indexed {project.root}: {format_count(report.added, 'file')} in {report.seconds:.1f} s.", err=True)


def fresh_store(project: Project, *, complete: bool = False) -> "tuple[Store, tuple[Degraded, ...]]":
    """Return the refreshed store, and the reasons why it may still be out of date.

    With `complete`, for checks in continuous integration, all changed files are indexed, however many there are.
    """
    index_if_needed(project)
    with say_if_slow("Changed files are indexed …", project.settings.terminal):
        store, degraded = project.refreshed_store()
    if complete and degraded:
        update_index(project, by_index_settings=True)
        return store, ()
    return store, degraded


def print_degraded(degraded: "Iterable[Degraded]") -> None:
    """Print the reasons why an answer is degraded to standard error."""
    for reason in degraded:
        say(f"degraded: {reason.stage}: {reason.detail} [{reason.code}]", err=True)


kinds_option = click.option(
    "--kinds", "kinds", multiple=True, metavar="KIND[,KIND]", help="Only links of these kinds, such as references."
)


def split_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Split kinds that are separated by commas.

    >>> split_kinds(["references,mentions", "calls"])
    ('references', 'mentions', 'calls')
    """
    return tuple(kind for option in kinds for part in option.split(",") if (kind := part.strip()))
