"""`waymeet init`."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import (
    json_option,
    open_project,
    print_json,
    print_lines,
    project_options,
    say,
    format_count,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.setup.detect_project import Detected, detected, settings_text
from waymeet.interfaces.render.text import Line
from waymeet.paths import is_too_broad
from waymeet.settings import PROJECT_FILE

_EPILOG = manual(
    """
    waymeet init                shows what it found out and the file, then asks
    waymeet init --dry-run      writes nothing
    waymeet init --yes && waymeet index
    """,
    exits={0: "written", 1: "not done: you said no", 3: ""},
    see="waymeet settings, waymeet install, waymeet doctor",
)


@click.command(short_help="Write a settings file for this project, with what was found out about it.", epilog=_EPILOG)
@click.option("--yes", is_flag=True, help="Do not ask. An existing file is not replaced all the same.")
@click.option(
    "--force", is_flag=True, help="Replace an existing waymeet.toml; the old one is kept as waymeet.toml.old."
)
@click.option("--dry-run", is_flag=True, help="Show the file, and write nothing.")
@project_options
@json_option
def command(
    yes: bool,
    force: bool,
    dry_run: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Write waymeet.toml for this project, with the large folders in it that are hardly worth searching.

    Waymeet works without one. It is never overwritten without your word, and what .gitignore names is left out anyway.
    """
    with open_project(root, index, flags) as project:
        folder, numbers = project.root, project.settings
    if is_too_broad(folder) and root is None:
        raise click.UsageError(f"{folder} is not a project. Go to a project's folder, or name it: waymeet init -C PATH")
    target = folder / PROJECT_FILE
    found = detected(folder, numbers.ingest)
    text = settings_text(found)
    there = target.exists() or target.is_symlink()
    if as_json and not (yes or dry_run):
        raise click.UsageError("With --json nobody can be asked: add --yes or --dry-run.")
    if not as_json:
        print_lines(_found_lines(found))
        print_lines(_file_lines(text, target))
    if there and not force and not dry_run:
        raise UsageError(f"{target} is there already; it was not touched.", "Edit it, or replace it with --force.")
    done = not dry_run and (yes or _agreed(target, replacing=there))
    if done:
        _write(target, text, replacing=there)
    if as_json:
        print_json({"path": str(target), "written": done, "text": text, "found": found})
    elif done:
        say(f"Wrote {target}. Next: waymeet index")
    return 0 if done or dry_run else 1


def _found_lines(found: Detected) -> Iterator[Line]:
    sorts = ", ".join(found.sorts) or "no sort of project that is known here"
    yield [
        ("found  ", "dim"),
        (f"{sorts}; {format_count(found.files, 'file')} to index{'' if found.complete else ' or more'}", ""),
    ]
    rules = " and ".join(found.ignore_files)
    yield [("found  ", "dim"), (f"{rules}, heeded as they are" if rules else "no .gitignore: usual rules hold", "")]
    for each in found.heavy:
        yield [("found  ", "dim"), (each.path, "cyan place"), (f"  {each.why}", "")]
    if found.elsewhere:
        yield [("note: ", "yellow"), (f"{found.elsewhere} holds settings that this file will replace", "yellow")]


def _file_lines(text: str, target: Path) -> Iterator[Line]:
    yield []
    yield [(str(target), "bold")]
    for row in text.splitlines():
        yield [("  │ ", "dim"), (row, "dim" if row.startswith("#") else "green")]
    yield []


def _agreed(target: Path, *, replacing: bool) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("Nobody is there to be asked.", "Add --yes to agree, or --dry-run to see the file.")
    return click.confirm(f"{'Replace' if replacing else 'Write'} {target}?", default=not replacing, err=True)


def _write(target: Path, text: str, *, replacing: bool) -> None:
    """Write the file, but not over one that has come meanwhile."""
    try:
        if replacing:
            os.replace(target, target.with_name(f"{target.name}.old"))  # noqa: PTH105 - a link itself, not its end
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{target} came meanwhile; it was not touched.") from error
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}.", "Check who may write there.") from error
