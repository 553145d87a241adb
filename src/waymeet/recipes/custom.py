"""A user's own recipes, as the settings describe them: made of the same stages, and checked before they run."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from waymeet.errors import SettingsError
from waymeet.search.state import Recipe, Stage
from waymeet.settings import CustomRecipe, make_layer
from waymeet.settings.layers import merge_trees


def made(name: str, own: CustomRecipe, known: Mapping[str, Recipe]) -> Recipe:
    """Make a recipe of its description.

    Raises:
        SettingsError: it cannot work, and why.
    """
    where = f"recipes.{name}"
    if name in known:
        raise SettingsError(f"{where}: there is a recipe {name} already.", "Give yours another name.")
    if own.base and own.base not in known:
        raise SettingsError(f"{where}.base: there is no recipe {own.base!r}.", _meant(own.base, list(known)))
    base = known.get(own.base)
    if base is None and not own.stages:
        raise SettingsError(f"{where} has no stages.", 'Give it `stages = ["understand", "lexical", …]` or a `base`.')
    # A description may come from a stranger's clone: whatever it says, it cannot set what only the user may.
    numbers = make_layer(f"{where}.settings", own.settings, trusted=False).values
    return Recipe(
        name=name,
        description=own.description or (f"{own.base}, changed." if base else "Your own."),
        stages=_checked(where, own.stages) if own.stages or base is None else base.stages,
        overrides=merge_trees(base.overrides if base else {}, numbers),
        modes=own.modes or (base.modes if base else ()),
    )


def _checked(where: str, names: Sequence[str]) -> tuple[Stage, ...]:
    """Look up stages, refusing one that comes before what it needs."""
    from waymeet.recipes.stage_table import CANDIDATES, STAGES  # noqa: PLC0415 - only own recipes need the table

    there: set[str] = set()
    for place, name in enumerate(names, start=1):
        if name not in STAGES:
            raise SettingsError(f"{where}.stages: there is no stage {name!r}.", _meant(name, list(STAGES)))
        part = STAGES[name]
        if part.needs and part.needs not in there:
            makers = ", ".join(each for each, other in STAGES.items() if other.gives == part.needs)
            raise SettingsError(
                f"{where}.stages: {name}, at place {place}, needs {part.needs}, which no stage before it makes.",
                f"Put one of these before it: {makers}.",
            )
        there.add(part.gives)
    if CANDIDATES not in there:
        makers = ", ".join(each for each, other in STAGES.items() if other.gives == CANDIDATES)
        raise SettingsError(f"{where}.stages: no stage makes candidates, so nothing could be found.", f"Add: {makers}.")
    return tuple(STAGES[name].stage for name in names)


def _meant(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}."
