"""`waymeet orphans`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    format_count,
    fresh_store,
    open_project,
    project_options,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.search.explore.broken_links import find_orphans

_KINDS = ["docs", "code", "notes", "tasks", "skills", "files"]
_EPILOG = manual(
    """
    waymeet orphans
    waymeet orphans --kind notes --kind docs
    waymeet orphans --all                       include README, index and so on
    waymeet orphans --format md > orphans.md
    """,
    see="waymeet suggest-links, waymeet broken-links",
)


@click.command(epilog=_EPILOG)
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="Only this kind [default: docs]. Repeatable."
)
@click.option("--all", "everything", is_flag=True, help="Include entry pages, such as README.")
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
    """List documents that no other document links to."""
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        with store.snapshot():
            orphans = find_orphans(store, kinds or ("docs",), entrances=everything)
    summary = f"{format_count(len(orphans), 'document')} without incoming links." if orphans else "No orphans."
    lines = [
        [(orphan.document, "cyan place"), (f"  {orphan.title}", ""), (f"  {orphan.links} outgoing links", "dim")]
        for orphan in orphans
    ]
    files = [orphan.document for orphan in orphans]
    document = {"orphans": orphans, "degraded": degraded}
    print_listing(form, Listing(document, orphans, lines, files, summary, degraded=degraded), project)
    return 0
