"""The lists that a query is answered from: by words, by meaning, along links."""

from msgspec.structs import replace

from waymeet.errors import EmbeddingError
from waymeet.search.state import Search, Tools
from waymeet.search.walk import walk
from waymeet.settings import Settings
from waymeet.types import Ranking


def lexical(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank chunks by the query's words."""
    if search.mode == "vec_only":
        return search.skip("mode vec_only")
    if not search.words:
        return search.skip("no words")
    limit = search.query.limit * settings.pool.factor
    found = tools.store.lexical(search.words, limit, search.filters, settings.bm25)
    if not found and search.filters.phrases:
        relaxed = replace(search.filters, phrases=())
        found = tools.store.lexical(search.words, limit, relaxed, settings.bm25)
        if found:
            quoted = ", ".join(f'"{phrase}"' for phrase in search.filters.phrases)
            search = replace(search, filters=relaxed).degrade(
                "lexical", "phrase_relaxed", f"nothing contains {quoted}; its words were looked for one by one"
            )
    if search.query.explain and found:
        chunks = [each.chunk for each in found]
        search = replace(search, evidence=tools.store.evidence(search.words, chunks, settings.bm25))
    return replace(search, lists={**search.lists, "lexical": found})


def vector(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank chunks by nearness to the query's meaning."""
    if search.mode == "bm25_only" or not search.query.text.strip():
        return search.skip("mode bm25_only" if search.query.text.strip() else "empty query")
    if tools.embedder is None:
        return search.miss("vector", "no_model", "no embedding model is set up: answered from words and links alone")
    lane, counts = tools.embedder.lane, tools.store.counts()
    embedded = counts.vectors.get(lane, 0)
    if not embedded:
        return search.miss("vector", "no_vectors", f"nothing is embedded by {lane} yet: run `waymeet index`")
    try:
        question = tools.embedder.query(search.query.text)
    except EmbeddingError as error:
        return search.miss("vector", "embedding_failed", error.message)
    found = tools.store.nearest(lane, question, search.query.limit * settings.pool.factor, search.filters)
    search = replace(search, lists={**search.lists, "vector": found})
    if embedded < counts.chunks:
        return search.degrade(
            "vector", "partial_vectors", f"{embedded} of {counts.chunks} sections are embedded so far"
        )
    return search


def neighbourhood(search: Search, tools: Tools, settings: Settings) -> Search:
    """Walk from the best documents of the vector list along links, both ways."""
    starts = leading(search.ranking("vector"), search.query.limit * settings.pool.starts)
    if not starts:
        return search.skip("nothing to start from")
    depth = settings.graph.depth if search.query.depth is None else search.query.depth
    reached, cut = walk(tools.store, starts, depth, search.query.link_types, settings.graph.fan_out)
    allowed = tools.store.passing([each.document for each in reached], search.filters)
    search = replace(search, reached=tuple(each for each in reached if each.document in allowed))
    if cut:
        detail = f"more than {settings.graph.fan_out} links at {', '.join(cut)}: the rest was not followed"
        return search.degrade("graph", "fan_out", detail)
    return search


def leading(ranking: Ranking, limit: int) -> list[str]:
    """Name the first different documents of a list."""
    return list(dict.fromkeys(each.document for each in ranking))[:limit]
