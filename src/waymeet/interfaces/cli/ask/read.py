"""`waymeet read`."""

import sys
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    cited,
    index_first,
    opened,
    print_json,
    print_json_line,
    print_lines,
    print_whole,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import format_option, print_files, print_text
from waymeet.interfaces.cli.shell_complete import documents
from waymeet.interfaces.daemon.client import query_daemon
from waymeet.interfaces.requests.fields import relative_to_root
from waymeet.interfaces.requests.operations.read import ReadRequest
from waymeet.project import Project
from waymeet.search.lookup.citation import Excerpt

_EPILOG = manual(
    """
    waymeet read docs/setup.md                  all of it
    waymeet read docs/setup.md#L10-L24          as search cites it
    waymeet read docs/setup.md:10:5             five lines from line 10
    waymeet read docs/setup.md#installation     a section by its heading
    waymeet search retry --format jsonl | jq -r .id | waymeet read -
    """,
    exits={0: "printed", 1: "nothing indexed is called that"},
    see="waymeet search, waymeet links",
)


@click.command(short_help="Print a section or some lines of an indexed file.", epilog=_EPILOG)
@click.argument("references", nargs=-1, required=True, metavar="ID|PATH[:FROM[:COUNT]]...", shell_complete=documents)
@project_options
@format_option()
def command(
    references: tuple[str, ...], root: Path | None, index: Path | None, flags: tuple[str, ...], form: str
) -> int:
    """Print a section by the id that search shows (docs/a.md#L10-L24), or lines of an indexed file.

    PATH prints the whole file, PATH:10 from line 10 on, PATH:10:5 five lines from line 10, PATH#heading a section.
    Several are printed one after the other; - reads their names from standard input, one on each line.
    """
    with opened(root, index, flags) as project:
        wanted = [name for each in references for name in (_given() if each == "-" else (each,))]
        if not wanted:
            raise click.UsageError("Nothing came from standard input.")
        excerpts = [_excerpt(project, relative_to_root(project.root, cited(project.root, each))) for each in wanted]
    if form == "json":
        print_json(excerpts[0] if len(excerpts) == 1 and "-" not in references else excerpts)
        return 0
    if form == "files":
        print_files((each.document for each in excerpts), project)
    for excerpt in excerpts:
        if form == "jsonl":
            print_json_line(excerpt)
        elif form == "md":
            from waymeet.interfaces.render.markdown import code, fenced

            print_text([code(excerpt.id), "", *fenced(excerpt.text), ""])
        elif form == "text":
            if len(excerpts) > 1:
                print_lines([[(excerpt.id, "bold cyan place")]], project)
            print_whole(excerpt.text, project)
        for note in excerpt.notes:
            say(f"note: {note}", err=True)
    return 0


def _excerpt(project: Project, reference: str) -> Excerpt:
    """Read from the resident process if there is one, else here."""
    found = query_daemon(project, "read", ReadRequest(id=reference), Excerpt)
    if isinstance(found, Excerpt):
        return found
    index_first(project)
    return project.read(reference)


def _given() -> list[str]:
    return [line.strip() for line in sys.stdin.read().splitlines() if line.strip()]
