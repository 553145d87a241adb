"""`waymeet recipes`."""

from collections.abc import Iterator
from pathlib import Path

import click

from waymeet.interfaces.cli.common import json_option, opened, print_json, print_lines, project_options
from waymeet.interfaces.present import Line
from waymeet.recipes import all_recipes
from waymeet.search.state import Recipe, stage_name
from waymeet.settings.layers import keys

_EPILOG = """\b
Your own, in waymeet.toml:
  [recipes.mine]
  description = "Words first, then what links to them"
  stages = ["understand", "lexical", "fuse_to_parts", "seed", "hand_on"]
  [recipes.mine.settings.neighbours]
  depth = 2

\b
Or changed numbers only:
  [recipes.mine]
  base = "auto"
  settings = { auto = { vector = 0.4 } }
"""


@click.command(short_help="List the rankings, their stages and their numbers.", epilog=_EPILOG)
@click.option("--stages", "only_stages", is_flag=True, help="List the stages that a recipe can be made of.")
@project_options
@json_option
def command(only_stages: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """List the rankings, yours among them, their stages and the numbers in which they differ from the defaults."""
    if only_stages:
        return _list_stages(as_json=as_json)
    with opened(root, index, flags) as project:
        recipes = list(all_recipes(project.settings.recipes))
    if as_json:
        print_json([_described(recipe) for recipe in recipes])
    else:
        print_lines(line for recipe in recipes for line in _lines(recipe))
    return 0


def _list_stages(*, as_json: bool) -> int:
    from waymeet.recipes.stages import STAGES

    about = {name: (part.stage.__doc__ or "").partition("\n")[0] for name, part in STAGES.items()}
    if as_json:
        rows = {name: {"does": about[name], "needs": part.needs, "gives": part.gives} for name, part in STAGES.items()}
        print_json(rows)
    else:
        print_lines([(f"{name:<18}", "cyan"), (about[name], "")] for name in STAGES)
    return 0


def _described(recipe: Recipe) -> dict[str, object]:
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
    numbers = " · ".join(f"{key} {_number(value)}" for key, value in keys(recipe.overrides))
    if numbers:
        yield [("  numbers ", "dim"), (numbers, "")]
    yield []


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
