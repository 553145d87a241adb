"""Fuse ranked lists into candidates: by rank, by score, or by a three-way sum."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from waymeet.formulas.explanation import product, quotient, value
from waymeet.formulas.fusion import aggregate, linear, rrf, share_of_best, three_way, three_way_weights
from waymeet.formulas.graph import proximity
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate, Explanation, Filters, Ranking, ScoredChunk, SourceRank


def sort_candidates(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Sort candidates by falling score, ties by document and chunk."""
    return tuple(sorted(candidates, key=lambda each: (-each.score.value, each.document, each.chunks)))


def place_below(leading: Sequence[Candidate], further: Sequence[Candidate], reason: str) -> Sequence[Candidate]:
    """Scale the scores of further candidates to at most the lowest score of the leading ones.

    Both are sorted by falling score. Whoever sorts the results by score gets the same order.
    """
    if not leading or not further or further[0].score.value <= leading[-1].score.value:
        return further
    lowest, best = leading[-1].score.value, further[0].score.value
    if lowest <= 0.0:
        return [replace(candidate, score=value(lowest, f"lowest score: {reason}")) for candidate in further]
    below, divisor = value(lowest, "lowest score before it"), value(best, "best further score")
    return [
        replace(
            candidate, score=product(reason, below, quotient("score / best further score", candidate.score, divisor))
        )
        for candidate in further
    ]


def source_kind(source: str) -> str:
    """Give the kind of a list, without the number that lists of alternative wordings carry.

    >>> source_kind("lexical 2"), source_kind("vector")
    ('lexical', 'vector')
    """
    return source.partition(" ")[0]


def explain_score(search: Search, source: str, row: ScoredChunk) -> Explanation:
    """Explain the score of a chunk in a list, with the parts of BM25F if they are known."""
    if source_kind(source) == "vector":
        return value(row.score, _describe_similarity(search, row.chunk), "vector")
    explanation = search.lexical_explanations.get(row.chunk) if source == "lexical" else None
    return explanation or value(row.score, "BM25F", "lexical")


def _describe_similarity(search: Search, chunk: str) -> str:
    if chunk in search.other_language:
        return "similarity by the multilingual model"
    return "cosine similarity, approximate vector" if chunk in search.approximate else "cosine similarity"


def iterate_rows(search: Search) -> Iterator[tuple[dict[str, ScoredChunk], tuple[SourceRank, ...]]]:
    """Yield each chunk of any list as its rows by source, and its ranks in these lists."""
    by_chunk = {source: {row.chunk: row for row in ranking} for source, ranking in search.lists.items()}
    for chunk, ranks in _ranks_by_chunk(search.lists).items():
        yield {source: by_chunk[source][chunk] for source in ranks}, tuple(ranks.values())


def _ranks_by_chunk(lists: Mapping[str, Ranking]) -> dict[str, dict[str, SourceRank]]:
    ranks: dict[str, dict[str, SourceRank]] = {}
    for source, ranking in lists.items():
        for rank, row in enumerate(ranking, start=1):
            ranks.setdefault(row.chunk, {})[source] = SourceRank(source, rank, row.score)
    return ranks


def find_search_type(search: Search) -> str:
    """Name the only kind of list with results, or `hybrid` if there are several."""
    kinds = {source_kind(source): None for source, ranking in search.lists.items() if ranking}
    return "hybrid" if len(kinds) > 1 else next(iter(kinds), "none")


def fuse(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse the lists by reciprocal rank or linearly, or keep the scores of a single list."""
    weights = {"lexical": settings.rrf.lexical, "vector": settings.rrf.vector * search.vector_share}
    rrf_weights = {source: weights.get(source_kind(source), 1.0) for source in search.lists}
    shares = {"lexical": settings.classic.lexical, "vector": settings.classic.vector * search.vector_share}
    linear_weights = {source: shares.get(source_kind(source), 0.0) for source in search.lists}
    candidates = []
    for rows, sources in iterate_rows(search):
        if search.mode in {"bm25_only", "vec_only"}:
            score = next(explain_score(search, source, row) for source, row in rows.items())
        elif settings.classic.fusion == "linear":
            normalised = {
                source: share_of_best(source, explain_score(search, source, row), search.ranking(source)[0].score)
                for source, row in rows.items()
            }
            score = linear(normalised, linear_weights)
        else:
            score = rrf({each.source: each.rank for each in sources}, rrf_weights, settings.rrf.k)
        row = next(iter(rows.values()))
        candidates.append(Candidate(row.document, (row.chunk,), score, sources))
    return replace(search, candidates=sort_candidates(candidates), search_type=find_search_type(search))


def apply_type_filter(search: Search, tools: Tools, _settings: Settings) -> Search:
    """Remove candidates that do not pass the deferred filter by document type."""
    if search.deferred_filters == Filters():
        return search.skip("no filter by type")
    allowed = tools.store.first_passing_chunks([each.document for each in search.candidates], search.deferred_filters)
    return replace(search, candidates=tuple(each for each in search.candidates if each.document in allowed))


def fuse_three_way(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Score all documents of any list by `α·vector + β·graph + γ·full text`."""
    if not search.ranking("vector"):
        return _fulltext_fallback(search, settings)
    vectors = _group_by_document(search.ranking("vector"))
    fulltext = _group_by_document(search.ranking("lexical"))
    hops = {reached.document: reached.hops for reached in search.reached}
    best = max((row.score for row in search.ranking("lexical")), default=0.0)
    weights = three_way_weights(settings.threeway.alpha, settings.threeway.fulltext_share, any_fulltext=bool(fulltext))
    ranks = {
        "vector": _number(vectors),
        "lexical": _number(fulltext),
        "graph": _number(reached.document for reached in search.reached if reached.hops),
    }
    candidates = []
    for document in dict.fromkeys((*vectors, *fulltext, *hops)):
        scores = {
            "vector": _explain_similarity(search, vectors.get(document, ()), settings),
            "lexical": _explain_fulltext(search, fulltext.get(document, ()), best),
            "graph": _explain_proximity(hops.get(document)),
        }
        score = three_way(scores["vector"], scores["graph"], scores["lexical"], weights)
        sources = tuple(
            SourceRank(source, ranks[source][document], part.value)
            for source, part in scores.items()
            if document in ranks[source]
        )
        sections = vectors.get(document, ())[: settings.threeway.sections]
        candidates.append(Candidate(document, tuple(row.chunk for row in sections), score, sources))
    return replace(search, candidates=sort_candidates(candidates), search_type="hybrid")


def _fulltext_fallback(search: Search, settings: Settings) -> Search:
    """Rank documents by the lexical score of their best section, because there is no vector hit."""
    candidates = [
        Candidate(
            document,
            tuple(row.chunk for row in rows[: settings.threeway.sections]),
            explain_score(search, "lexical", rows[0]),
            (SourceRank("lexical", rank, rows[0].score),),
        )
        for rank, (document, rows) in enumerate(_group_by_document(search.ranking("lexical")).items(), start=1)
    ]
    search = replace(search, candidates=sort_candidates(candidates), search_type="fulltext_fallback")
    if "vector" not in search.lists:
        return search  # the stage `vector` has reported the reason
    return search.degrade("vector", "no_vector_hits", "no vector is similar to the query; ranked by full text alone")


def _group_by_document(ranking: Ranking) -> dict[str, tuple[ScoredChunk, ...]]:
    """Group a list by document, documents and their sections best first."""
    order = _number(dict.fromkeys(row.document for row in ranking))
    grouped = groupby(sorted(ranking, key=lambda row: order[row.document]), key=lambda row: row.document)
    return {document: tuple(rows) for document, rows in grouped}


def _number(documents: Iterable[str]) -> dict[str, int]:
    """Number documents from 1 on."""
    return {document: rank for rank, document in enumerate(documents, start=1)}


def _explain_similarity(search: Search, rows: tuple[ScoredChunk, ...], settings: Settings) -> Explanation:
    if not rows:
        return value(0.0, "no vector hit")
    numbers = settings.aggregate
    return aggregate([explain_score(search, "vector", row) for row in rows], numbers.best, numbers.mean, numbers.top)


def _explain_proximity(hops: int | None) -> Explanation:
    if hops is None:
        return value(0.0, "not reached along links")
    return value(proximity(hops), f"graph proximity = 1 / max(hops, 1), hops = {hops}")


def _explain_fulltext(search: Search, rows: tuple[ScoredChunk, ...], best: float) -> Explanation:
    if not rows:
        return value(0.0, "no full-text hit")
    return share_of_best("BM25F", explain_score(search, "lexical", rows[0]), best)
