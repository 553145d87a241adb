"""`waymeet read`."""

import sys
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    index_if_needed,
    open_project,
    print_json,
    print_json_line,
    print_lines,
    print_long_text,
    project_options,
    say,
    to_root_reference,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import format_option, print_files, print_text
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.daemon.client import query_daemon
from waymeet.interfaces.requests.fields import relative_to_root
from waymeet.interfaces.requests.operations.read import ReadRequest
from waymeet.project import Project
from waymeet.project.registered.projects import Projects
from waymeet.project.registered.registry import split_project_name
from waymeet.search.lookup.citation import Excerpt

_EPILOG = manual(
    """
    waymeet read docs/setup.md                  the whole file
    waymeet read docs/setup.md#L10-L24          an id from search
    waymeet read docs/setup.md:10:5             five lines from line 10
    waymeet read docs/setup.md#installation     a section by its heading
    waymeet read tea::docs/water.md#L1-L3       of another project of yours
    waymeet search retry --format jsonl | jq -r .id | waymeet read -
    """,
    exits={0: "printed", 1: "not indexed"},
    see="waymeet search, waymeet links",
)


@click.command(epilog=_EPILOG)
@click.argument(
    "references", nargs=-1, required=True, metavar="ID|PATH[:FROM[:COUNT]]...", shell_complete=complete_documents
)
@project_options
@format_option()
def command(
    references: tuple[str, ...], root: Path | None, index: Path | None, flags: tuple[str, ...], form: str
) -> int:
    """Print a section by its id from search (docs/a.md#L10-L24), or lines of an indexed file.

    PATH prints the whole file, PATH:10 from line 10 on, PATH:10:5 five lines from line 10, PATH#heading a section.
    NAME::PATH reads from the project NAME; see `waymeet projects`.
    - reads ids or paths from standard input, one per line.
    """
    with open_project(root, index, flags) as project:
        names = [name for argument in references for name in (_read_names() if argument == "-" else (argument,))]
        if not names:
            raise click.UsageError("Standard input is empty.")
        with Projects(flags=flags) as others:
            excerpts = [_read_named(project, others, name) for name in names]
    if form == "json":
        print_json(excerpts[0] if len(excerpts) == 1 and "-" not in references else excerpts)
        return 0
    if form == "files":
        print_files((excerpt.document for excerpt in excerpts), project)
    for excerpt in excerpts:
        if form == "jsonl":
            print_json_line(excerpt)
        elif form == "md":
            from waymeet.interfaces.render.markdown import code, fence_text

            print_text([code(excerpt.id), "", *fence_text(excerpt.text), ""])
        elif form == "text":
            if len(excerpts) > 1:
                print_lines([[(excerpt.id, "bold cyan place")]], project)
            print_long_text(excerpt.text, project)
        for note in excerpt.notes:
            say(f"note: {note}", err=True)
    return 0


def _read_named(project: Project, others: Projects, name: str) -> Excerpt:
    """Read from the project whose name is before the reference, or else from the current one."""
    if others.find(split_project_name(name)[0]):
        return others.read(name)
    return _read_excerpt(project, relative_to_root(project.root, to_root_reference(project.root, name)))


def _read_excerpt(project: Project, reference: str) -> Excerpt:
    """Read through the daemon if one runs, else in this process."""
    excerpt = query_daemon(project, "read", ReadRequest(id=reference), Excerpt)
    if isinstance(excerpt, Excerpt):
        return excerpt
    index_if_needed(project)
    return project.read(reference)


def _read_names() -> list[str]:
    return [line.strip() for line in sys.stdin.read().splitlines() if line.strip()]
