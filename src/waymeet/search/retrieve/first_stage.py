"""The lists that a query is answered from: by words, by meaning, along links."""

from collections.abc import Sequence

from msgspec.structs import replace

from waymeet.errors import EmbeddingError
from waymeet.search.retrieve.dense import nearest, spaces_of, with_hint
from waymeet.search.retrieve.embed_on_demand import OnDemandEmbedder
from waymeet.search.retrieve.graph_walk import walk
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Filters, Ranking


def adapt_length_norm(search: Search, tools: Tools, settings: Settings) -> Search:
    """Let length count less where texts are remarks of a few words: the longer ones just say more."""
    told = tools.store.corpus_profile().text_length
    usual = settings.bm25.b.body
    norm = round(settings.auto.short_text_b + (usual - settings.auto.short_text_b) * told, 2)
    if told >= 1.0 or norm >= usual:
        return search.skip("texts say enough about themselves")
    return replace(search, bm25=replace(settings.bm25, b=replace(settings.bm25.b, body=norm)))


_WORDS_ALONE = frozenset({"bm25_only", "keyword"})
_MEANING_ALONE = frozenset({"vec_only", "vector"})
_EXPLAINED = 200
"""Most chunks whose lexical scores are taken apart: more than anybody reads."""


def lexical(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank chunks by the query's words."""
    if search.mode in _MEANING_ALONE:
        return search.skip(f"mode {search.mode}")
    if not search.words:
        return search.skip("no words")
    bm25 = search.bm25 or settings.bm25
    found = tools.store.rank_lexical(search.words, pool_size(search, settings), search.filters, bm25)
    if search.query.explain and found:
        chunks = [each.chunk for each in found[:_EXPLAINED]]
        search = replace(search, evidence=tools.store.lexical_evidence(search.words, chunks, bm25))
    return replace(search, lists={**search.lists, "lexical": found})


def vector(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank chunks by nearness to the query's meaning."""
    if search.mode in _WORDS_ALONE or not search.text.strip():
        return search.skip(f"mode {search.mode}" if search.text.strip() else "empty query")
    if not tools.embedders:
        return search.miss("vector", "no_model", "no embedding model is set up, so meaning was not asked")
    spaces = spaces_of(tools.embedders)
    embedded, chunks = tools.store.coverage(spaces)
    spot = None
    if embedded + tools.failed_chunks < chunks:
        spot = OnDemandEmbedder(tools, search.ranking("lexical"), settings.embedding.on_demand_seconds)
    if not embedded and not (spot and spot.hopeful):
        detail = f"nothing is embedded by {' or '.join(spaces)} yet: run `waymeet index`"
        return search.miss("vector", "no_vectors", detail) if chunks else search.skip("nothing is indexed")
    try:
        found = nearest(
            tools, search.vector_text or search.text, pool_size(search, settings), search.filters, spot=spot
        )
    except EmbeddingError as error:
        return search.miss("vector", "embedding_failed", with_hint(error))
    lists = {**search.lists, "vector": found.ranking}
    at_hand = spot.covered if spot else 0.0
    search = replace(
        search,
        lists=lists,
        other_language=found.foreign,
        vector_coverage=embedded / chunks,
        similarity_steps=found.nearness,
        top_coverage=at_hand,
    )
    if found.failed:
        search = search.degrade("vector", "embedding_failed", found.failed)
    if spot:
        now = f", and {spot.embedded} of the likeliest just now" if spot.embedded else ""
        detail = f"{embedded} of {chunks} sections are embedded so far{now}"
        return search.degrade("vector", "partial_vectors", detail)
    return search


def pool_size(search: Search, settings: Settings) -> int:
    """Say how many chunks a list is to have."""
    return max(search.query.limit * settings.pool.factor, settings.pool.min)


def defer_type_filter(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Let documents of any type take part, and keep those of the wanted types only in the result."""
    types = search.filters.doc_types
    if not types:
        return search.skip("no filter by type")
    return replace(search, filters=replace(search.filters, doc_types=()), deferred_filters=Filters(doc_types=types))


def graph_proximity(search: Search, tools: Tools, settings: Settings) -> Search:
    """Walk from the best documents of the vector list along links, both ways."""
    starts = leading(search.ranking("vector"), search.query.limit * settings.pool.seeds)
    if not starts:
        return search.skip("nothing to start from")
    depth = settings.graph.depth if search.query.depth is None else search.query.depth
    reached, cut = walk(tools.store, starts, depth, search.query.link_types, settings.graph.fan_out)
    allowed = tools.store.first_passing_chunks([each.document for each in reached], search.filters)
    search = replace(search, reached=tuple(each for each in reached if each.document in allowed))
    if cut:
        return fanned_out(search, cut, settings)
    return search


def fanned_out(search: Search, cut: Sequence[str], settings: Settings) -> Search:
    """Tell that some documents have more neighbours than were followed."""
    some = ", ".join(cut[:3]) + (f" and {len(cut) - 3} more" if len(cut) > 3 else "")
    detail = f"more than {settings.graph.fan_out} neighbours of {some}: the rest was not followed"
    return search.degrade("graph", "fan_out", detail)


def leading(ranking: Ranking, limit: int) -> list[str]:
    """Name the first different documents of a list."""
    return list(dict.fromkeys(each.document for each in ranking))[:limit]
