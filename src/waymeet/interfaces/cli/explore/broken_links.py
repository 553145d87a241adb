"""`waymeet broken-links`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.ingest.discover.run_state import renamed_paths
from waymeet.interfaces.cli.common import (
    format_count,
    fresh_store,
    open_project,
    project_options,
    to_root_path,
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
    waymeet broken-links --format jsonl        one broken link per line
    """,
    exits={1: "a link is broken (with --exit-code)"},
    see="waymeet links, waymeet orphans, waymeet stale",
)
_PROBLEMS = {"missing": "no such document", "anchor": "no such heading", "renamed": "was renamed"}


@click.command(epilog=_EPILOG)
@click.argument("paths", nargs=-1, shell_complete=complete_documents)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if a link is broken.")
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
    """List links to missing documents or headings, or to the old name of a document.

    Imports and calls of code outside the project are not listed.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project, complete=exit_code)
        below = [to_root_path(project.root, path) for path in paths]
        with store.snapshot():
            links = find_broken_links(
                store, renamed_paths(store), lambda name: bool(find_unindexed(project.root, [name])), below
            )
    summary = f"{format_count(len(links), 'broken link')}." if links else "No broken links."
    document = {"broken": links, "degraded": degraded}
    files = [link.document for link in links]
    print_listing(form, Listing(document, links, tuple(_lines(links)), files, summary, degraded=degraded), project)
    return 1 if exit_code and links else 0


def _lines(links: Sequence[BrokenLink]) -> Iterator[Line]:
    for link in links:
        place = f"{link.document}:{link.line}" if link.line else link.document
        problem = (f"  {_describe_problem(link)}", "")
        yield [(place, "cyan place"), (f"  {link.kind}  ", "dim"), (link.target, "yellow"), problem]
        if link.sentence:
            yield [("    ", ""), (link.sentence, "dim")]


def _describe_problem(link: BrokenLink) -> str:
    if link.problem == "renamed":
        return f"is now {link.suggestions[0]}"
    hint = f": did you mean {' or '.join(link.suggestions)}?" if link.suggestions else ""
    return _PROBLEMS[link.problem] + hint
