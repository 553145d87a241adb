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


def check_mode(recipe: Recipe, mode: str, own: Mapping[str, CustomRecipe]) -> None:
    """Check that a recipe has a mode.

    Raises:
        UnknownRecipeError: it does not; the hint names the recipes that have it.
    """
    if not mode or mode in recipe.modes:
        return
    modes = {name: known.modes for name, known in RECIPES.items()}
    modes |= {name: custom.modes or modes.get(custom.base, ()) for name, custom in own.items()}
    having = [name for name in modes if mode in modes[name]]
    if having:
        hint = f"Recipes with this mode: {', '.join(having)}. Name the recipe, too: --recipe {having[0]} --mode {mode}"
    else:
        listed = (f"{', '.join(names)} ({name})" for name, names in modes.items() if names)
        hint = f"No recipe has it. Modes: {'; '.join(listed)}."
        hint += " To search by words only: --recipe classic --mode bm25_only" if mode == "words" else ""
    raise UnknownRecipeError(f"The recipe {recipe.name} has no mode {mode!r}.", hint)


def list_recipes(own: Mapping[str, CustomRecipe]) -> Iterator[Recipe]:
    """Yield every recipe, those of the user's settings last."""
    yield from RECIPES.values()
    for name, described in own.items():
        yield build_recipe(name, described, RECIPES)
