"""`waymeet graph`."""

from collections.abc import Mapping
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
    print_degraded,
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
    waymeet graph src/store.py --symbols --kinds calls      what a file's functions call
    waymeet graph --kinds references --format dot | dot -Tsvg > docs.svg
    waymeet graph docs/setup.md --format md                 a picture for GitHub and others
    """,
    exits={0: "drawn", 1: "there is nothing to draw, or no such document"},
    see="waymeet links, waymeet related",
)


@click.command(short_help="Draw the graph, or the part around a document.", epilog=_EPILOG)
@click.argument("reference", metavar="[ID]", required=False, shell_complete=complete_documents)
@click.option("--depth", type=click.IntRange(0, 10), default=1, show_default=True, help="How many links around ID.")
@kinds_option
@click.option("--symbols", is_flag=True, help="Show sections and symbols as nodes of their own.")
@click.option("-n", "--limit", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Most nodes.")
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
    """Draw the whole graph, or what lies around a document, section or symbol.

    As text for people, for Graphviz (dot), for Mermaid (mermaid, or md with a fence around it), or as JSON: jsonl
    gives the edges one by one, files the documents.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        with store.snapshot():
            meant = find_target(store, to_root_reference(project.root, reference)) if reference else None
            if meant is not None:
                graph = graph_around(store, meant, depth, split_kinds(kinds), limit, symbols=symbols)
            else:
                graph = whole_graph(store, split_kinds(kinds), limit, symbols=symbols)
            files = documents_of([node.id for node in graph.nodes], store.documents)
    if form in {"dot", "mermaid", "md"}:
        say(dot(graph) if form == "dot" else f"```mermaid\n{mermaid(graph)}\n```" if form == "md" else mermaid(graph))
        print_degraded(degraded)
    else:
        print_listing(form, _listing(graph, meant, files, degraded), project)
    if graph.cut:
        where = f" around {node_id(meant.node)}" if meant else ""
        say(f"note: there are more than {limit} nodes{where}; --limit shows more", err=True)
    return 0 if graph.nodes else 1


def _listing(graph: Graph, meant: Target | None, files: Mapping[str, str], degraded: tuple[Degraded, ...]) -> Listing:
    return Listing(
        {"nodes": graph.nodes, "edges": graph.edges, "cut": graph.cut, "degraded": degraded},
        graph.edges,
        tuple(tree(graph) if meant else outline(graph)),
        [files.get(node.id, node.id) for node in graph.nodes],
        degraded=degraded,
    )
