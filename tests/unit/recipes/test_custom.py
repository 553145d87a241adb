"""Recipes of users: built from the same stages, and refused with a reason if invalid."""

import pytest
from support.corpus import store_of

from waymeet.errors import SettingsError, UnknownRecipeError
from waymeet.recipes import RECIPES, find_recipe, list_recipes
from waymeet.recipes.stage_table import STAGES
from waymeet.search.pipeline import answer_query, stage_name
from waymeet.search.state import Tools
from waymeet.settings import CustomRecipe, Layer, make_layer, resolve
from waymeet.types import Query

STAGED = ("understand", "lexical", "vector", "weighted_sum", "limit_per_document")


def test_a_recipe_of_ones_own_runs() -> None:
    settings = resolve(
        (
            make_layer(
                "waymeet.toml",
                {"recipes": {"mine": {"stages": list(STAGED), "description": "Mine.", "settings": {"rrf": {"k": 3}}}}},
            ),
        )
    )
    recipe = find_recipe("mine", settings.recipes)
    assert tuple(map(stage_name, recipe.stages)) == STAGED
    assert (recipe.description, recipe.overrides) == ("Mine.", {"rrf": {"k": 3}})
    found = answer_query(
        recipe, Query("rank"), Tools(store_of({"a.md": "rank"})), resolve((Layer("r", recipe.overrides),))
    )
    assert [hit.document for hit in found.hits] == ["a.md"]
    assert [recipe.name for recipe in list_recipes(settings.recipes)] == [*RECIPES, "mine"]


def test_a_base_lends_stages_modes_and_numbers() -> None:
    own = CustomRecipe(base="classic", settings={"pool": {"factor": 7}, "classic": {"fusion": "linear"}})
    recipe = find_recipe("mine", {"mine": own})
    classic = RECIPES["classic"]
    assert (recipe.stages, recipe.modes) == (classic.stages, classic.modes)
    assert recipe.overrides["pool"] == {"factor": 7}
    assert recipe.overrides["bm25"] == classic.overrides["bm25"]


@pytest.mark.parametrize(
    ("own", "message", "hint"),
    [
        (CustomRecipe(), "has no stages", "stages ="),
        (CustomRecipe(stages=("understnd",)), "no stage 'understnd'", "Did you mean understand?"),
        (CustomRecipe(stages=("zzz",)), "no stage 'zzz'", "There are: "),
        (
            CustomRecipe(stages=("understand", "weighted_sum", "lexical")),
            "weighted_sum, at position 2, needs a ranked list",
            "lexical",
        ),
        (CustomRecipe(stages=("lexical", "weighted_sum")), "lexical, at position 1, needs words", "understand"),
        (CustomRecipe(stages=("understand", "lexical")), "no stage makes candidates", "fuse"),
        (
            CustomRecipe(stages=("understand", "lexical", "limit_per_document", "fuse")),
            "limit_per_document, at position 3",
            "fuse",
        ),
        (CustomRecipe(base="atuo"), "no recipe 'atuo'", "Did you mean auto?"),
        (CustomRecipe(base="auto", settings={"rrf": {"kk": 1}}), "recipes.mine.settings", "rrf.k"),
        (CustomRecipe(base="auto", settings={"rrf": {"k": "many"}}), "recipes.mine.settings", ""),
        (CustomRecipe(base="auto", settings={"embedding": {"dimension": 3}}), "may not set embedding", "own settings"),
    ],
)
def test_mistakes_are_refused_with_the_place_and_what_to_do(own: CustomRecipe, message: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        find_recipe("mine", {"mine": own})
    assert "recipes.mine" in caught.value.message
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_an_unknown_name_suggests_ones_own() -> None:
    with pytest.raises(UnknownRecipeError, match="Did you mean mine"):
        find_recipe("mein", {"mine": CustomRecipe(base="auto")})


def test_every_stage_of_every_recipe_is_in_the_table_in_an_order_that_it_allows() -> None:
    for name, recipe in RECIPES.items():
        names = tuple(map(stage_name, recipe.stages))
        assert set(names) <= STAGES.keys()
        again = find_recipe("mine", {"mine": CustomRecipe(stages=names)})
        assert again.stages == recipe.stages, name


def test_a_definition_under_the_name_of_a_built_in_recipe_is_an_error() -> None:
    with pytest.raises(SettingsError, match="auto"):
        list(list_recipes({"auto": CustomRecipe(base="classic")}))
    with pytest.raises(SettingsError, match="built-in recipe auto"):
        find_recipe("auto", {"auto": CustomRecipe(base="auto", settings={"rrf": {"k": 1}})})
    assert find_recipe("classic", {"auto": CustomRecipe(base="auto")}).name == "classic"
