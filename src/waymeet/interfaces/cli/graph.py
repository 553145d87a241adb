"""`waymeet graph`."""

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
from waymeet.interfaces.draw import dot, mermaid, outline, tree
from waymeet.search.find import find
from waymeet.search.graph import around, node_id, whole

_EPILOG = """\b
Examples:
  waymeet graph docs/setup.md --depth 2
  waymeet graph --kinds references --format dot | dot -Tsvg > docs.svg
  waymeet graph src/store.py --symbols --kinds calls --format mermaid
"""


@click.command(short_help="Draw the graph, or the part around a document.", epilog=_EPILOG)
@click.argument("reference", metavar="[ID]", required=False)
@click.option("--depth", type=click.IntRange(0, 10), default=1, show_default=True, help="How many links around ID.")
@kinds_option
@click.option("--symbols", is_flag=True, help="Show sections and symbols as nodes of their own.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "dot", "mermaid"]), default="text", show_default=True
)
@click.option("-n", "--limit", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Most nodes.")
@project_options
@json_option
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
    as_json: bool,
) -> int:
    """Draw the whole graph, or what lies around a document, section or symbol, as text, JSON, Graphviz or Mermaid."""
    with opened(root, index, flags) as project:
        store, degraded = current(project)
        with store.reading():
            meant = find(store, cited(project.root, reference)) if reference else None
            if meant is not None:
                graph = around(store, meant, depth, listed(kinds), limit, symbols=symbols)
            else:
                graph = whole(store, listed(kinds), limit, symbols=symbols)
    if as_json or form == "json":
        print_json({"nodes": graph.nodes, "edges": graph.edges, "cut": graph.cut, "degraded": degraded})
    elif form == "text":
        print_lines(tree(graph) if meant else outline(graph))
    else:
        say(dot(graph) if form == "dot" else mermaid(graph))
    if graph.cut:
        where = f" around {node_id(meant.node)}" if meant else ""
        say(f"note: there are more than {limit} nodes{where}; --limit shows more", err=True)
    if not as_json and form != "json":
        say_degraded(degraded)
    return 0 if graph.nodes else 1
