"""`waymeet why-not`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waymeet.interfaces.cli.common import (
    cited,
    current,
    json_option,
    opened,
    print_json,
    print_lines,
    project_options,
    say_degraded,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.shell_complete import documents, recipes
from waymeet.interfaces.render.text import Line
from waymeet.paths import is_visible
from waymeet.project import Project
from waymeet.types import Query

if TYPE_CHECKING:
    from waymeet.ports import Store
    from waymeet.search.why_not import WhyNot

_PLACE = re.compile(r"#[^#./]*$|:\d+(:\d+)?$")
"""What stands behind the path of a file to name a place in it; an ending is part of the path."""
_EPILOG = manual(
    """
    waymeet why-not "rotate keys" docs/setup.md
    waymeet why-not "rotate keys kind:code" docs/setup.md    names the filter
    waymeet why-not "rotate keys" docs/setup.md --recipe memory -n 3
    """,
    exits={0: "it is among the answers", 1: "it is not, or there is no such document"},
    see="waymeet search --explain, waymeet feedback",
)


@click.command(short_help="Say why a document is not among the answers.", epilog=_EPILOG)
@click.argument("query")
@click.argument("reference", metavar="ID|PATH", shell_complete=documents)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="Answers that would be shown [default: 10].")
@click.option("--recipe", default="auto", show_default=True, shell_complete=recipes, help="The ranking to follow.")
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
    from waymeet.search.lookup.citation import documents_of_references
    from waymeet.search.why_not import TracedQuery, why_not

    recipe = project.recipe(request.recipe)
    place = cited(project.root, reference)
    found = documents_of_references([place], store.documents).get(place, "")
    if not found:
        path = place if is_visible(project.root / place) else _PLACE.sub("", place)
        return _absent(project, request, path, list(store.fingerprints()))
    document = store.documents([found])[found]
    others = ((each, project.settings_for(each.name)) for each in RECIPES.values() if each.name != "skills_recall")
    road = TracedQuery(recipe, request, project.tools(store), project.settings_for(recipe.name))
    return why_not(road, document, others)


def _absent(project: Project, request: Query, path: str, known: list[str]) -> "WhyNot":
    """Say why a file is not indexed at all."""
    from waymeet.ingest.discover.ignore import matching_ignore_rule
    from waymeet.search.lookup.did_you_mean import similar_paths
    from waymeet.search.why_not import WhyNot

    skipped = dict(project.status().skipped)
    rule = matching_ignore_rule(project.root, path, project.settings.ingest)
    if path in skipped:
        reason, change = f"skipped, {skipped[path]}", ""
    elif rule:
        reason, change = f"ignored by {rule}", f"bring it back with a line !/{path} in .waymeetignore"
    elif not (project.root / path).exists():
        close = " or ".join(similar_paths(path, known))
        change = f"did you mean {close}?" if close else "check the spelling: waymeet search shows ids"
        reason = f"there is no file {path}"
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
        yield [(f"  {'✗' if lost else '·'} {step.stage:<16} ", "red" if lost else "dim"), (step.state, "dim")]
    for change in told.changes:
        yield [("  → ", "green"), (change, "")]
