"""`waymeet suggest-links`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    cited,
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
from waymeet.interfaces.present import Line
from waymeet.search.find import find
from waymeet.search.suggest import Suggestion, suggestions

_EPILOG = """\b
Examples:
  waymeet suggest-links docs/setup.md
  waymeet suggest-links -n 500 --json
"""


@click.command(short_help="Suggest links that nobody has set yet.", epilog=_EPILOG)
@click.argument("reference", metavar="[ID]", required=False)
@click.option("-n", "--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Most to show.")
@project_options
@json_option
def command(
    reference: str | None,
    limit: int,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Suggest links: where a page names another page or a symbol in passing, and where two pages say much the same.

    Each comes with its sentence, the link set, ready to paste.
    """
    with opened(root, index, flags) as project:
        store, degraded = current(project)
        only = find(store, cited(project.root, reference)).document.id if reference else None
        found = suggestions(store, project.settings, limit, only)
    if as_json:
        print_json({"suggestions": found.found, "notes": found.notes, "degraded": degraded})
    else:
        print_lines(_lines(found.found))
        say(f"{several(len(found.found), 'suggestion')}." if found.found else "Nothing to suggest.")
        for note in found.notes:
            say(f"note: {note}", err=True)
        say_degraded(degraded)
    return 0 if found.found else 1


def _lines(found: Sequence[Suggestion]) -> Iterator[Line]:
    for each in found:
        place = each.document if each.sort == "alike" else f"{each.document}:{each.line}"
        yield [(place, "cyan"), ("  → ", "dim"), (each.target, "cyan"), (f"  {each.text}", "")]
        yield [("    ", ""), (each.ready, "dim")]
