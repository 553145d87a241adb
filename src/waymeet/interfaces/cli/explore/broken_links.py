"""`waymeet broken-links`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.ingest.discover.run_state import renamed_paths
from waymeet.interfaces.cli.common import (
    fresh_store,
    to_root_path,
    open_project,
    project_options,
    format_count,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.render.text import Line
from waymeet.search.explore.broken_links import BrokenLink, find_broken_links
from waymeet.staleness.references import find_unindexed

_EPILOG = manual(
    """
    waymeet broken-links
    waymeet broken-links docs --exit-code      for continuous integration
    waymeet broken-links --format jsonl        one broken link a line
    """,
    exits={1: "some link is broken (with --exit-code)"},
    see="waymeet links, waymeet orphans, waymeet stale",
)
_PROBLEMS = {"missing": "leads nowhere", "anchor": "no such place", "renamed": "has another name now"}


@click.command(short_help="List links that lead nowhere, and what may be meant.", epilog=_EPILOG)
@click.argument("paths", nargs=-1, shell_complete=complete_documents)
@click.option("--exit-code", is_flag=True, help="End with 1 if there are any.")
@project_options
@format_option()
def command(
    paths: tuple[str, ...],
    exit_code: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """List links that people wrote and that lead nowhere, to no such heading, or to a page by a name it had once.

    Imports and calls that lead out of the project are not among them.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project, complete=exit_code)
        wanted = [to_root_path(project.root, path) for path in paths]
        with store.snapshot():
            found = find_broken_links(
                store, renamed_paths(store), lambda name: bool(find_unindexed(project.root, [name])), wanted
            )
    said = f"{format_count(len(found), 'broken link')}." if found else "No link is broken."
    whole = {"broken": found, "degraded": degraded}
    files = [each.document for each in found]
    print_listing(form, Listing(whole, found, tuple(_lines(found)), files, said, degraded=degraded), project)
    return 1 if exit_code and found else 0


def _lines(found: Sequence[BrokenLink]) -> Iterator[Line]:
    for each in found:
        place = f"{each.document}:{each.line}" if each.line else each.document
        yield [(place, "cyan place"), (f"  {each.kind}  ", "dim"), (each.target, "yellow"), (f"  {_said(each)}", "")]
        if each.sentence:
            yield [("    ", ""), (each.sentence, "dim")]


def _said(each: BrokenLink) -> str:
    if each.problem == "renamed":
        return f"is now {each.suggestions[0]}"
    meant = f": did you mean {' or '.join(each.suggestions)}?" if each.suggestions else ""
    return _PROBLEMS[each.problem] + meant
