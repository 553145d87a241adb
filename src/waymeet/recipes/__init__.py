"""The rankings, written down: each is one short file."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from waymeet.errors import UnknownRecipeError
from waymeet.recipes.auto import AUTO
from waymeet.recipes.classic import CLASSIC
from waymeet.recipes.custom import made
from waymeet.recipes.deep import DEEP
from waymeet.recipes.memory import MEMORY
from waymeet.recipes.neighbours import FILES, NEIGHBOURS, SKILLS_RECALL
from waymeet.recipes.threeway import THREEWAY
from waymeet.search.state import Recipe
from waymeet.settings import CustomRecipe

RECIPES = {recipe.name: recipe for recipe in (AUTO, CLASSIC, DEEP, THREEWAY, MEMORY, NEIGHBOURS, FILES, SKILLS_RECALL)}


def find_recipe(name: str, own: Mapping[str, CustomRecipe] | None = None) -> Recipe:
    """Find a recipe by its name; `own` are the user's, as the settings describe them."""
    if name in RECIPES:
        return RECIPES[name]
    if own and name in own:
        return made(name, own[name], RECIPES)
    known = [*RECIPES, *(own or ())]
    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}."
    raise UnknownRecipeError(f"There is no recipe {name!r}.", hint)


def list_recipes(own: Mapping[str, CustomRecipe]) -> Iterator[Recipe]:
    """Give every recipe, the user's last."""
    yield from RECIPES.values()
    for name, described in own.items():
        yield made(name, described, RECIPES)
