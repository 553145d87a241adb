"""Printing what was found in the form that was asked for: for people, for programs, for pages."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps

import click
from msgspec import Struct

from waymeet.interfaces.cli.common import print_json, print_json_line, print_lines, say, say_degraded
from waymeet.interfaces.render.text import Line, to_single_line
from waymeet.paths import is_visible
from waymeet.project import Project
from waymeet.types import Degraded

FORMS = ("text", "json", "jsonl", "md", "files")


class Listing(Struct, frozen=True):
    """What was found, ready for every form."""

    whole: object
    """All of it, for JSON."""
    items: Sequence[object]
    """The same one by one, for JSON lines."""
    lines: Sequence[Line]
    """For people."""
    documents: Sequence[str] = ()
    """The files, as paths below the root."""
    said: str = ""
    """What is said to people below the lines."""
    notes: tuple[str, ...] = ()
    degraded: tuple[Degraded, ...] = ()


def format_option(*more: str, drop: tuple[str, ...] = ()) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add `--format` and its short form `--json`; the command gets the chosen form as `form`."""
    forms = [form for form in (*FORMS, *more) if form not in drop]

    def add(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def run(form: str | None, as_json: bool, **rest: object) -> int:
            if as_json and form not in {None, "json"}:
                raise click.UsageError(f"Give either --json or --format {form}, not both.")
            return command(form="json" if as_json else form or "text", **rest)

        choice = click.option("--format", "form", type=click.Choice(forms), help="How to print it [default: text].")
        return choice(click.option("--json", "as_json", is_flag=True, help="Print JSON: short for --format json.")(run))

    return add


def print_listing(form: str, found: Listing, project: Project | None) -> None:
    """Print what was found; whatever a form has no room for goes to standard error."""
    if form == "json":
        print_json(found.whole)
        return
    if form == "jsonl":
        for item in found.items:
            print_json_line(item)
    elif form == "files" and project:
        print_files(found.documents, project)
    elif form == "md":
        from waymeet.interfaces.render.markdown import list_markdown

        print_text(list_markdown(found.lines))
    else:
        print_lines(found.lines, project)
        if found.said:
            say(found.said)
    for note in found.notes:
        say(f"note: {note}", err=True)
    say_degraded(found.degraded)


def print_files(documents: Iterable[str], project: Project) -> None:
    """Print each file once, as a path that can be opened from where the user stands."""
    for document in dict.fromkeys(documents):
        path = project.root / document
        try:
            shown = os.path.relpath(path) if is_visible(path) else document
        except (OSError, ValueError):  # another drive, or no current folder any more
            shown = str(path)
        click.echo(to_single_line(shown))


def print_text(lines: Iterable[str]) -> None:
    """Print lines that are made for a file, as they are; they hold no control characters."""
    for line in lines:
        click.echo(line)
