"""Recipes: each ranking is one short file that lists its stages and settings."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from waymeet.errors import UnknownRecipeError
from waymeet.recipes.auto import AUTO
from waymeet.recipes.classic import CLASSIC
from waymeet.recipes.custom import build_recipe
from waymeet.recipes.deep import DEEP
from waymeet.recipes.memory import MEMORY
from waymeet.recipes.neighbours import FILES, NEIGHBOURS, SKILLS_RECALL
from waymeet.recipes.threeway import THREEWAY
from waymeet.search.state import Recipe
from waymeet.settings import CustomRecipe

RECIPES = {recipe.name: recipe for recipe in (AUTO, CLASSIC, DEEP, THREEWAY, MEMORY, NEIGHBOURS, FILES, SKILLS_RECALL)}


def find_recipe(name: str, own: Mapping[str, CustomRecipe] | None = None) -> Recipe:
    """Find a recipe by its name, among the built-in ones and those of the user's settings.

    Raises:
        UnknownRecipeError: no recipe has this name.
        SettingsError: the settings define a recipe of this name wrongly, or under the name of a built-in one.
    """
    if own and name in own:
        return build_recipe(name, own[name], RECIPES)
    if name in RECIPES:
        return RECIPES[name]
    known = [*RECIPES, *(own or ())]
    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}."
    raise UnknownRecipeError(f"There is no recipe {name!r}.", hint)


def list_recipes(own: Mapping[str, CustomRecipe]) -> Iterator[Recipe]:
    """Yield every recipe, those of the user's settings last."""
    yield from RECIPES.values()
    for name, described in own.items():
        yield build_recipe(name, described, RECIPES)
