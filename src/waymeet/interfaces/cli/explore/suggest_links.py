"""`waymeet suggest-links`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    to_root_reference,
    fresh_store,
    open_project,
    project_options,
    format_count,
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
    exits={0: "found", 1: "nothing to suggest"},
    see="waymeet orphans, waymeet related",
)


@click.command(short_help="Suggest links that nobody has set yet.", epilog=_EPILOG)
@click.argument("reference", metavar="[ID]", required=False, shell_complete=complete_documents)
@click.option("-n", "--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Most to show.")
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
    """Suggest links: where a page names another page or a symbol in passing, and where two pages say much the same.

    Each comes with its sentence, the link set, ready to paste.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        only = find_target(store, to_root_reference(project.root, reference)).document.id if reference else None
        found = suggest_links(store, project.settings, limit, only)
    said = f"{format_count(len(found.found), 'suggestion')}." if found.found else "Nothing to suggest."
    whole = {"suggestions": found.found, "notes": found.notes, "degraded": degraded}
    files, lines = [each.document for each in found.found], tuple(_lines(found.found))
    print_listing(form, Listing(whole, found.found, lines, files, said, tuple(found.notes), degraded), project)
    return 0 if found.found else 1


def _lines(found: Sequence[Suggestion]) -> Iterator[Line]:
    for each in found:
        place = each.document if each.kind == "alike" else f"{each.document}:{each.line}"
        yield [(place, "cyan place"), ("  → ", "dim"), (each.target, "cyan place"), (f"  {each.text}", "")]
        yield [("    ", ""), (each.linked_sentence, "dim")]
