"""`waymeet why-not`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waymeet.interfaces.cli.common import (
    fresh_store,
    json_option,
    open_project,
    print_degraded,
    print_json,
    print_lines,
    project_options,
    to_root_reference,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.shell_complete import complete_documents, complete_recipes
from waymeet.interfaces.render.text import Line
from waymeet.interfaces.requests.operations.why_not import explain_absence
from waymeet.types import Query

if TYPE_CHECKING:
    from waymeet.search.why_not import WhyNot

_MAX_CHANGES = 3
"""Changes shown without --verbose."""
_EPILOG = manual(
    """
    waymeet why-not "rotate keys" docs/setup.md
    waymeet why-not "rotate keys kind:code" docs/setup.md    which filter excludes it
    waymeet why-not "rotate keys" docs/setup.md --recipe memory -n 3
    waymeet why-not "rotate keys" docs/setup.md --verbose    its rank after every stage
    """,
    exits={0: "it is among the results", 1: "it is not, or there is no such document"},
    see="waymeet search --explain, waymeet feedback",
)


@click.command(epilog=_EPILOG)
@click.argument("query")
@click.argument("reference", metavar="ID|PATH", shell_complete=complete_documents)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="Number of results to consider [default: 10].")
@click.option("--recipe", default="auto", show_default=True, shell_complete=complete_recipes, help="Ranking to use.")
@click.option("--mode", default="", help="Mode of the recipe.")
@click.option("-v", "--verbose", is_flag=True, help="Show every stage, the rank in each list, and all changes.")
@project_options
@json_option
def command(
    query: str,
    reference: str,
    limit: int | None,
    recipe: str,
    mode: str,
    verbose: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Show the stage that lost a document, and what would include it in the results."""
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project)
        request = Query(query, limit=limit or project.settings.shape.limit, recipe=recipe, mode=mode)
        report = explain_absence(project, store, request, to_root_reference(project.root, reference))
        if as_json:
            print_json(report)
        else:
            print_lines(_report_lines(report, verbose=verbose), project)
            print_degraded(degraded)
    return 0 if report.verdict == "found" else 1


def _report_lines(report: "WhyNot", *, verbose: bool) -> Iterator[Line]:
    """Show the stage that lost the document and what includes it, or every stage."""
    if report.verdict == "found":
        yield [(report.document, "bold cyan place"), ("  found: ", "green"), (report.reason, "")]
    else:
        yield [(report.document, "bold cyan place"), (f"  {report.verdict.replace('_', ' ')}", "yellow")]
        yield [("  ✗ ", "red"), (f"{report.lost_at}: ", "bold"), (report.reason, "")]
    shown = report.changes if verbose else report.changes[:_MAX_CHANGES]
    yield from ([("  → ", "green"), (change, "")] for change in shown)
    if verbose:
        yield from _stage_lines(report)
    elif report.stages:
        yield [("  every stage and list: --verbose", "dim")]


def _stage_lines(report: "WhyNot") -> Iterator[Line]:
    """Show the rank of the document in each list and after each stage."""
    for ranking in report.lists:
        rank = f"#{ranking.rank} of {ranking.of}" if ranking.rank else f"not among {ranking.of}"
        yield [(f"  by {ranking.source:<8} ", "dim"), (rank, "")]
    for step in report.stages:
        is_lost = step.stage == report.lost_at
        yield [(f"  {'✗' if is_lost else '·'} {step.stage:<22} ", "red" if is_lost else "dim"), (step.state, "dim")]
