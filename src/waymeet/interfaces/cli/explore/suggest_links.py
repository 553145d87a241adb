"""`waymeet suggest-links`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    format_count,
    fresh_store,
    open_project,
    project_options,
    to_root_reference,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.render.text import Line
from waymeet.search.explore.suggest_links import Suggestion, suggest_links
from waymeet.search.lookup.find import find_target

_EPILOG = manual(
    """
    waymeet suggest-links docs/setup.md
    waymeet suggest-links -n 500 --json
    """,
    exits={0: "found", 1: "no suggestions"},
    see="waymeet orphans, waymeet related",
)


@click.command(epilog=_EPILOG)
@click.argument("reference", metavar="[ID]", required=False, shell_complete=complete_documents)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    help="Maximum number of suggestions.",
)
@project_options
@format_option()
def command(
    reference: str | None,
    limit: int,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """Suggest links from mentions of pages and symbols, and between similar pages.

    Each suggestion has the sentence with the link, ready to paste.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        only = find_target(store, to_root_reference(project.root, reference)).document.id if reference else None
        result = suggest_links(store, project.settings, limit, only)
    suggestions, notes = result.found, tuple(result.notes)
    summary = f"{format_count(len(suggestions), 'suggestion')}." if suggestions else "No suggestions."
    document = {"suggestions": suggestions, "notes": notes, "degraded": degraded}
    files, lines = [suggestion.document for suggestion in suggestions], tuple(_lines(suggestions))
    print_listing(form, Listing(document, suggestions, lines, files, summary, notes, degraded), project)
    return 0 if suggestions else 1


def _lines(suggestions: Sequence[Suggestion]) -> Iterator[Line]:
    for link in suggestions:
        place = link.document if link.kind == "similar" else f"{link.document}:{link.line}"
        yield [(place, "cyan place"), ("  → ", "dim"), (link.target, "cyan place"), (f"  {link.text}", "")]
        yield [("    ", ""), (link.linked_sentence, "dim")]
