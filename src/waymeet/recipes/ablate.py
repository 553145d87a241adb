"""Variants of a recipe that lack one stage, to measure what each stage contributes."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from waymeet.recipes.stage_table import CANDIDATES, STAGES
from waymeet.search.pipeline import stage_name
from waymeet.search.state import Recipe, Stage


def without_each_stage(recipe: Recipe) -> Iterator[tuple[str, Recipe | None]]:
    """Yield the name of each stage with the recipe without it, or None if other stages need it."""
    for name in dict.fromkeys(map(stage_name, recipe.stages)):
        others = tuple(stage for stage in recipe.stages if stage_name(stage) != name)
        yield name, replace(recipe, stages=others) if _can_run(others) else None


def _can_run(stages: Sequence[Stage]) -> bool:
    """Check whether every stage gets what it needs, and any stage makes candidates."""
    available = {""}
    for stage in stages:
        row = STAGES[stage_name(stage)]
        if row.needs not in available:
            return False
        available.add(row.gives)
    return CANDIDATES in available
