"""`waymeet index`."""

import signal
import sys
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from waymeet.errors import RemovalsError
from waymeet.interfaces.cli.common import (
    update_index,
    json_option,
    open_project,
    print_json,
    print_json_line,
    project_options,
    say,
    format_count,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.manage import embedding_progress
from waymeet.interfaces.render.text import to_single_line
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport
    from waymeet.ingest.watch import WatchEvent

_EPILOG = manual(
    """
    waymeet index                             this project
    waymeet index --watch                     and stay, taking in every change
    waymeet index --background                embed for search by meaning in a process of its own
    waymeet index --add-root notes=~/notes    another folder, too; its files are notes:/…
    waymeet index --accept-removals           most files are gone, and meant to be
    """,
    exits={0: "indexed", 3: "the index cannot be used, or not all could be embedded"},
    see="waymeet status, waymeet doctor, waymeet init",
)


@click.command(short_help="Read the project's files into its index.", epilog=_EPILOG)
@click.argument("path", type=click.Path(path_type=Path, readable=False), required=False)
@click.option("--watch", is_flag=True, help="Stay and take in every change, until Ctrl-C.")
@click.option("--no-embed", is_flag=True, help="Only words and links; search by meaning lacks what is new.")
@click.option("--background", is_flag=True, help="Embed in a process of its own, which ends by itself.")
@click.option("--accept-removals", "accept", is_flag=True, help="Forget missing files even if they are most of them.")
@click.option("-y", "--yes", is_flag=True, help="Agree to that, and to what embedding costs.")
@click.option("--forget-vectors", "forget", is_flag=True, help="Remove vectors of models that are not used any more.")
@click.option("--only-embed", "only_embed", is_flag=True, hidden=True)
@click.option("--add-root", "add", multiple=True, metavar="NAME=PATH", help="Index this folder, too. Repeatable.")
@click.option("--remove-root", "remove", multiple=True, metavar="NAME", help="Leave out a folder that was added.")
@project_options
@json_option
def command(
    path: Path | None,
    watch: bool,
    no_embed: bool,
    background: bool,
    accept: bool,
    yes: bool,
    forget: bool,
    only_embed: bool,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Read the files below PATH (this project, if none is given) into the index.

    Only what changed since the last time is read again. What .gitignore and .waymeetignore name is left out.
    If most of the files are gone, as from a disk that is not mounted, nothing is forgotten without asking.

    Words and links can be searched at once. Then sections are embedded for search by meaning, the most linked and the
    last changed first; every batch is kept, so that it can be broken off at any time and goes on the next time.
    """
    _refuse_contradictions(path, root, no_embed + background + watch)
    with open_project(path or root, index, flags) as project:
        if only_embed:
            signal.signal(signal.SIGTERM, _end)
            return embedding_progress.embedded_quietly(project)
        _choose_roots(project, add, remove)
        report = _indexed(project, accept=accept or yes)
        if forget:
            gone = project.models.forget(project.refreshed_store()[0], project.settings.embedding)
            say(f"Forgotten: the vectors of {', '.join(gone)}." if gone else "There are no unused vectors.", err=True)
        if watch:
            _watch(project, report, as_json=as_json)
            return 0
        if not as_json:
            _tell(project, report)
        came = None if no_embed or background else embedding_progress.embedded(project, agreed=yes)
        if as_json:
            print_json(replace(report, embedding=came))
        elif came:
            embedding_progress.tell(came)
        if background:
            return embedding_progress.in_background(project, quiet=as_json)
    return 3 if came and came.error else 0


def _refuse_contradictions(path: Path | None, root: Path | None, ways: int) -> None:
    if path is not None and root is not None:
        raise click.UsageError("Give the folder either as PATH or with --project, not both.")
    if ways > 1:
        raise click.UsageError("Choose one of --no-embed, --background and --watch.")


def _choose_roots(project: Project, add: tuple[str, ...], remove: tuple[str, ...]) -> None:
    for name in remove:
        project.remove_root(name)
    for each in add:
        name, equals, folder = each.partition("=")
        if not equals or not folder:
            raise click.UsageError(f"--add-root {to_single_line(each)}: expected NAME=PATH, such as notes=~/notes.")
        project.add_root(name, Path(folder))


def _indexed(project: Project, *, accept: bool) -> "IndexReport":
    """Bring the index up to date; ask first, if somebody is there, before most of it is forgotten."""
    try:
        return update_index(project, accept_removals=accept)
    except RemovalsError as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        if not click.confirm(f"{to_single_line(error.message)} Forget them now?", err=True):
            raise
    return update_index(project, accept_removals=True)


def _tell(project: Project, report: "IndexReport") -> None:
    counts = project.counts()
    files = counts.documents - counts.kinds.get("folders", 0)
    say(f"{format_count(files, 'file')} in {project.root}: {_changes(report)}.")
    dangling = f", {counts.dangling} leading nowhere yet" if counts.dangling else ""
    say(
        f"{format_count(counts.chunks, 'section')}, {format_count(counts.terms, 'term')}, "
        f"{format_count(counts.edges, 'link')}{dangling}. {report.seconds:.1f} s."
    )
    for name, trouble in report.missing:
        say(f"The extra root {name} {trouble}. What is known of it was kept.", err=True)
    if report.skipped:
        say(f"Left out: {format_count(len(report.skipped), 'file')}; `waymeet status` says why.")
    if report.warnings:
        say(f"Not all could be read in {format_count(len(report.warnings), 'file')}; `waymeet status` says what.")
    if not files:
        say("There is nothing to search yet: no text file was found, or all are ignored.", err=True)


def _changes(report: "IndexReport") -> str:
    """Say what a run did, in a few words."""
    renamed = len(report.renamed)
    counted = (
        (report.added - renamed, "new"),
        (report.updated, "changed"),
        (renamed, "renamed"),
        (report.removed - renamed, "removed"),
    )
    return ", ".join(f"{number} {what}" for number, what in counted if number) or "nothing changed"


def _watch(project: Project, report: "IndexReport", *, as_json: bool) -> None:
    """Keep the index up to date, with one line for every run, until somebody ends it."""
    signal.signal(signal.SIGTERM, _end)
    if as_json:
        print_json_line(_counted(report))
    else:
        _tell(project, report)
        say("Watching for changes. Ctrl-C ends it.", err=True)

    def told(round_: "WatchEvent") -> None:
        if as_json:
            counted = _counted(round_.report) if round_.report else {}
            print_json_line({"trouble": round_.error, "hint": round_.hint, "code": round_.code, **counted})
            return
        now = datetime.now().astimezone().strftime("%H:%M:%S" if sys.stdout.isatty() else "%Y-%m-%dT%H:%M:%S%z")
        if round_.error:
            say(f"{now}  {to_single_line(round_.error)} {to_single_line(round_.hint)}".rstrip(), err=True)
        elif round_.report:
            say(f"{now}  {_changes(round_.report)} ({round_.report.seconds:.1f} s)")
        else:
            say(f"{now}  All is well again; nothing changed.", err=True)

    project.watch(told)


def _end(_signal: int, _frame: FrameType | None) -> None:
    """End as if there were nothing more to do; a run that is broken off goes on the next time."""
    sys.exit(0)


def _counted(report: "IndexReport") -> dict[str, object]:
    """Put the numbers of a run into one line of JSON; the names of all files would make it endless."""
    return {
        "files": report.files,
        "added": report.added,
        "updated": report.updated,
        "removed": report.removed,
        "moved": report.renamed,
        "unchanged": report.unchanged,
        "skipped": len(report.skipped),
        "missing": report.missing,
        "seconds": report.seconds,
    }
