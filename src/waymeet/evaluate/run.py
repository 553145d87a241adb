"""Runs: the documents ranked by a recipe for each query of a collection, and the time."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from msgspec import Struct

from waymeet.evaluate.collection import Collection, CollectionQuery
from waymeet.evaluate.levels import RankedSection, list_sections, rank_items
from waymeet.formulas.metrics import Judgements
from waymeet.ports import Progress, Store
from waymeet.search.pipeline import run_stages
from waymeet.search.rank.copies import MAX_COPIES
from waymeet.search.rank.translations import shown_translations, translation_groups
from waymeet.search.state import Recipe, Search, Tools
from waymeet.settings import Settings
from waymeet.types import Filters, Query

DEPTH = 100
"""Documents kept for each query."""
LIMIT = 10
"""Results requested for each query, as in a normal search."""
WORDS = "words"
"""The mode without embedding models, which an evaluation adds to every recipe."""
STUDENT = "student"
"""The mode with approximate vectors, as in the first minutes of an index, likewise."""
_NO_MODEL = "no_model"


Runner = Callable[[Recipe, Query, Tools, Settings], Search]
"""Runs one query."""


class Run(Struct, frozen=True):
    """The ranked items of every query with their scores, and the time of each query."""

    recipe: str
    mode: str
    ranked: Mapping[str, tuple[tuple[str, float], ...]]
    """Documents, or places and sections, depending on the level."""
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
    """Run one query as a normal search does, with all reads in one transaction."""
    with tools.store.snapshot():
        return run_stages(recipe, query, tools, settings)[0]


def run_collection(config: RunConfig, collection: Collection, progress: Progress | None = None) -> Run:
    """Run every query of a collection, and rank its documents or places."""
    (run,) = run_levels(config, (collection,), progress)
    return run


def run_levels(config: RunConfig, levels: Sequence[Collection], progress: Progress | None = None) -> tuple[Run, ...]:
    """Run every query of a collection once, and rank the results at each level of it.

    A search shows the copies and translations of a hit beside it, so a relevant one that is not ranked itself is ranked
    directly behind its hit.
    """
    collection = levels[0]
    tools = config.tools._replace(embedders=()) if config.drops_models else config.tools
    runner = config.runner or run_query
    ranked: list[dict[str, tuple[tuple[str, float], ...]]] = [{} for _ in levels]
    seconds, degraded = list[float](), Counter[str]()
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
        for at_level, ranked_at_level in zip(levels, ranked, strict=True):
            ranked_at_level[query.id] = _rank_results(search, query, at_level, config)
        if progress:
            progress(done, len(collection.queries), query.text)
    models = " + ".join(embedder.space for embedder in tools.embedders) if used_vectors else ""
    rest = (tuple(seconds), models, dict(sorted(degraded.items())))
    return tuple(Run(config.recipe.name, config.mode, each, *rest) for each in ranked)


def _rank_results(
    search: Search, query: CollectionQuery, collection: Collection, config: RunConfig
) -> tuple[tuple[str, float], ...]:
    """Rank documents or places, with copies and translations behind their hits."""
    judgements = collection.qrels.get(query.id, {})
    items = rank_items(_list_sections(search, config.limit), collection, judgements)
    items = _add_translations(items, judgements, config.limit, config.translations or config.tools.store)
    return tuple((item, section.score) for item, section in items.items())[:DEPTH]


def _list_sections(search: Search, limit: int) -> Iterator[RankedSection]:
    """Yield the sections of all candidates, each with the copies that a search names for it."""
    for rank, candidate in enumerate(search.candidates, start=1):
        yield from list_sections([candidate])
        if rank <= limit and candidate.chunks:
            copies = search.copies.get(candidate.chunks[0], ())[:MAX_COPIES]
            yield from (section._replace(is_copy=True) for section in list_sections(copies))


def _make_query(config: RunConfig, query: CollectionQuery, filters: Filters) -> Query:
    mode = "" if config.drops_models or config.mode == STUDENT else config.mode
    return Query(query.text, config.limit, recipe=config.recipe.name, mode=mode, filters=filters)


def _degraded_codes(search: Search, config: RunConfig) -> set[str]:
    """Collect the codes of a degraded answer, except for models left out on purpose."""
    return {each.code for each in search.degraded if not (config.drops_models and each.code == _NO_MODEL)}


def _add_translations(
    items: dict[str, RankedSection], judgements: Judgements, limit: int, store: Store
) -> dict[str, RankedSection]:
    """Rank relevant documents that are shown as translations of a hit behind that hit.

    Documents that are hits themselves keep their rank. Only relevant documents that are no hits are looked up, which
    is mostly none.
    """
    hits = dict(list(items.items())[:limit])
    groups = translation_groups(store, [item for item, score in judgements.items() if score > 0 and item not in hits])
    if not any(section.document in group for group in groups.values() for section in hits.values()):
        return items
    ranked: dict[str, RankedSection] = {}
    for item, section in items.items():
        ranked.setdefault(item, section)
        if item in hits:
            ranked |= {name: section for name in _shown_beside(section.document, groups) if name not in ranked}
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
