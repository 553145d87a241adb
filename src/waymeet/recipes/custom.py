"""Recipes defined in settings, built from the same stages and checked before they run."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from waymeet.errors import SettingsError
from waymeet.search.state import Recipe, Stage
from waymeet.settings import CustomRecipe, make_layer
from waymeet.settings.layers import merge_trees


def build_recipe(name: str, own: CustomRecipe, known: Mapping[str, Recipe]) -> Recipe:
    """Build a recipe from its definition in the settings.

    Raises:
        SettingsError: the definition is invalid.
    """
    where = f"recipes.{name}"
    if name in known:
        raise SettingsError(f"{where}: there is a built-in recipe {name} already.", "Choose another name.")
    if own.base and own.base not in known:
        raise SettingsError(f"{where}.base: there is no recipe {own.base!r}.", _suggest(own.base, list(known)))
    base = known.get(own.base)
    if base is None and not own.stages:
        raise SettingsError(f"{where} has no stages.", 'Add `stages = ["understand", "lexical", …]` or a `base`.')
    # A definition may come from the settings file of a cloned project: it must not set what only the user may set.
    overrides = make_layer(f"{where}.settings", own.settings, trusted=False).values
    return Recipe(
        name=name,
        description=own.description or (f"Based on {own.base}." if base else "Custom recipe."),
        stages=_find_stages(where, own.stages) if own.stages or base is None else base.stages,
        overrides=merge_trees(base.overrides if base else {}, overrides),
        modes=own.modes or (base.modes if base else ()),
        pool_limit=base.pool_limit if base else 0,
    )


def _find_stages(where: str, names: Sequence[str]) -> tuple[Stage, ...]:
    """Look up stages by name, and check that each comes after what it needs."""
    from waymeet.recipes.stage_table import CANDIDATES, STAGES  # noqa: PLC0415 - only custom recipes need the table

    available: set[str] = set()
    for position, name in enumerate(names, start=1):
        if name not in STAGES:
            raise SettingsError(f"{where}.stages: there is no stage {name!r}.", _suggest(name, list(STAGES)))
        row = STAGES[name]
        if row.needs and row.needs not in available:
            makers = ", ".join(other for other, maker in STAGES.items() if maker.gives == row.needs)
            raise SettingsError(
                f"{where}.stages: {name}, at position {position}, needs {row.needs}, which no earlier stage makes.",
                f"Put one of these before it: {makers}.",
            )
        available.add(row.gives)
    if CANDIDATES not in available:
        makers = ", ".join(other for other, maker in STAGES.items() if maker.gives == CANDIDATES)
        raise SettingsError(f"{where}.stages: no stage makes candidates.", f"Add one of these: {makers}.")
    return tuple(STAGES[name].stage for name in names)


def _suggest(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}."
