"""`waymeet init`."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import (
    format_count,
    json_option,
    open_project,
    print_json,
    print_lines,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.setup.detect_project import DetectedProject, detect_project, settings_text
from waymeet.interfaces.render.text import Line
from waymeet.paths import is_too_broad
from waymeet.settings import PROJECT_FILE

_EPILOG = manual(
    """
    waymeet init                show the file, then ask
    waymeet init --dry-run      only show the file
    waymeet init --yes && waymeet index
    """,
    exits={0: "written", 1: "declined", 3: ""},
    see="waymeet settings, waymeet install, waymeet doctor",
)


@click.command(epilog=_EPILOG)
@click.option("--yes", is_flag=True, help="Do not ask. An existing file is still not replaced.")
@click.option(
    "--force", is_flag=True, help="Replace an existing waymeet.toml; the old one is kept as waymeet.toml.old."
)
@click.option("--dry-run", is_flag=True, help="Show the file without writing it.")
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
    """Write a waymeet.toml that excludes large folders of generated or third-party files.

    The file is optional. An existing one is never overwritten without --force. Files ignored by git are not indexed
    anyway.
    """
    with open_project(root, index, flags) as project:
        folder, settings = project.root, project.settings
    if is_too_broad(folder) and root is None:
        raise click.UsageError(f"{folder} is not a project folder. Name one: waymeet init -C PATH")
    target = folder / PROJECT_FILE
    detected = detect_project(folder, settings.ingest)
    text = settings_text(detected)
    exists = target.exists() or target.is_symlink()
    if as_json and not (yes or dry_run):
        raise click.UsageError("--json cannot ask for confirmation: add --yes or --dry-run.")
    if not as_json:
        print_lines(_detected_lines(detected))
        print_lines(_file_lines(text, target))
    if exists and not force and not dry_run:
        raise UsageError(f"{target} exists already; it was not changed.", "Edit it, or replace it with --force.")
    written = not dry_run and (yes or _confirm(target, replacing=exists))
    if written:
        _write(target, text, replacing=exists)
    if as_json:
        print_json({"path": str(target), "written": written, "text": text, "found": detected})
    elif written:
        say(f"Wrote {target}. Next: waymeet index")
    return 0 if written or dry_run else 1


def _detected_lines(detected: DetectedProject) -> Iterator[Line]:
    types = ", ".join(detected.types) or "unknown type of project"
    files = f"{format_count(detected.files, 'file')}{'' if detected.complete else ' or more'}"
    yield [("found  ", "dim"), (f"{types}; {files} to index", "")]
    rules = " and ".join(detected.ignore_files)
    yield [("found  ", "dim"), (f"{rules}, applied" if rules else "no .gitignore; default rules are applied", "")]
    for folder in detected.large_folders:
        yield [("found  ", "dim"), (folder.path, "cyan place"), (f"  {folder.reason}", "")]
    if detected.replaces:
        yield [("note: ", "yellow"), (f"settings in {detected.replaces} will not be read any more", "yellow")]


def _file_lines(text: str, target: Path) -> Iterator[Line]:
    yield []
    yield [(str(target), "bold")]
    for row in text.splitlines():
        yield [("  │ ", "dim"), (row, "dim" if row.startswith("#") else "green")]
    yield []


def _confirm(target: Path, *, replacing: bool) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "Not a terminal: cannot ask for confirmation.", "Add --yes to confirm, or --dry-run to see the file."
        )
    return click.confirm(f"{'Replace' if replacing else 'Write'} {target}?", default=not replacing, err=True)


def _write(target: Path, text: str, *, replacing: bool) -> None:
    """Write the file, unless another process has created it meanwhile."""
    try:
        if replacing:
            os.replace(target, target.with_name(f"{target.name}.old"))  # noqa: PTH105 - moves a link itself, not its target
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{target} was created by another process; it was not changed.") from error
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}.", "Check the permissions.") from error
