"""Output of lists as text, JSON, JSON lines, Markdown or file names."""

import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps

import click
from msgspec import Struct

from waymeet.interfaces.cli.common import mask, print_degraded, print_json, print_json_line, print_lines, say
from waymeet.interfaces.render.text import Line, to_single_line
from waymeet.paths import is_visible
from waymeet.project import Project
from waymeet.types import Degraded

FORMS = ("text", "json", "jsonl", "md", "files")
_NUL = "waymeet.nul"
"""Key of the context's `meta`: whether paths end with a NUL character."""
_NUL_HELP = "End each path with NUL instead of a newline, for xargs -0; implies --format files."


class Listing(Struct, frozen=True):
    """A result in every output format."""

    document: object
    """The whole result, for JSON."""
    items: Sequence[object]
    """Its items, for JSON lines."""
    lines: Sequence[Line]
    """Its lines, for text and Markdown."""
    files: Sequence[str] = ()
    """Its files, as paths below the root."""
    summary: str = ""
    """A sentence printed below the lines of text."""
    notes: tuple[str, ...] = ()
    degraded: tuple[Degraded, ...] = ()


def format_option(*more: str, drop: tuple[str, ...] = ()) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add `--format` and `--json` to a command, which receives the format as `form`."""
    forms = [form for form in (*FORMS, *more) if form not in drop]

    def add_options(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def run(form: str | None, as_json: bool, **options: object) -> int:
            if as_json and form not in {None, "json"}:
                raise click.UsageError(f"--json and --format {form} exclude each other.")
            has_nul = bool(options.pop("null", False))
            if has_nul and (as_json or form not in {None, "files"}):
                raise click.UsageError(f"--null is for --format files, not for {'json' if as_json else form}.")
            click.get_current_context().meta[_NUL] = has_nul
            return command(form="json" if as_json else form or ("files" if has_nul else "text"), **options)

        added: Callable[..., int] = run
        if "files" in forms:
            added = click.option("-0", "--null", is_flag=True, help=_NUL_HELP)(added)
        added = click.option("--json", "as_json", is_flag=True, help="Print JSON: short for --format json.")(added)
        return click.option("--format", "form", type=click.Choice(forms), help="Output format [default: text].")(added)

    return add_options


def print_listing(form: str, listing: Listing, project: Project | None) -> None:
    """Print a listing, with notes and degradations on standard error except for JSON."""
    if form == "json":
        print_json(listing.document)
        return
    if form == "jsonl":
        for item in listing.items:
            print_json_line(item)
    elif form == "files" and project:
        print_files(listing.files, project)
    elif form == "md":
        from waymeet.interfaces.render.markdown import list_markdown

        print_text(list_markdown(listing.lines))
    else:
        print_lines(listing.lines, project)
        if listing.summary:
            say(listing.summary)
    for note in listing.notes:
        say(f"note: {note}", err=True)
    print_degraded(listing.degraded)


def print_files(documents: Iterable[str], project: Project) -> None:
    """Print each file once, as a path relative to the current folder.

    Other programs get the path as it is. On a terminal, control characters are replaced.
    """
    context = click.get_current_context(silent=True)
    end = "\0" if context and context.meta.get(_NUL) else "\n"
    for document in dict.fromkeys(documents):
        path = project.root / document
        try:
            shown = os.path.relpath(path) if is_visible(path) else document
        except (OSError, ValueError):  # another drive, or the current folder was deleted
            shown = str(path)
        shown = mask(shown)
        if sys.stdout.isatty():
            click.echo(f"{to_single_line(shown)}{end}", nl=False)
        elif isinstance(sys.stdout, io.TextIOWrapper):
            click.echo(os.fsencode(f"{shown}{end}"), nl=False)  # the bytes of the name, whatever the encoding
        else:
            click.echo(f"{shown}{end}", nl=False)


def print_text(lines: Iterable[str]) -> None:
    """Print lines that contain no control characters, with secrets masked."""
    for line in lines:
        click.echo(mask(line))
