"""`waymeet related`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    to_root_reference,
    index_if_needed,
    kinds_option,
    split_kinds,
    open_project,
    project_options,
    say,
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
    waymeet related src/auth.py --kinds mentions,source     what describes a file
    waymeet related "Rank fusion" --depth 3 -n 20
    waymeet related docs/setup.md --format files | xargs wc -w
    """,
    exits={0: "found", 1: "nothing is linked with it, or there is no such document"},
    see="waymeet links, waymeet graph, waymeet suggest-links",
)


@click.command(short_help="List what belongs to a document, judged by links.", epilog=_EPILOG)
@click.argument("reference", metavar="ID", shell_complete=complete_documents)
@click.option("--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="How many links far to look.")
@kinds_option
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Most to show.")
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
    """List what belongs to a document, the most closely linked first, and why.

    ID is a path, an id that search shows, a title, or a file name that only one file has.
    """
    with open_project(root, index, flags) as project:
        id_ = relative_to_root(project.root, to_root_reference(project.root, reference))
        request = RelatedRequest(id=id_, depth=depth, link_types=split_kinds(kinds), limit=limit)
        answer = query_daemon(project, "related", request, RelatedAnswer)
        if answer is None:
            index_if_needed(project)
            answer = answer_related(project, request)
    found, degraded = answer.related, answer.degraded
    whole = {"id": answer.document, "related": found, "degraded": degraded}
    files = [each.document for each in found]
    print_listing(form, Listing(whole, found, tuple(_lines(found)), files, degraded=degraded), project)
    if not found and form != "json":
        say(f"Nothing is linked with {answer.document}. Try: waymeet suggest-links {answer.document}", err=True)
    return 0 if found else 1


def _lines(found: Sequence[Related]) -> Iterator[Line]:
    for place, each in enumerate(found, start=1):
        yield [(f"{place}. ", "dim"), (each.document, "bold cyan place"), (f"  {each.score:.4f}", "green")]
        yield [("   ", ""), (each.title, "bold")]
        yield [("   ", ""), ("; ".join(each.reasons), "dim")]
