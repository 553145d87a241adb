"""`waymeet graph`."""

from collections.abc import Mapping
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    fresh_store,
    kinds_option,
    open_project,
    print_degraded,
    project_options,
    say,
    split_kinds,
    to_root_reference,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.render.graph import dot, mermaid, outline, tree
from waymeet.search.explore.graph import Graph, graph_around, node_id, whole_graph
from waymeet.search.lookup.citation import documents_of_references as documents_of
from waymeet.search.lookup.find import Target, find_target
from waymeet.types import Degraded

_EPILOG = manual(
    """
    waymeet graph docs/setup.md --depth 2
    waymeet graph src/store.py --symbols --kinds calls      calls of a file's functions
    waymeet graph --kinds references --format dot | dot -Tsvg > docs.svg
    waymeet graph docs/setup.md --format md                 a Mermaid diagram for GitHub
    """,
    exits={0: "drawn", 1: "empty graph, or no such document"},
    see="waymeet links, waymeet related",
)


@click.command(epilog=_EPILOG)
@click.argument("reference", metavar="[ID]", required=False, shell_complete=complete_documents)
@click.option(
    "--depth", type=click.IntRange(0, 10), default=1, show_default=True, help="Maximum number of links from ID."
)
@kinds_option
@click.option("--symbols", is_flag=True, help="Show sections and symbols as nodes.")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Maximum number of nodes."
)
@project_options
@format_option("dot", "mermaid")
def command(
    reference: str | None,
    depth: int,
    kinds: tuple[str, ...],
    symbols: bool,
    form: str,
    limit: int,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
) -> int:
    """Draw the link graph, or the part around a document, section or symbol.

    Formats: text, Graphviz (dot), Mermaid (mermaid, or md for a fenced block), JSON. jsonl prints one edge per line,
    files the documents.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        with store.snapshot():
            target = find_target(store, to_root_reference(project.root, reference)) if reference else None
            if target is not None:
                graph = graph_around(store, target, depth, split_kinds(kinds), limit, symbols=symbols)
            else:
                graph = whole_graph(store, split_kinds(kinds), limit, symbols=symbols)
            files = documents_of([node.id for node in graph.nodes], store.documents)
    if form in {"dot", "mermaid", "md"}:
        say(dot(graph) if form == "dot" else f"```mermaid\n{mermaid(graph)}\n```" if form == "md" else mermaid(graph))
        print_degraded(degraded)
    else:
        print_listing(form, _listing(graph, target, files, degraded), project)
    if graph.cut:
        where = f" around {node_id(target.node)}" if target else ""
        say(f"note: more than {limit} nodes{where}; raise --limit to show all", err=True)
    return 0 if graph.nodes else 1


def _listing(graph: Graph, target: Target | None, files: Mapping[str, str], degraded: tuple[Degraded, ...]) -> Listing:
    return Listing(
        {"nodes": graph.nodes, "edges": graph.edges, "cut": graph.cut, "degraded": degraded},
        graph.edges,
        tuple(tree(graph) if target else outline(graph)),
        [files.get(node.id, node.id) for node in graph.nodes],
        degraded=degraded,
    )
