"""`waymeet why-not`."""

import re
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
from waymeet.paths import is_visible
from waymeet.project import Project
from waymeet.types import Query

if TYPE_CHECKING:
    from waymeet.ports import Store
    from waymeet.search.why_not import WhyNot

_PLACE = re.compile(r"#[^#./]*$|:\d+(:\d+)?$")
"""The part of a reference that names a place in a file; a file extension belongs to the path."""
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
        report = _explain_absence(project, store, request, reference)
        if as_json:
            print_json(report)
        else:
            print_lines(_report_lines(report, verbose=verbose), project)
            print_degraded(degraded)
    return 0 if report.verdict == "found" else 1


def _explain_absence(project: Project, store: "Store", request: Query, reference: str) -> "WhyNot":
    from waymeet.project.query_options import check_query
    from waymeet.recipes import RECIPES
    from waymeet.search.lookup.citation import documents_of_references
    from waymeet.search.why_not import TracedQuery, why_not

    check_query(request, project.settings.recipes, store)
    recipe = project.recipe(request.recipe)
    place = to_root_reference(project.root, reference)
    id_ = documents_of_references([place], store.documents).get(place, "")
    if not id_:
        path = place if is_visible(project.root / place) else _PLACE.sub("", place)
        return _explain_unindexed(project, request, path, list(store.fingerprints()))
    document = store.documents([id_])[id_]
    others = ((other, project.settings_for(other.name)) for other in RECIPES.values() if other.name != "skills_recall")
    query = TracedQuery(recipe, request, project.tools(store), project.settings_for(recipe.name))
    return why_not(query, document, others)


def _explain_unindexed(project: Project, request: Query, path: str, known: list[str]) -> "WhyNot":
    """Explain why a file is not indexed."""
    from waymeet.ingest.discover.ignore import matching_ignore_rule
    from waymeet.search.lookup.did_you_mean import similar_paths
    from waymeet.search.why_not import WhyNot

    skipped = dict(project.status().skipped)
    rule = matching_ignore_rule(project.root, path, project.settings.ingest)
    if path in skipped:
        reason, change = f"skipped, {skipped[path]}", ""
    elif rule:
        reason, change = f"ignored by {rule}", f"add the line !/{path} to .waymeetignore"
    elif not (project.root / path).exists():
        close = " or ".join(similar_paths(path, known))
        change = f"did you mean {close}?" if close else "check the spelling; waymeet search shows ids"
        reason = f"there is no file {path}"
    else:
        reason, change = "not indexed yet", "run: waymeet index"
    changes = (change,) if change else ()
    return WhyNot(request.text, path, request.recipe, "not_indexed", "index", reason, changes, limit=request.limit)


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
