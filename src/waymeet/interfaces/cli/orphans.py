"""`waymeet orphans`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    current,
    json_option,
    opened,
    print_json,
    print_lines,
    project_options,
    say,
    say_degraded,
    several,
)
from waymeet.search.gaps import orphans

_KINDS = ["docs", "code", "notes", "tasks", "skills", "files"]
_EPILOG = """\b
Examples:
  waymeet orphans
  waymeet orphans --kind notes --kind docs
  waymeet orphans --all                       also README, index and the like
"""


@click.command(short_help="List documents that nothing links to.", epilog=_EPILOG)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="Of this kind [default: docs].")
@click.option("--all", "everything", is_flag=True, help="Also pages that are found by their name, such as README.")
@project_options
@json_option
def command(
    kinds: tuple[str, ...],
    everything: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """List documents that no other document links to: hardly anybody will find them by reading."""
    with opened(root, index, flags) as project:
        store, degraded = current(project)
        with store.reading():
            found = orphans(store, kinds or ("docs",), entrances=everything)
    if as_json:
        print_json({"orphans": found, "degraded": degraded})
        return 0
    print_lines(
        [(each.document, "cyan"), (f"  {each.title}", ""), (f"  {several(each.links, 'link')} of its own", "dim")]
        for each in found
    )
    say(f"{several(len(found), 'document')} that nothing links to." if found else "Everything is linked.")
    say_degraded(degraded)
    return 0
