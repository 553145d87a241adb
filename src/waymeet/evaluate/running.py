"""Runs: what a recipe answers to every query of a collection, and how long it takes."""

from collections.abc import Mapping
from time import perf_counter

from msgspec import Struct

from waymeet.evaluate.collection import Asked, Collection
from waymeet.ports import Progress
from waymeet.search.state import Recipe, Tools, run
from waymeet.settings import Settings
from waymeet.types import Filters, Query

DEPTH = 100
"""Documents kept for each query."""


class Run(Struct, frozen=True):
    """The ranked documents of every query, with their scores, and what each cost."""

    recipe: str
    mode: str
    ranked: Mapping[str, tuple[tuple[str, float], ...]]
    seconds: tuple[float, ...]

    @property
    def name(self) -> str:
        """Name the recipe with its mode."""
        return f"{self.recipe}:{self.mode}" if self.mode else self.recipe


def answered(
    recipe: Recipe,
    collection: Collection,
    tools: Tools,
    settings: Settings,
    *,
    mode: str = "",
    progress: Progress | None = None,
) -> Run:
    """Ask every query of a collection; of several sections of one document the best counts."""
    ranked, seconds = {}, []
    scopes: dict[str, Filters] = {}
    for done, asked in enumerate(collection.queries, start=1):
        if asked.scope not in scopes:
            scopes[asked.scope] = _filters(collection, asked)
        query = Query(asked.text, recipe=recipe.name, mode=mode, filters=scopes[asked.scope])
        started = perf_counter()
        search, _ = run(recipe, query, tools, settings)
        seconds.append(perf_counter() - started)
        best: dict[str, float] = {}
        for candidate in search.candidates:
            best.setdefault(candidate.document, candidate.score.value)
        ranked[asked.id] = tuple(best.items())[:DEPTH]
        if progress:
            progress(done, len(collection.queries), asked.text)
    return Run(recipe.name, mode, ranked, tuple(seconds))


def _filters(collection: Collection, asked: Asked) -> Filters:
    """Restrict an answer to documents whose id begins with the query's scope."""
    if not asked.scope:
        return Filters()
    if asked.scope.endswith("/"):
        return Filters(paths=(asked.scope,))
    return Filters(paths=tuple(each.id for each in collection.documents if each.id.startswith(asked.scope)))
