"""`waymeet doctor`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from waymeet.errors import SettingsError
from waymeet.interfaces.cli import ROOT
from waymeet.interfaces.cli.common import open_project, project_options, format_count
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.manage.health_checks import (
    Finding,
    agents_of,
    index_of,
    lock_of,
    models_of,
    room,
    settings_of,
    versions,
)
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.render.text import Line
from waymeet.paths import current_folder, index_file, known_folder, project_root
from waymeet.project import Project

_EPILOG = manual(
    """
    waymeet doctor
    waymeet doctor --offline        asks no model on the network
    waymeet doctor --json           for a report
    """,
    exits={0: "all is well, or well enough", 1: "there is a problem", 3: ""},
    see="waymeet check, waymeet status, waymeet settings",
)
_STYLES = {"ok": "green", "off": "dim", "warning": "yellow", "problem": "bold red"}
_MARKS = {"ok": "✓", "off": "·", "warning": "!", "problem": "✗"}


@click.command(short_help="Look whether all is well, and say how to mend what is not.", epilog=_EPILOG)
@click.option("--offline", is_flag=True, help="Do not ask models on the network whether they answer.")
@project_options
@format_option(drop=("files",))
@click.pass_context
def command(
    ctx: click.Context,
    offline: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """Look whether all is well: versions, settings, index, locks, room on the disk, models, agents.

    Each comes with its state and, if need be, a remedy. Models that you chose are asked with one word.
    """
    chosen = root or ctx.meta.get(ROOT)
    folder = known_folder(Path(chosen), index) if chosen else project_root(current_folder())
    found = tuple(_looked(folder, index, flags, offline=offline))
    problems = sum(each.state == "problem" for each in found)
    warnings = sum(each.state == "warning" for each in found)
    said = (
        f"{format_count(problems, 'problem')}, {format_count(warnings, 'warning')}."
        if problems + warnings
        else "All is well."
    )
    whole = {"findings": found, "problems": problems, "warnings": warnings}
    print_listing(form, Listing(whole, found, tuple(_lines(found)), summary=said), None)
    return 1 if problems else 0


def _looked(folder: Path, index: Path | None, flags: tuple[str, ...], *, offline: bool) -> Iterator[Finding]:
    """Look at everything; settings that cannot be read leave out only what depends on them."""
    yield from versions()
    yield from settings_of(folder)
    yield from room(index_file(folder, index))
    yield from lock_of(folder, index)
    try:
        with open_project(folder, index, flags) as project:
            yield from _inside(project, offline=offline)
    except SettingsError:
        yield Finding("index", "warning", "not looked at: the settings come first")
    yield from agents_of(folder)


def _inside(project: Project, *, offline: bool) -> Iterator[Finding]:
    yield from index_of(project)
    yield from models_of(project, asking=not offline)


def _lines(found: Iterable[Finding]) -> Iterator[Line]:
    for each in found:
        style = _STYLES[each.state]
        yield [
            (f"{_MARKS[each.state]} ", style),
            (f"{each.topic:<10}", "bold"),
            (each.said, style if each.state == "off" else ""),
        ]
        if each.remedy:
            yield [(" " * 12, ""), (f"→ {each.remedy}", "dim" if each.state == "off" else "yellow")]
