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
    format_count,
    json_option,
    open_project,
    print_json,
    print_json_line,
    project_options,
    say,
    update_index,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.manage import embedding_progress
from waymeet.interfaces.render.text import to_single_line
from waymeet.project import Project
from waymeet.project.store_address import has_password

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport
    from waymeet.ingest.watch import WatchEvent

_EPILOG = manual(
    """
    waymeet index                             this project
    waymeet index --watch                     update on every change
    waymeet index --background                embed in a background process
    waymeet index --add-root notes=~/notes    also index a folder, as notes:/…
    waymeet index --accept-removals           most files were deleted on purpose
    waymeet index --store postgresql://ada@db.example/team    on a server
    """,
    exits={0: "indexed", 3: "index not usable, or embedding failed"},
    see="waymeet status, waymeet jobs, waymeet doctor, waymeet init",
)


@click.command(epilog=_EPILOG)
@click.argument("path", type=click.Path(path_type=Path, readable=False), required=False)
@click.option("--watch", is_flag=True, help="Watch for changes until Ctrl-C.")
@click.option("--no-embed", is_flag=True, help="Skip embedding; new sections get no vectors.")
@click.option("--background", is_flag=True, help="Embed in a background process.")
@click.option("--accept-removals", is_flag=True, help="Remove missing files even if most are missing.")
@click.option("-y", "--yes", is_flag=True, help="Confirm removals and the cost of embedding.")
@click.option("--forget-vectors", is_flag=True, help="Remove vectors of models that are no longer used.")
@click.option("--background-job", is_flag=True, hidden=True)
@click.option("--add-root", "add", multiple=True, metavar="NAME=PATH", help="Also index this folder. Repeatable.")
@click.option("--remove-root", "remove", multiple=True, metavar="NAME", help="Remove an added folder. Repeatable.")
@project_options
@json_option
def command(
    path: Path | None,
    watch: bool,
    no_embed: bool,
    background: bool,
    accept_removals: bool,
    yes: bool,
    forget_vectors: bool,
    background_job: bool,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Index the files below PATH [default: this project], or update the index.

    Only changed files are read again. Files that match .gitignore or .waymeetignore are skipped. If most files are
    missing, for example because a disk is not mounted, they are removed from the index only after confirmation.

    Text and links can be searched at once. Then sections are embedded for search by meaning, the most linked and the
    most recently changed first. Embedding can be interrupted at any time and continues in the next run.

    The index keeps the settings of this run, those of --set and of variables included, until the next one.
    """
    _check_options(path, root, exclusive=no_embed + background + watch)
    with open_project(path or root, index, flags) as project:
        if background_job:
            return embedding_progress.run_background_job(project)
        _change_roots(project, add, remove)
        report = _update_index(project, accept_removals=accept_removals or yes, predict=not no_embed)
        if forget_vectors:
            _forget_vectors(project)
        if watch:
            _watch(project, report, as_json=as_json)
            return 0
        embed = not (no_embed or background)
        code = _embed_and_report(project, report, embed=embed, agreed=yes, as_json=as_json)
        return embedding_progress.start_background_job(project, quiet=as_json) if background else code


def _embed_and_report(project: Project, report: "IndexReport", *, embed: bool, agreed: bool, as_json: bool) -> int:
    if not as_json:
        _print_report(project, report)
    embedding = embedding_progress.embed_sections(project, agreed=agreed) if embed else None
    if as_json:
        print_json(replace(report, embedding=embedding))
    elif embedding:
        embedding_progress.print_report(embedding)
    return 3 if embedding and embedding.error else 0


def _forget_vectors(project: Project) -> None:
    removed = project.drop_unused_vectors()
    say(f"Removed the vectors of {', '.join(removed)}." if removed else "There are no unused vectors.", err=True)


def _check_options(path: Path | None, root: Path | None, *, exclusive: int) -> None:
    if path is not None and root is not None:
        raise click.UsageError("Give the folder either as PATH or with --project, not both.")
    if exclusive > 1:
        raise click.UsageError("--no-embed, --background and --watch exclude each other.")


def _change_roots(project: Project, add: tuple[str, ...], remove: tuple[str, ...]) -> None:
    for name in remove:
        project.remove_root(name)
    for assignment in add:
        name, equals, folder = assignment.partition("=")
        if not equals or not folder:
            raise click.UsageError(
                f"--add-root {to_single_line(assignment)}: expected NAME=PATH, such as notes=~/notes."
            )
        project.add_root(name, Path(folder))


def _update_index(project: Project, *, accept_removals: bool, predict: bool) -> "IndexReport":
    """Update the index, on a terminal after asking if most files would be removed."""
    try:
        return update_index(project, accept_removals=accept_removals, predict=predict)
    except RemovalsError as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        if not click.confirm(f"{to_single_line(error.message)} Remove them from the index?", err=True):
            raise
    return update_index(project, accept_removals=True, predict=predict)


def _print_report(project: Project, report: "IndexReport") -> None:
    if report.settings:
        say(f"The settings of the index have changed since its last run: {'; '.join(report.settings)}.", err=True)
    counts = project.counts()
    files = counts.documents - counts.kinds.get("folders", 0)
    say(f"{format_count(files, 'file')} in {project.root}: {_summarise(report)}.")
    dangling = f", {counts.dangling} broken or external" if counts.dangling else ""
    say(
        f"{format_count(counts.chunks, 'section')}, {format_count(counts.terms, 'term')}, "
        f"{format_count(counts.edges, 'link')}{dangling}. {report.seconds:.1f} s."
    )
    if project.address.is_server:
        say(f"Stored on {project.address}.")
        if has_password(project.settings.store.dsn):
            say("The password is not recorded. For later commands, put it into ~/.pgpass or PGPASSWORD.", err=True)
    for name, problem in report.missing:
        say(f"The extra root {name} {problem}. Its index entries were kept.", err=True)
    if report.skipped:
        say(f"Skipped {format_count(len(report.skipped), 'file')}. For the reasons: waymeet status")
    if report.warnings:
        say(f"{format_count(len(report.warnings), 'file')} could not be read completely. See waymeet status")
    if not files:
        say("Nothing to search: no text file was found, or all of them are ignored.", err=True)


def _summarise(report: "IndexReport") -> str:
    """Count the changes of a run."""
    renamed = len(report.renamed)
    counts = (
        (report.added - renamed, "new"),
        (report.updated, "changed"),
        (renamed, "renamed"),
        (report.removed - renamed, "removed"),
    )
    return ", ".join(f"{number} {change}" for number, change in counts if number) or "no changes"


def _watch(project: Project, report: "IndexReport", *, as_json: bool) -> None:
    """Update the index on every change until the process is ended, with one line for each run."""
    signal.signal(signal.SIGTERM, _exit)
    if as_json:
        print_json_line(_count_changes(report))
    else:
        _print_report(project, report)
        say("Watching for changes. Ctrl-C stops it.", err=True)

    def print_event(event: "WatchEvent") -> None:
        if as_json:
            counts = _count_changes(event.report) if event.report else {}
            print_json_line({"error": event.error, "hint": event.hint, "code": event.code, **counts})
            return
        now = datetime.now().astimezone().strftime("%H:%M:%S" if sys.stdout.isatty() else "%Y-%m-%dT%H:%M:%S%z")
        if event.error:
            say(f"{now}  {to_single_line(event.error)} {to_single_line(event.hint)}".rstrip(), err=True)
        elif event.report:
            say(f"{now}  {_summarise(event.report)} ({event.report.seconds:.1f} s)")
        else:
            say(f"{now}  The error is resolved; no changes.", err=True)

    project.watch(print_event)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    """Exit without an error. The next run continues an interrupted one."""
    sys.exit(0)


def _count_changes(report: "IndexReport") -> dict[str, object]:
    """Return the counts of a run without the names of all files."""
    return {
        "files": report.files,
        "added": report.added,
        "updated": report.updated,
        "removed": report.removed,
        "renamed": report.renamed,
        "unchanged": report.unchanged,
        "skipped": len(report.skipped),
        "missing": report.missing,
        "seconds": report.seconds,
    }
