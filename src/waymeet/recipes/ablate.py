"""A recipe with a stage less: what is each of them worth?"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from waymeet.recipes.stage_table import CANDIDATES, STAGES
from waymeet.search.pipeline import stage_name
from waymeet.search.state import Recipe, Stage


def without_each_stage(recipe: Recipe) -> Iterator[tuple[str, Recipe | None]]:
    """Yield each stage's name with the recipe that lacks it; None in its place if the others cannot do without it."""
    for name in dict.fromkeys(map(stage_name, recipe.stages)):
        rest = tuple(stage for stage in recipe.stages if stage_name(stage) != name)
        yield name, replace(recipe, stages=rest) if _can_run(rest) else None


def _can_run(stages: Sequence[Stage]) -> bool:
    """Tell whether every stage finds what it needs, and something is found in the end."""
    there = {""}
    for stage in stages:
        part = STAGES[stage_name(stage)]
        if part.needs not in there:
            return False
        there.add(part.gives)
    return CANDIDATES in there
