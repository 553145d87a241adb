"""`waymeet why-not`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waymeet.interfaces.cli.common import (
    current,
    from_here,
    json_option,
    opened,
    print_json,
    print_lines,
    project_options,
    say_degraded,
)
from waymeet.interfaces.present import Line
from waymeet.project import Project
from waymeet.types import Query

if TYPE_CHECKING:
    from waymeet.ports import Store
    from waymeet.search.whynot import WhyNot

_EPILOG = """\b
Examples:
  waymeet why-not "rotate keys" docs/setup.md
  waymeet why-not "rotate keys kind:code" docs/setup.md      says which filter left it out
  waymeet why-not "rotate keys" docs/setup.md --recipe memory -n 3

\b
Exit codes: 0 it is among the answers · 1 it is not · 2 wrong usage · 3 no usable index
"""


@click.command(short_help="Say why a document is not among the answers.", epilog=_EPILOG)
@click.argument("query")
@click.argument("reference", metavar="ID|PATH")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="Answers that would be shown [default: 10].")
@click.option("--recipe", default="auto", show_default=True, help="The ranking to follow.")
@click.option("--mode", default="", help="The recipe's mode.")
@project_options
@json_option
def command(
    query: str,
    reference: str,
    limit: int | None,
    recipe: str,
    mode: str,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Say at which stage a document was lost, where it stands in each list, and what would bring it in."""
    with opened(root, index, flags) as project:
        store, degraded = current(project)
        request = Query(query, limit=limit or project.settings.shape.limit, recipe=recipe, mode=mode)
        told = _told(project, store, request, reference)
        if as_json:
            print_json(told)
        else:
            print_lines(_lines(told))
            say_degraded(degraded)
    return 0 if told.verdict == "found" else 1


def _told(project: Project, store: "Store", request: Query, reference: str) -> "WhyNot":
    from waymeet.recipes import RECIPES
    from waymeet.search.whynot import Road, why_not

    path = from_here(project.root, reference.partition("#")[0])
    recipe = project.recipe(request.recipe)
    documents = store.documents([path, f"{path}/"])
    if not documents:
        return _absent(project, request, path)
    document = documents.get(path) or documents[f"{path}/"]
    others = ((each, project.settings_for(each.name)) for each in RECIPES.values() if each.name != "skills_recall")
    road = Road(recipe, request, project.tools(store), project.settings_for(recipe.name))
    return why_not(road, document, others)


def _absent(project: Project, request: Query, path: str) -> "WhyNot":
    """Say why a file is not indexed at all."""
    from waymeet.ingest.ignored import ignored_by
    from waymeet.search.whynot import WhyNot

    skipped = dict(project.status().skipped)
    rule = ignored_by(project.root, path, project.settings.ingest)
    if path in skipped:
        reason, change = f"skipped, {skipped[path]}", ""
    elif rule:
        reason, change = f"ignored by {rule}", f"bring it back with a line !/{path} in .waymeetignore"
    elif not (project.root / path).exists():
        reason, change = f"there is no file {path}", "check the spelling: waymeet search shows ids"
    else:
        reason, change = "it is there but not indexed yet", "run: waymeet index"
    changes = (change,) if change else ()
    return WhyNot(request.text, path, request.recipe, "not_indexed", "index", reason, changes, limit=request.limit)


def _lines(told: "WhyNot") -> Iterator[Line]:
    yield [(told.document, "bold cyan"), (f"  {told.verdict.replace('_', ' ')}: ", "yellow"), (told.reason, "")]
    for each in told.lists:
        place = f"#{each.rank} of {each.of}" if each.rank else f"not among {each.of}"
        yield [(f"  by {each.source:<8} ", "dim"), (place, "")]
    for step in told.stages:
        lost = step.stage == told.lost_at
        yield [(f"  {'✗' if lost else '·'} {step.stage:<16} ", "red" if lost else "dim"), (step.told, "dim")]
    for change in told.changes:
        yield [("  → ", "green"), (change, "")]
