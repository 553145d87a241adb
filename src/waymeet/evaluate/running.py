"""Runs: what a recipe answers to every query of a collection, and how long it takes."""

from collections import Counter
from collections.abc import Callable, Mapping
from re import compile as pattern
from time import perf_counter

from msgspec import Struct

from waymeet.evaluate.collection import Asked, Collection, Place
from waymeet.ports import Progress
from waymeet.search.state import Recipe, Search, Tools, run
from waymeet.settings import Settings
from waymeet.types import Candidate, Filters, Query

DEPTH = 100
"""Documents kept for each query."""
LIMIT = 10
"""Results asked for, as a user asks."""
_NO_MODEL = "no_model"
WORDS = "words"
"""The mode in which every recipe can be asked here: without models of meaning."""
_LINES = pattern(r"(?s)(?P<document>.*)#L(?P<start>\d+)-L(?P<end>\d+)(?:~\d+)?")


Answering = Callable[[Recipe, Query, Tools, Settings], Search]


class Run(Struct, frozen=True):
    """The ranked documents of every query, with their scores, and what each cost."""

    recipe: str
    mode: str
    ranked: Mapping[str, tuple[tuple[str, float], ...]]
    seconds: tuple[float, ...]
    meaning: str = ""
    """Which models of meaning were asked; empty if none was."""
    degraded: Mapping[str, int] = {}
    """How many answers were less than they could be, by the reason's code."""

    @property
    def name(self) -> str:
        """Name the recipe with its mode."""
        return f"{self.recipe}:{self.mode}" if self.mode else self.recipe


def at_once(recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> Search:
    """Answer a question as a user's is answered."""
    return run(recipe, query, tools, settings)[0]


def answered(
    recipe: Recipe,
    collection: Collection,
    tools: Tools,
    settings: Settings,
    *,
    mode: str = "",
    limit: int = LIMIT,
    progress: Progress | None = None,
    answering: Answering = at_once,
) -> Run:
    """Ask every query of a collection; of several sections of one document the best counts.

    Where lines are judged, not documents, every section counts, and one that shares a line with the right ones is
    right.
    """
    bare = mode == WORDS and WORDS not in recipe.modes
    if bare:
        tools = tools._replace(embedders=())
    ranked, seconds, degraded = {}, [], Counter[str]()
    by_meaning = False
    scopes: dict[str, Filters] = {}
    for done, asked in enumerate(collection.queries, start=1):
        if asked.scope not in scopes:
            scopes[asked.scope] = _filters(collection, asked)
        query = Query(asked.text, limit, recipe=recipe.name, mode="" if bare else mode, filters=scopes[asked.scope])
        started = perf_counter()
        search = answering(recipe, query, tools, settings)
        seconds.append(perf_counter() - started)
        degraded.update({each.code for each in search.degraded if not (bare and each.code == _NO_MODEL)})
        by_meaning = by_meaning or "vector" in search.lists
        best: dict[str, float] = {}
        place = collection.places.get(asked.id)
        for candidate in search.candidates:
            best.setdefault(_judged(candidate, place) if place else candidate.document, candidate.score.value)
        ranked[asked.id] = tuple(best.items())[:DEPTH]
        if progress:
            progress(done, len(collection.queries), asked.text)
    meaning = " + ".join(each.lane for each in tools.embedders) if by_meaning else ""
    return Run(recipe.name, mode, ranked, tuple(seconds), meaning, dict(sorted(degraded.items())))


def _judged(candidate: Candidate, right: Place) -> str:
    """Name what is judged of a candidate: the right place if it shares a line with it, else its own section."""
    for chunk in candidate.chunks if candidate.document == right.document else ():
        lines = _LINES.fullmatch(chunk)
        if lines and int(lines["start"]) <= right.end and int(lines["end"]) >= right.start:
            return right.id
    return candidate.chunks[0] if candidate.chunks else candidate.document


def _filters(collection: Collection, asked: Asked) -> Filters:
    """Restrict an answer to documents whose id begins with the query's scope."""
    if not asked.scope:
        return Filters()
    if asked.scope.endswith("/"):
        return Filters(paths=(asked.scope,))
    return Filters(paths=tuple(each.id for each in collection.documents if each.id.startswith(asked.scope)))
