"""How lists become one ranking of candidates: stages that fuse by rank, by score, and three ways."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from msgspec.structs import replace

from waymeet.formulas.explanation import product, total, value
from waymeet.formulas.fusion import aggregate, linear, rrf, share_of_best, three_way, three_way_weights
from waymeet.formulas.graph import proximity
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate, Explanation, Filters, Ranking, ScoredChunk, SourceRank


def ordered(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Sort by falling score; equal scores by document, then by chunk, so that chance decides nothing."""
    return tuple(sorted(candidates, key=lambda each: (-each.score.value, each.document, each.chunks)))


def kind_of(source: str) -> str:
    """Tell what sort of list a source is: those of other wordings carry a number.

    >>> kind_of("lexical 2"), kind_of("vector")
    ('lexical', 'vector')
    """
    return source.partition(" ")[0]


def scored(search: Search, source: str, each: ScoredChunk) -> Explanation:
    """State a chunk's score in its list, taken apart if the list's evidence is at hand."""
    if kind_of(source) == "vector":
        return value(each.score, "cosine similarity")
    evidence = search.evidence.get(each.chunk) if source == "lexical" else None
    if not evidence:
        return value(each.score, "BM25F")
    words = (
        product(
            f"“{one.word}” in {', '.join(one.fields)}",
            *([value(one.weight, "weight in the query")] if one.weight != 1.0 else []),
            value(one.idf, "rarity (idf)"),
            value(one.saturation, "frequency, saturated"),
        )
        for one in evidence
    )
    return total("BM25F", *words)


def found_in(lists: Mapping[str, Ranking]) -> dict[str, dict[str, SourceRank]]:
    """Say for each chunk which lists contain it, and where."""
    found: dict[str, dict[str, SourceRank]] = {}
    for source, ranking in lists.items():
        for rank, each in enumerate(ranking, start=1):
            found.setdefault(each.chunk, {})[source] = SourceRank(source, rank, each.score)
    return found


def rows_of(search: Search) -> Iterator[tuple[dict[str, ScoredChunk], tuple[SourceRank, ...]]]:
    """Give, for each chunk of any list, its row in every list that contains it and where it stands there."""
    by_chunk = {source: {each.chunk: each for each in ranking} for source, ranking in search.lists.items()}
    for chunk, found in found_in(search.lists).items():
        yield {source: by_chunk[source][chunk] for source in found}, tuple(found.values())


def made_of(search: Search) -> str:
    """Say what scores are made of."""
    kinds = {kind_of(source): None for source, ranking in search.lists.items() if ranking}
    return "hybrid" if len(kinds) > 1 else next(iter(kinds), "none")


def fuse(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse the lists by reciprocal rank, or linearly; a single mode keeps the scores of its one list."""
    by_kind = {"lexical": settings.rrf.lexical, "vector": settings.rrf.vector * search.vector_share}
    weights = {source: by_kind.get(kind_of(source), 1.0) for source in search.lists}
    shares_of = {"lexical": settings.classic.lexical, "vector": settings.classic.vector * search.vector_share}
    parts = {source: shares_of.get(kind_of(source), 0.0) for source in search.lists}
    candidates = []
    for rows, found in rows_of(search):
        if search.mode in {"bm25_only", "vec_only"}:
            score = next(scored(search, source, row) for source, row in rows.items())
        elif settings.classic.fusion == "linear":
            shares = {
                source: share_of_best(source, scored(search, source, row), search.ranking(source)[0].score)
                for source, row in rows.items()
            }
            score = linear(shares, parts)
        else:
            score = rrf({each.source: each.rank for each in found}, weights, settings.rrf.k)
        row = next(iter(rows.values()))
        candidates.append(Candidate(row.document, (row.chunk,), score, found))
    return replace(search, candidates=ordered(candidates), search_type=made_of(search))


def apply_type_filter(search: Search, tools: Tools, _settings: Settings) -> Search:
    """Keep candidates that pass the filters which were postponed."""
    if search.deferred_filters == Filters():
        return search.skip("no filter by type")
    allowed = tools.store.first_passing_chunks([each.document for each in search.candidates], search.deferred_filters)
    return replace(search, candidates=tuple(each for each in search.candidates if each.document in allowed))


def fuse_three_way(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Score documents by `α·vector + β·graph + γ·full text` over the union of all that any of the three found."""
    if not search.ranking("vector"):
        return _fulltext_fallback(search, settings)
    vectors = _sections(search.ranking("vector"))
    fulltext = _sections(search.ranking("lexical"))
    hops = {each.document: each for each in search.reached}
    best = max((each.score for each in search.ranking("lexical")), default=0.0)
    weights = three_way_weights(settings.threeway.alpha, settings.threeway.fulltext_share, any_fulltext=bool(fulltext))
    ranks = {
        "vector": _ranks(vectors),
        "lexical": _ranks(fulltext),
        "graph": _ranks([each.document for each in search.reached if each.hops]),
    }
    candidates = []
    for document in dict.fromkeys((*vectors, *fulltext, *hops)):
        signals = (
            _similarity(search, vectors.get(document, ()), settings),
            _proximity(hops[document].hops if document in hops else None),
            _fulltext(search, fulltext.get(document, ()), best),
        )
        values = {"vector": signals[0].value, "graph": signals[1].value, "lexical": signals[2].value}
        found = tuple(
            SourceRank(source, ranks[source][document], values[source])
            for source in ("vector", "lexical", "graph")
            if document in ranks[source]
        )
        shown = tuple(each.chunk for each in vectors.get(document, ())[: settings.threeway.sections])
        candidates.append(Candidate(document, shown, three_way(*signals, weights), found))
    return replace(search, candidates=ordered(candidates), search_type="hybrid")


def _fulltext_fallback(search: Search, settings: Settings) -> Search:
    """Rank documents by their best section's full-text score when there is nothing to be near to."""
    sections = _sections(search.ranking("lexical"))
    candidates = [
        Candidate(
            document,
            tuple(each.chunk for each in rows[: settings.threeway.sections]),
            scored(search, "lexical", rows[0]),
            (SourceRank("lexical", rank, rows[0].score),),
        )
        for rank, (document, rows) in enumerate(sections.items(), start=1)
    ]
    search = replace(search, candidates=ordered(candidates), search_type="fulltext_fallback")
    if "vector" not in search.lists:
        return search  # the vector stage has said why
    return search.degrade("vector", "no_vector_hits", "no vector is near the query: answered by full text alone")


def _sections(ranking: Ranking) -> dict[str, tuple[ScoredChunk, ...]]:
    """Group a list by document; documents in the order of their best section, sections best first."""
    order = {document: place for place, document in enumerate(dict.fromkeys(each.document for each in ranking))}
    grouped = groupby(sorted(ranking, key=lambda each: order[each.document]), key=lambda each: each.document)
    return {document: tuple(rows) for document, rows in grouped}


def _ranks(documents: Iterable[str]) -> dict[str, int]:
    return {document: rank for rank, document in enumerate(documents, start=1)}


def _similarity(search: Search, rows: tuple[ScoredChunk, ...], settings: Settings) -> Explanation:
    if not rows:
        return value(0.0, "no vector hit")
    numbers = settings.aggregate
    return aggregate([scored(search, "vector", row) for row in rows], numbers.best, numbers.mean, numbers.top)


def _proximity(hops: int | None) -> Explanation:
    if hops is None:
        return value(0.0, "not reached along links")
    return value(proximity(hops), "a start of the walk" if hops == 0 else f"{hops} hop{'s' * (hops > 1)} from a start")


def _fulltext(search: Search, rows: tuple[ScoredChunk, ...], best: float) -> Explanation:
    if not rows:
        return value(0.0, "no full-text hit")
    return share_of_best("full text", scored(search, "lexical", rows[0]), best)
