"""`waymeet recipes`."""

from collections.abc import Iterator
from pathlib import Path

import click

from waymeet.interfaces.cli.common import open_project, project_options
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.render.text import Line
from waymeet.recipes import list_recipes
from waymeet.search.pipeline import stage_name
from waymeet.search.state import Recipe
from waymeet.settings.layers import list_keys

_OWN = """\b
A custom recipe, in waymeet.toml:
  [recipes.mine]
  description = "Full-text search, then linked documents"
  stages = ["understand", "lexical", "fuse_normalised", "select_seeds",
            "spread_activation", "cut_off"]
  [recipes.mine.settings.neighbours]
  depth = 2

\b
Or with other numbers only:
  [recipes.mine]
  base = "auto"
  settings = { auto = { vector_weight = 0.4 } }
"""
_EPILOG = manual(
    """
    waymeet recipes
    waymeet recipes --stages      all stages for custom recipes
    waymeet search x --recipe memory
    """,
    exits={0: "listed", 3: ""},
    see="waymeet settings, waymeet eval",
    more=_OWN,
)


@click.command(epilog=_EPILOG)
@click.option("--stages", "only_stages", is_flag=True, help="List the stages for custom recipes.")
@project_options
@format_option(drop=("files",))
def command(only_stages: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], form: str) -> int:
    """List all recipes with their stages and the settings that differ from the defaults."""
    with open_project(root, index, flags) as project:
        recipes = list(list_recipes(project.settings.recipes))
    documents = [_to_json(recipe) for recipe in recipes]
    lines = [line for recipe in recipes for line in _lines(recipe)]
    print_listing(form, _list_stages() if only_stages else Listing(documents, documents, lines), project)
    return 0


def _list_stages() -> Listing:
    from waymeet.recipes.stage_table import STAGES

    summaries = {name: (part.stage.__doc__ or "").partition("\n")[0] for name, part in STAGES.items()}
    rows = {name: {"does": summaries[name], "needs": part.needs, "gives": part.gives} for name, part in STAGES.items()}
    width = max(map(len, STAGES))
    lines = [[(name.ljust(width), "cyan"), (f"  {summaries[name]}", "")] for name in STAGES]
    return Listing(rows, [{"name": name, **row} for name, row in rows.items()], lines)


def _to_json(recipe: Recipe) -> dict[str, object]:
    return {
        "name": recipe.name,
        "description": recipe.description,
        "stages": [stage_name(stage) for stage in recipe.stages],
        "modes": recipe.modes,
        "settings": recipe.overrides,
    }


def _lines(recipe: Recipe) -> Iterator[Line]:
    yield [(recipe.name, "bold cyan"), (f"  {recipe.description}", "")]
    yield [("  stages  ", "dim"), (" → ".join(map(stage_name, recipe.stages)), "")]
    if recipe.modes:
        yield [("  modes   ", "dim"), (" · ".join(recipe.modes), "")]
    numbers = " · ".join(f"{key} {_format_number(value)}" for key, value in list_keys(recipe.overrides))
    if numbers:
        yield [("  settings ", "dim"), (numbers, "")]
    yield []


def _format_number(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
