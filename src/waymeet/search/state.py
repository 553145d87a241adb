"""What travels along the road of one query: an immutable state, the tools, the recipe, and the fold that runs it."""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import UnknownRecipeError
from waymeet.ports import Embedder, Store
from waymeet.settings import Settings
from waymeet.types import Candidate, Degraded, Evidence, Filters, Query, Ranking, Reached, Step, Word


class Tools(NamedTuple):
    """What stages may use."""

    store: Store
    embedder: Embedder | None = None


class Search(Struct, frozen=True):
    """How far a query has come. A stage returns a new one and leaves the old one as it was."""

    query: Query
    mode: str = ""
    filters: Filters = Filters()
    late: Filters = Filters()
    """Filters that act only on the result, for recipes that walk through what they do not show."""
    text: str = ""
    """The query without its operators."""
    quoted: tuple[str, ...] = ()
    """Phrases that the query itself insists on."""
    words: tuple[Word, ...] = ()
    lists: Mapping[str, Ranking] = {}
    """Ranked chunks by source: `lexical`, `vector`."""
    evidence: Mapping[str, tuple[Evidence, ...]] = {}
    """What made the lexical scores, by chunk; only when an explanation is asked for."""
    reached: tuple[Reached, ...] = ()
    """Documents found along links."""
    candidates: tuple[Candidate, ...] = ()
    """Best first."""
    search_type: str = "hybrid"
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str | None = None
    """Why the stage that just ran did nothing."""

    def skip(self, reason: str) -> "Search":
        """Go on unchanged, saying why."""
        return replace(self, skipped=reason)

    def degrade(self, stage: str, code: str, detail: str) -> "Search":
        """Go on, telling the asker that the answer is less than it could be."""
        return replace(self, degraded=(*self.degraded, Degraded(stage, code, detail)))

    def miss(self, stage: str, code: str, detail: str) -> "Search":
        """Go on without this stage, telling both the record of steps and the asker why."""
        return self.degrade(stage, code, detail).skip(code)

    def ranking(self, source: str) -> Ranking:
        """Give the ranked list of a source, empty if there is none."""
        return self.lists.get(source, ())


Stage = Callable[[Search, Tools, Settings], Search]


class Recipe(Struct, frozen=True):
    """A ranking, written down: stages in order and the numbers they use."""

    name: str
    description: str
    stages: tuple[Stage, ...]
    overrides: Mapping[str, Any] = {}
    """The recipe's own numbers, laid over the defaults and under the user's settings."""
    modes: tuple[str, ...] = ()
    """The modes a caller may choose."""


def run(recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> tuple[Search, tuple[Step, ...]]:
    """Fold a query through a recipe's stages, noting what each cost or why it was skipped."""
    if query.mode and query.mode not in recipe.modes:
        known = f"It has: {', '.join(recipe.modes)}." if recipe.modes else f"The recipe {recipe.name} has no modes."
        raise UnknownRecipeError(f"The recipe {recipe.name} has no mode {query.mode!r}.", known)
    mode = query.mode or next(iter(recipe.modes), "")
    search, steps = Search(query, mode, query.filters, text=query.text), []
    for stage in recipe.stages:
        started = perf_counter()
        search = stage(replace(search, skipped=None), tools, settings)
        steps.append(Step(stage_name(stage), perf_counter() - started, search.skipped))
    return search, tuple(steps)


def stage_name(stage: Stage) -> str:
    """Name a stage as its function is named."""
    return getattr(stage, "__name__", repr(stage))
