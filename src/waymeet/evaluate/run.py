"""Runs: the documents ranked by a recipe for each query of a collection, and the time."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from re import compile as pattern
from time import perf_counter
from typing import NamedTuple

from msgspec import Struct

from waymeet.evaluate.collection import Collection, CollectionQuery, Place
from waymeet.formulas.metrics import Judgements
from waymeet.ports import Progress, Store
from waymeet.search.pipeline import run_stages
from waymeet.search.rank.copies import MAX_COPIES
from waymeet.search.rank.translations import shown_translations, translation_groups
from waymeet.search.state import Recipe, Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate, Filters, Query

DEPTH = 100
"""Documents kept for each query."""
LIMIT = 10
"""Results requested for each query, as in a normal search."""
WORDS = "words"
"""The mode without embedding models, which an evaluation adds to every recipe."""
STUDENT = "student"
"""The mode with approximate vectors, as in the first minutes of an index, likewise."""
_NO_MODEL = "no_model"
_LINES = pattern(r"(?s)(?P<document>.*)#L(?P<start>\d+)-L(?P<end>\d+)(?:~\d+)?")


Runner = Callable[[Recipe, Query, Tools, Settings], Search]
"""Runs one query."""


class Run(Struct, frozen=True):
    """The ranked documents of every query with their scores, and the time of each query."""

    recipe: str
    mode: str
    ranked: Mapping[str, tuple[tuple[str, float], ...]]
    seconds: tuple[float, ...]
    vector_models: str = ""
    """The embedding models that were used, or empty."""
    degraded: Mapping[str, int] = {}
    """The number of degraded answers, by code."""

    @property
    def name(self) -> str:
        """The recipe with its mode."""
        return f"{self.recipe}:{self.mode}" if self.mode else self.recipe


class RunConfig(NamedTuple):
    """A recipe with everything that it needs to run a query."""

    recipe: Recipe
    tools: Tools
    settings: Settings
    mode: str = ""
    limit: int = LIMIT
    runner: Runner | None = None
    """Runs a query in place of `run_query`."""
    translations: Store | None = None
    """The store that has the translations of documents, if `tools.store` does not."""

    @property
    def drops_models(self) -> bool:
        """Whether models are left out for the mode `words`, which the recipe itself does not have."""
        return self.mode == WORDS and WORDS not in self.recipe.modes


def run_query(recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> Search:
    """Run one query as a normal search does."""
    return run_stages(recipe, query, tools, settings)[0]


def run_collection(config: RunConfig, collection: Collection, progress: Progress | None = None) -> Run:
    """Run every query of a collection and rank its documents, each by its best section.

    Where judgements name lines instead of documents, every section counts, and one that shares a line with a relevant
    place is relevant. A search shows the copies and translations of a hit beside it, so a relevant one that is not
    ranked itself is ranked directly behind its hit.
    """
    tools = config.tools._replace(embedders=()) if config.drops_models else config.tools
    runner = config.runner or run_query
    ranked, seconds, degraded = {}, [], Counter[str]()
    used_vectors = False
    filters: dict[str, Filters] = {}
    for done, query in enumerate(collection.queries, start=1):
        if query.scope not in filters:
            filters[query.scope] = _scope_filters(collection, query)
        search_query = _make_query(config, query, filters[query.scope])
        started = perf_counter()
        search = runner(config.recipe, search_query, tools, config.settings)
        seconds.append(perf_counter() - started)
        degraded.update(_degraded_codes(search, config))
        used_vectors = used_vectors or "vector" in search.lists
        judgements = collection.qrels.get(query.id, {})
        best_scores = _rank_documents(search, collection, judgements, config.limit)
        best_scores = _add_translations(best_scores, judgements, config.limit, config.translations or tools.store)
        ranked[query.id] = tuple(best_scores.items())[:DEPTH]
        if progress:
            progress(done, len(collection.queries), query.text)
    models = " + ".join(embedder.space for embedder in tools.embedders) if used_vectors else ""
    return Run(config.recipe.name, config.mode, ranked, tuple(seconds), models, dict(sorted(degraded.items())))


def _make_query(config: RunConfig, query: CollectionQuery, filters: Filters) -> Query:
    mode = "" if config.drops_models or config.mode == STUDENT else config.mode
    return Query(query.text, config.limit, recipe=config.recipe.name, mode=mode, filters=filters)


def _degraded_codes(search: Search, config: RunConfig) -> set[str]:
    """Collect the codes of a degraded answer, except for models left out on purpose."""
    return {each.code for each in search.degraded if not (config.drops_models and each.code == _NO_MODEL)}


def _rank_documents(search: Search, collection: Collection, judgements: Judgements, limit: int) -> Mapping[str, float]:
    """Rank documents, or judged places where there are some, by the score of their best section.

    Relevant ones that are shown as copies of a hit are ranked behind that hit.
    """
    places = {
        item: collection.places[item]
        for item, relevance in judgements.items()
        if relevance > 0 and item in collection.places
    }
    best_scores: dict[str, float] = {}
    for rank, candidate in enumerate(search.candidates, start=1):
        for item in _judged_items(candidate, places, judgements):
            best_scores.setdefault(item, candidate.score.value)
        for copy in _shown_copies(search, candidate) if rank <= limit else ():
            for item in _judged_items(copy, places, judgements):
                if judgements.get(item, 0) > 0:
                    best_scores.setdefault(item, candidate.score.value)
    return best_scores


def _shown_copies(search: Search, candidate: Candidate) -> tuple[Candidate, ...]:
    """List the copies that a search names for a hit."""
    return search.copies.get(candidate.chunks[0], ())[:MAX_COPIES] if candidate.chunks else ()


def _judged_items(candidate: Candidate, places: Mapping[str, Place], judgements: Judgements) -> list[str]:
    """List the judged places that overlap a candidate, else its judged document or section.

    Without judged places, it is the document.
    """
    if not places:
        return [candidate.document]
    overlapping = [item for item, place in places.items() if _overlaps(candidate, place)]
    is_judged = candidate.document in judgements
    own = candidate.document if is_judged else next(iter(candidate.chunks), candidate.document)
    return overlapping or [own]


def _overlaps(candidate: Candidate, place: Place) -> bool:
    lines = map(_LINES.fullmatch, candidate.chunks if candidate.document == place.document else ())
    return any(each and int(each["start"]) <= place.end and int(each["end"]) >= place.start for each in lines)


def _add_translations(
    best_scores: Mapping[str, float], judgements: Judgements, limit: int, store: Store
) -> Mapping[str, float]:
    """Rank relevant documents that are shown as translations of a hit behind that hit.

    Documents that are hits themselves keep their rank. Only relevant documents that are no hits are looked up, which
    is mostly none.
    """
    hits = dict(list(best_scores.items())[:limit])
    groups = translation_groups(store, [item for item, score in judgements.items() if score > 0 and item not in hits])
    if not any(hits.keys() & group for group in groups.values()):
        return best_scores
    ranked: dict[str, float] = {}
    for document, score in best_scores.items():
        ranked.setdefault(document, score)
        if document in hits:
            ranked |= {name: score for name in _shown_beside(document, groups) if name not in ranked}
    return ranked


def _shown_beside(document: str, groups: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the relevant documents that a search shows as translations of a hit."""
    return (
        name
        for name, group in groups.items()
        if document in group and name in shown_translations(document, {document: group})
    )


def _scope_filters(collection: Collection, query: CollectionQuery) -> Filters:
    """Restrict results to documents whose id begins with the query's scope."""
    if not query.scope:
        return Filters()
    if query.scope.endswith("/"):
        return Filters(paths=(query.scope,))
    return Filters(paths=tuple(document.id for document in collection.documents if document.id.startswith(query.scope)))
