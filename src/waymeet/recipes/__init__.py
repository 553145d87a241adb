"""The rankings, written down: each is one short file."""

from difflib import get_close_matches

from waymeet.errors import UnknownRecipeError
from waymeet.recipes.auto import AUTO
from waymeet.recipes.classic import CLASSIC
from waymeet.recipes.threeway import THREEWAY
from waymeet.search.state import Recipe

RECIPES = {recipe.name: recipe for recipe in (AUTO, CLASSIC, THREEWAY)}


def recipe_named(name: str) -> Recipe:
    """Find a recipe by its name."""
    if name in RECIPES:
        return RECIPES[name]
    close = get_close_matches(name, RECIPES, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(RECIPES)}."
    raise UnknownRecipeError(f"There is no recipe {name!r}.", hint)
