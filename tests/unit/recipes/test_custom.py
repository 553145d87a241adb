"""Recipes that users write: made of the same stages, and refused with a reason if they cannot work."""

import pytest
from support.corpus import store_of

from waymeet.errors import SettingsError, UnknownRecipeError
from waymeet.recipes import RECIPES, all_recipes, recipe_named
from waymeet.recipes.stage_table import STAGES
from waymeet.search.shape.hits import answer
from waymeet.search.state import Tools, stage_name
from waymeet.settings import Layer, OwnRecipe, layer, resolve
from waymeet.types import Query

STAGED = ("understand", "lexical", "vector", "blend", "diversify")


def test_a_recipe_of_ones_own_runs() -> None:
    settings = resolve(
        (
            layer(
                "waymeet.toml",
                {"recipes": {"mine": {"stages": list(STAGED), "description": "Mine.", "settings": {"rrf": {"k": 3}}}}},
            ),
        )
    )
    recipe = recipe_named("mine", settings.recipes)
    assert tuple(map(stage_name, recipe.stages)) == STAGED
    assert (recipe.description, recipe.overrides) == ("Mine.", {"rrf": {"k": 3}})
    found = answer(recipe, Query("rank"), Tools(store_of({"a.md": "rank"})), resolve((Layer("r", recipe.overrides),)))
    assert [hit.document for hit in found.hits] == ["a.md"]
    assert [recipe.name for recipe in all_recipes(settings.recipes)] == [*RECIPES, "mine"]


def test_a_base_lends_stages_modes_and_numbers() -> None:
    own = OwnRecipe(base="classic", settings={"pool": {"factor": 7}, "classic": {"fusion": "linear"}})
    recipe = recipe_named("mine", {"mine": own})
    classic = RECIPES["classic"]
    assert (recipe.stages, recipe.modes) == (classic.stages, classic.modes)
    assert recipe.overrides["pool"] == {"factor": 7}
    assert recipe.overrides["bm25"] == classic.overrides["bm25"]


@pytest.mark.parametrize(
    ("own", "message", "hint"),
    [
        (OwnRecipe(), "has no stages", "stages ="),
        (OwnRecipe(stages=("understnd",)), "no stage 'understnd'", "Did you mean understand?"),
        (OwnRecipe(stages=("zzz",)), "no stage 'zzz'", "There are: "),
        (OwnRecipe(stages=("understand", "blend", "lexical")), "blend, at place 2, needs a ranked list", "lexical"),
        (OwnRecipe(stages=("lexical", "blend")), "lexical, at place 1, needs words", "understand"),
        (OwnRecipe(stages=("understand", "lexical")), "no stage makes candidates", "fuse"),
        (OwnRecipe(stages=("understand", "lexical", "diversify", "fuse")), "diversify, at place 3", "fuse"),
        (OwnRecipe(base="atuo"), "no recipe 'atuo'", "Did you mean auto?"),
        (OwnRecipe(base="auto", settings={"rrf": {"kk": 1}}), "recipes.mine.settings", "rrf.k"),
        (OwnRecipe(base="auto", settings={"rrf": {"k": "many"}}), "recipes.mine.settings", ""),
        (OwnRecipe(base="auto", settings={"embedding": {"dimension": 3}}), "may not set embedding", "own settings"),
    ],
)
def test_mistakes_are_refused_with_the_place_and_what_to_do(own: OwnRecipe, message: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        recipe_named("mine", {"mine": own})
    assert "recipes.mine" in caught.value.message
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_the_name_of_a_recipe_that_exists_is_taken() -> None:
    with pytest.raises(SettingsError, match="already"):
        list(all_recipes({"auto": OwnRecipe(base="classic")}))
    assert recipe_named("auto", {"auto": OwnRecipe(base="classic")}) is RECIPES["auto"]


def test_an_unknown_name_suggests_ones_own() -> None:
    with pytest.raises(UnknownRecipeError, match="Did you mean mine"):
        recipe_named("mein", {"mine": OwnRecipe(base="auto")})


def test_every_stage_of_every_recipe_is_in_the_table_in_an_order_that_it_allows() -> None:
    for name, recipe in RECIPES.items():
        names = tuple(map(stage_name, recipe.stages))
        assert set(names) <= STAGES.keys()
        again = recipe_named("mine", {"mine": OwnRecipe(stages=names)})
        assert again.stages == recipe.stages, name
