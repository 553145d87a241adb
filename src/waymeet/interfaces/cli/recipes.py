"""`waymeet recipes`."""

from collections.abc import Iterator

import click

from waymeet.interfaces.cli.common import json_option, print_json, print_lines
from waymeet.interfaces.present import Line
from waymeet.recipes import RECIPES
from waymeet.search.state import Recipe, stage_name
from waymeet.settings.layers import keys


@click.command(short_help="List the rankings, their stages and their numbers.")
@json_option
def command(as_json: bool) -> int:
    """List the rankings, their stages and the numbers in which they differ from the defaults."""
    if as_json:
        print_json([_described(recipe) for recipe in RECIPES.values()])
    else:
        print_lines(line for recipe in RECIPES.values() for line in _lines(recipe))
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
    numbers = " · ".join(f"{key} {value:g}" for key, value in keys(recipe.overrides))
    if numbers:
        yield [("  numbers ", "dim"), (numbers, "")]
    yield []
