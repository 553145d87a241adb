"""`waymeet links`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    fresh_store,
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
from waymeet.interfaces.render.text import Line
from waymeet.search.explore.graph import Connection, list_connections, node_id
from waymeet.search.lookup.citation import documents_of_references as documents_of
from waymeet.search.lookup.find import find_target
from waymeet.types import INFERRED_KINDS

_EPILOG = manual(
    """
    waymeet links docs/setup.md
    waymeet links src/store.py#Store.put --kinds mentions     pages that name a symbol
    waymeet links docs/setup.md#L10-L24                       links of these lines
    """,
    exits={0: "found", 1: "no links, or no such document"},
    see="waymeet related, waymeet graph, waymeet broken-links",
)


@click.command(epilog=_EPILOG)
@click.argument("reference", metavar="ID", shell_complete=complete_documents)
@kinds_option
@project_options
@format_option()
def command(
    reference: str, kinds: tuple[str, ...], root: Path | None, index: Path | None, flags: tuple[str, ...], form: str
) -> int:
    """List the outgoing, then the incoming links of a document, section or symbol, by kind."""
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        with store.snapshot():
            target = find_target(store, to_root_reference(project.root, reference))
            links = list_connections(store, target, split_kinds(kinds))
            ends = [link.id for link in links if not link.dangling]
            files = documents_of(ends, store.documents)
    document = {"id": node_id(target.node), "links": links, "degraded": degraded}
    names = [files.get(id_, id_) for id_ in ends]
    print_listing(form, Listing(document, links, tuple(_lines(links)), names, degraded=degraded), project)
    if not links and form != "json":
        say(f"{node_id(target.node)} has no outgoing or incoming links.", err=True)
    return 0 if links else 1


def _lines(links: Sequence[Connection]) -> Iterator[Line]:
    previous = ("", "")
    for (direction, kind, id_), group in _group_by_ends(links).items():
        first = group[0]
        if (direction, kind) != previous:
            previous = direction, kind
            yield [("→ " if direction == "out" else "← ", "dim"), (kind, "bold")]
        title = ("  broken", "yellow") if first.dangling else (f"  {first.title}", "")
        lines = ", ".join(str(line) for line in dict.fromkeys(link.line for link in group) if line)
        yield [
            ("    ", ""),
            (id_, "cyan" if first.dangling else "cyan place"),
            title,
            (f"  line {lines}" if lines else "", "dim"),
        ]
        sentences = dict.fromkeys(link.sentence for link in group if link.sentence)
        yield from ([("      ", ""), (sentence, "dim")] for sentence in sentences)
    external: dict[str, dict[str, None]] = {}
    for link in links:
        if _is_external(link):
            external.setdefault(link.kind, {})[link.id] = None
    for kind, names in external.items():
        yield [(f"{kind}, not in this project: ", "dim"), (", ".join(names), "")]


def _group_by_ends(links: Sequence[Connection]) -> dict[tuple[str, str, str], list[Connection]]:
    groups: dict[tuple[str, str, str], list[Connection]] = {}
    for link in links:
        if not _is_external(link):
            groups.setdefault((link.direction, link.kind, link.id), []).append(link)
    return groups


def _is_external(link: Connection) -> bool:
    """Return whether the target of an inferred link, such as an import, is not in the project."""
    return link.dangling and link.kind in INFERRED_KINDS
