"""`waymeet orphans`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    fresh_store,
    open_project,
    project_options,
    format_count,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.search.explore.broken_links import find_orphans

_KINDS = ["docs", "code", "notes", "tasks", "skills", "files"]
_EPILOG = manual(
    """
    waymeet orphans
    waymeet orphans --kind notes --kind docs
    waymeet orphans --all                       also README, index and the like
    waymeet orphans --format md > orphans.md
    """,
    see="waymeet suggest-links, waymeet broken-links",
)


@click.command(short_help="List documents that nothing links to.", epilog=_EPILOG)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="Of this kind [default: docs].")
@click.option("--all", "everything", is_flag=True, help="Also pages that are found by their name, such as README.")
@project_options
@format_option()
def command(
    kinds: tuple[str, ...],
    everything: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """List documents that no other document links to: hardly anybody will find them by reading."""
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        with store.snapshot():
            found = find_orphans(store, kinds or ("docs",), entrances=everything)
    said = f"{format_count(len(found), 'document')} that nothing links to." if found else "Everything is linked."
    lines = [
        [
            (each.document, "cyan place"),
            (f"  {each.title}", ""),
            (f"  {format_count(each.links, 'link')} of its own", "dim"),
        ]
        for each in found
    ]
    files = [each.document for each in found]
    whole = {"orphans": found, "degraded": degraded}
    print_listing(form, Listing(whole, found, lines, files, said, degraded=degraded), project)
    return 0
