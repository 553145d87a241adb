"""`waymeet related`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    cited,
    current,
    json_option,
    kinds_option,
    listed,
    opened,
    print_json,
    print_lines,
    project_options,
    say,
    say_degraded,
)
from waymeet.interfaces.present import Line
from waymeet.search.find import find
from waymeet.search.related import Related, related

_EPILOG = """\b
Examples:
  waymeet related docs/setup.md
  waymeet related src/auth.py --kinds mentions,source     what describes a file
  waymeet related "Rank fusion" --depth 3 -n 20
"""


@click.command(short_help="List what belongs to a document, judged by links.", epilog=_EPILOG)
@click.argument("reference", metavar="ID")
@click.option("--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="How many links far to look.")
@kinds_option
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Most to show.")
@project_options
@json_option
def command(
    reference: str,
    depth: int,
    kinds: tuple[str, ...],
    limit: int,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """List what belongs to a document, the most closely linked first, and why.

    ID is a path, an id that search shows, a title, or a file name that only one file has.
    """
    with opened(root, index, flags) as project:
        store, degraded = current(project)
        with store.reading():
            meant = find(store, cited(project.root, reference))
            fan_out = project.settings.graph.fan_out
            found = related(store, meant.document.id, depth=depth, kinds=listed(kinds), limit=limit, fan_out=fan_out)
    if as_json:
        print_json({"id": meant.document.id, "related": found, "degraded": degraded})
    else:
        print_lines(_lines(found))
        if not found:
            say(f"Nothing is linked with {meant.document.id}. Try: waymeet suggest-links {meant.document.id}", err=True)
        say_degraded(degraded)
    return 0 if found else 1


def _lines(found: Sequence[Related]) -> Iterator[Line]:
    for place, each in enumerate(found, start=1):
        yield [(f"{place}. ", "dim"), (each.document, "bold cyan"), (f"  {each.score:.4f}", "green")]
        yield [("   ", ""), (each.title, "bold")]
        yield [("   ", ""), ("; ".join(each.reasons), "dim")]
