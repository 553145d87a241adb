"""`waymeet links`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    to_root_reference,
    fresh_store,
    kinds_option,
    split_kinds,
    open_project,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.render.text import Line
from waymeet.search.explore.graph import Connection, list_connections, node_id
from waymeet.search.lookup.citation import documents_of_references as documents_of
from waymeet.search.lookup.find import find_target
from waymeet.types import INFERRED_KINDS

_EPILOG = manual(
    """
    waymeet links docs/setup.md
    waymeet links src/store.py#Store.put --kinds mentions     pages that name a symbol
    waymeet links docs/setup.md#L10-L24                       those of some lines
    """,
    exits={0: "found", 1: "it has no links, or there is no such document"},
    see="waymeet related, waymeet graph, waymeet broken-links",
)


@click.command(short_help="List the links of a document, out and in.", epilog=_EPILOG)
@click.argument("reference", metavar="ID", shell_complete=complete_documents)
@kinds_option
@project_options
@format_option()
def command(
    reference: str, kinds: tuple[str, ...], root: Path | None, index: Path | None, flags: tuple[str, ...], form: str
) -> int:
    """List the links of a document, a section or a symbol: those it has, then those that lead to it, by kind."""
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        with store.snapshot():
            meant = find_target(store, to_root_reference(project.root, reference))
            found = list_connections(store, meant, split_kinds(kinds))
            ends = [each.id for each in found if not each.dangling]
            files = documents_of(ends, store.documents)
    whole = {"id": node_id(meant.node), "links": found, "degraded": degraded}
    names = [files.get(id_, id_) for id_ in ends]
    print_listing(form, Listing(whole, found, tuple(_lines(found)), names, degraded=degraded), project)
    if not found and form != "json":
        say(f"{node_id(meant.node)} has no links, and none leads to it.", err=True)
    return 0 if found else 1


def _lines(found: Sequence[Connection]) -> Iterator[Line]:
    before = ("", "")
    for (direction, kind, id_), written in _together(found).items():
        first = written[0]
        if (direction, kind) != before:
            before = direction, kind
            yield [("→ " if direction == "out" else "← ", "dim"), (kind, "bold")]
        missing = [("  leads nowhere", "yellow")] if first.dangling else [(f"  {first.title}", "")]
        lines = ", ".join(str(line) for line in dict.fromkeys(each.line for each in written) if line)
        yield [
            ("    ", ""),
            (id_, "cyan" if first.dangling else "cyan place"),
            *missing,
            (f"  line {lines}" if lines else "", "dim"),
        ]
        yield from (
            [("      ", ""), (sentence, "dim")]
            for sentence in dict.fromkeys(each.sentence for each in written)
            if sentence
        )
    outside: dict[str, dict[str, None]] = {}
    for each in found:
        if _outside(each):
            outside.setdefault(each.kind, {})[each.id] = None
    for kind, names in outside.items():
        yield [(f"{kind}, not in this project: ", "dim"), (", ".join(names), "")]


def _together(found: Sequence[Connection]) -> dict[tuple[str, str, str], list[Connection]]:
    """Put links between the same ends together."""
    groups: dict[tuple[str, str, str], list[Connection]] = {}
    for each in found:
        if not _outside(each):
            groups.setdefault((each.direction, each.kind, each.id), []).append(each)
    return groups


def _outside(each: Connection) -> bool:
    """Tell whether a link looks for something that need not be in the project."""
    return each.dangling and each.kind in INFERRED_KINDS
