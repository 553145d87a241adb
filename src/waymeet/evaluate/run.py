"""Runs: what a recipe answers to every query of a collection, and how long it takes."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from re import compile as pattern
from time import perf_counter

from msgspec import Struct

from waymeet.evaluate.collection import Collection, CollectionQuery, Place
from waymeet.formulas.metrics import Judgements
from waymeet.ports import Progress, Store
from waymeet.search.pipeline import run_stages
from waymeet.search.rank.translations import shown_translations, translation_groups
from waymeet.search.state import Recipe, Search, Tools
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


Runner = Callable[[Recipe, Query, Tools, Settings], Search]


class Run(Struct, frozen=True):
    """The ranked documents of every query, with their scores, and what each cost."""

    recipe: str
    mode: str
    ranked: Mapping[str, tuple[tuple[str, float], ...]]
    seconds: tuple[float, ...]
    vector_models: str = ""
    """Which models of meaning were asked; empty if none was."""
    degraded: Mapping[str, int] = {}
    """How many answers were less than they could be, by the reason's code."""

    @property
    def name(self) -> str:
        """Name the recipe with its mode."""
        return f"{self.recipe}:{self.mode}" if self.mode else self.recipe


def run_query(recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> Search:
    """Answer a question as a user's is answered."""
    return run_stages(recipe, query, tools, settings)[0]


def run_collection(
    recipe: Recipe,
    collection: Collection,
    tools: Tools,
    settings: Settings,
    *,
    mode: str = "",
    limit: int = LIMIT,
    progress: Progress | None = None,
    answering: Runner = run_query,
    naming: Store | None = None,
) -> Run:
    """Ask every query of a collection; of several sections of one document the best counts.

    Where lines are judged, not documents, every section counts, and one that shares a line with the right ones is
    right. An answer names the translations of what it shows, whatever ranked it: one that is judged right counts behind
    its hit. The `naming` store knows them, if the one that is asked does not.
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
        judged = collection.qrels.get(asked.id, {})
        places = {each: collection.places[each] for each in judged if judged[each] > 0 and each in collection.places}
        best: dict[str, float] = {}
        for candidate in search.candidates:
            for name in _judged(candidate, places, judged) if places else (candidate.document,):
                best.setdefault(name, candidate.score.value)
        ranked[asked.id] = tuple(_with_named(best, judged, limit, naming or tools.store).items())[:DEPTH]
        if progress:
            progress(done, len(collection.queries), asked.text)
    meaning = " + ".join(each.space for each in tools.embedders) if by_meaning else ""
    return Run(recipe.name, mode, ranked, tuple(seconds), meaning, dict(sorted(degraded.items())))


def _judged(candidate: Candidate, places: Mapping[str, Place], judged: Judgements) -> list[str]:
    """Name what is judged of a candidate: places with which it shares a line, else its document, else its section."""
    found = [each for each, place in places.items() if _overlaps(candidate, place)]
    own = candidate.document if candidate.document in judged else next(iter(candidate.chunks), candidate.document)
    return found or [own]


def _overlaps(candidate: Candidate, place: Place) -> bool:
    lines = map(_LINES.fullmatch, candidate.chunks if candidate.document == place.document else ())
    return any(each and int(each["start"]) <= place.end and int(each["end"]) >= place.start for each in lines)


def _with_named(best: Mapping[str, float], judged: Judgements, limit: int, store: Store) -> Mapping[str, float]:
    """Put right documents that an answer only names, as translations of what it shows, behind those.

    What is shown itself stays where it is. Only what is right and not shown is looked up: mostly nothing is.
    """
    shown = dict(list(best.items())[:limit])
    groups = translation_groups(store, [each for each, score in judged.items() if score > 0 and each not in shown])
    if not any(shown.keys() & group for group in groups.values()):
        return best
    found: dict[str, float] = {}
    for each, score in best.items():
        found.setdefault(each, score)
        if each in shown:
            found |= {name: score for name in _named_by(each, groups) if name not in found}
    return found


def _named_by(document: str, groups: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """List the right documents that an answer names for one that says the same in another language."""
    return (
        name
        for name, group in groups.items()
        if document in group and name in shown_translations(document, {document: group})
    )


def _filters(collection: Collection, asked: CollectionQuery) -> Filters:
    """Restrict an answer to documents whose id begins with the query's scope."""
    if not asked.scope:
        return Filters()
    if asked.scope.endswith("/"):
        return Filters(paths=(asked.scope,))
    return Filters(paths=tuple(each.id for each in collection.documents if each.id.startswith(asked.scope)))
