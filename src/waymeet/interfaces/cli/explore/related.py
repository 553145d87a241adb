"""`waymeet related`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    index_if_needed,
    kinds_option,
    open_project,
    project_options,
    say,
    split_kinds,
    to_root_reference,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.daemon.client import query_daemon
from waymeet.interfaces.render.text import Line
from waymeet.interfaces.requests.fields import relative_to_root
from waymeet.interfaces.requests.operations.related import RelatedAnswer, RelatedRequest, answer_related
from waymeet.search.explore.related import Related

_EPILOG = manual(
    """
    waymeet related docs/setup.md
    waymeet related src/auth.py --kinds mentions,source     documents about a file
    waymeet related "Rank fusion" --depth 3 -n 20
    waymeet related docs/setup.md --format files | xargs wc -w
    """,
    exits={0: "found", 1: "no related documents, or no such document"},
    see="waymeet links, waymeet graph, waymeet suggest-links",
)


@click.command(epilog=_EPILOG)
@click.argument("reference", metavar="ID", shell_complete=complete_documents)
@click.option("--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="Maximum number of links.")
@kinds_option
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Maximum number of results."
)
@project_options
@format_option()
def command(
    reference: str,
    depth: int,
    kinds: tuple[str, ...],
    limit: int,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """List documents related to a document by links, the closest first, with the reasons.

    ID is a path, an id from search, a title, or a unique file name.
    """
    with open_project(root, index, flags) as project:
        id_ = relative_to_root(project.root, to_root_reference(project.root, reference))
        request = RelatedRequest(id=id_, depth=depth, link_types=split_kinds(kinds), limit=limit)
        answer = query_daemon(project, "related", request, RelatedAnswer)
        if answer is None:
            index_if_needed(project)
            answer = answer_related(project, request)
    results, degraded = answer.related, answer.degraded
    document = {"id": answer.document, "related": results, "degraded": degraded}
    files = [result.document for result in results]
    print_listing(form, Listing(document, results, tuple(_lines(results)), files, degraded=degraded), project)
    if not results and form != "json":
        say(f"{answer.document} has no related documents. Try: waymeet suggest-links {answer.document}", err=True)
    return 0 if results else 1


def _lines(results: Sequence[Related]) -> Iterator[Line]:
    for number, result in enumerate(results, start=1):
        yield [(f"{number}. ", "dim"), (result.document, "bold cyan place"), (f"  {result.score:.4f}", "green")]
        yield [("   ", ""), (result.title, "bold")]
        yield [("   ", ""), ("; ".join(result.reasons), "dim")]
