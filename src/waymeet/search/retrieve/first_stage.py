"""Stages that make ranked lists: lexical, vector and graph."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis.embedded.space_names import file_space, student_space
from waymeet.analysis.keys import file_name_key, path_key
from waymeet.analysis.languages import detect_language, language_name
from waymeet.errors import EmbeddingError
from waymeet.formulas.bm25 import explain_bm25f
from waymeet.formulas.relevance import SURE_STEPS
from waymeet.ports import choose_embedder
from waymeet.search.retrieve.dense import (
    VectorResult,
    comparable_spaces,
    describe_error,
    rank_by_vector,
    spaces_of,
    student_trust,
)
from waymeet.search.retrieve.embed_on_demand import OnDemandEmbedder
from waymeet.search.retrieve.graph_walk import walk
from waymeet.search.state import Search, Tools
from waymeet.settings import Bm25, Settings, StudentVectors
from waymeet.types import Explanation, Filters, Ranking

LEXICAL_MODES = frozenset({"bm25_only", "keyword"})
_VECTOR_MODES = frozenset({"vec_only", "vector"})
_MIN_COMPARABLE_SHARE = 0.1
"""Share of sections with a vector below which a list of them is used only if one is clearly similar."""
_MAX_EXPLAINED = 200
"""Chunks whose lexical scores are explained: more than an answer shows."""


def adapt_length_norm(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lower BM25's length normalisation b of the body if texts are short.

    Among texts of a few words, a longer one is more informative rather than more verbose.
    """
    text_length = tools.store.corpus_profile().text_length
    usual = settings.bm25.b.body
    norm = round(settings.auto.short_text_b + (usual - settings.auto.short_text_b) * text_length, 2)
    if text_length >= 1.0 or norm >= usual:
        return search.skip("texts are long; length normalisation unchanged")
    return replace(search, bm25=replace(settings.bm25, b=replace(settings.bm25.b, body=norm)))


def lexical(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank chunks by the query's words with BM25F."""
    if search.mode in _VECTOR_MODES:
        return search.skip(f"mode {search.mode}")
    if not search.words:
        return search.skip("no words")
    bm25 = search.bm25 or settings.bm25
    ranking = tools.store.rank_lexical(search.words, pool_size(search, tools, settings), search.filters, bm25)
    if search.query.explain and ranking:
        search = replace(search, lexical_explanations=_explain_lexical(search, tools, ranking, bm25))
    return replace(search, lists={**search.lists, "lexical": ranking})


def _explain_lexical(search: Search, tools: Tools, ranking: Ranking, bm25: Bm25) -> dict[str, Explanation]:
    chunks = [row.chunk for row in ranking[:_MAX_EXPLAINED]]
    evidence = tools.store.lexical_evidence(search.words, chunks, bm25)
    number = tools.store.corpus_profile().chunks
    return {chunk: explain_bm25f(words, number, bm25.k1) for chunk, words in evidence.items() if words}


def vector(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank chunks by cosine similarity of their vectors to the query's."""
    return _rank_by_similarity(search, tools, settings, whole_files=False)


def file_vector(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank files by the cosine of their own vector or of their best section to the query's.

    A query that is the name or path of a file means that file, not similar ones.
    """
    if search.mode not in _VECTOR_MODES and _is_file_name(search.vector_text or search.text, tools):
        return search.skip("the query is the name of a file")
    search = _rank_by_similarity(search, tools, settings, whole_files=True)
    if search.skipped:
        return search
    embedded, files = _count_embedded_files(tools), tools.store.corpus_profile().documents
    if embedded >= files or any(entry.code == "partial_vectors" for entry in search.degraded):
        return search
    detail = f"{embedded} of {files} files have a vector of their own so far"
    return search.degrade("vector", "partial_vectors", detail)


def _is_file_name(text: str, tools: Tools) -> bool:
    """Return whether a text is the path of a file, or its name with the extension."""
    name = text.strip()
    if not ("." in name or "/" in name):
        return False
    return bool(tools.store.documents_by_key([path_key(name), file_name_key(name)]))


def _count_embedded_files(tools: Tools) -> int:
    """Count the files that have a vector of their own."""
    return tools.store.coverage(list(map(file_space, spaces_of(tools.embedders))))[0]


def _rank_by_similarity(search: Search, tools: Tools, settings: Settings, *, whole_files: bool) -> Search:
    if search.mode in LEXICAL_MODES or not search.text.strip():
        return search.skip(f"mode {search.mode}" if search.text.strip() else "empty query")
    if not tools.embedders:
        return search.miss("vector", "no_model", "no embedding model configured; vector search skipped")
    text, limit = search.vector_text or search.text, pool_size(search, tools, settings)
    language = detect_language(text)
    spaces = comparable_spaces(tools, language)
    coverage = _count_vectors(tools, spaces, language, settings.student)
    embedded, chunks = coverage.embedded, coverage.chunks
    on_demand = None
    if embedded + tools.failed_chunks < chunks:
        on_demand = OnDemandEmbedder(tools, search.ranking("lexical"), settings.embedding.on_demand_seconds)
    has_vectors = embedded or coverage.approximate or (on_demand and on_demand.has_chunks)
    if not has_vectors and not (whole_files and _count_embedded_files(tools)):
        detail = f"no vectors for {' or '.join(spaces)} yet: run `waymeet index`"
        return search.miss("vector", "no_vectors", detail) if chunks else search.skip("nothing is indexed")
    try:
        result = rank_by_vector(
            tools,
            text,
            limit,
            search.filters,
            student=settings.student,
            on_demand=on_demand,
            whole_files=whole_files,
        )
    except EmbeddingError as error:
        return search.miss("vector", "embedding_failed", describe_error(error))
    return _add_vector_list(search, result, on_demand, coverage)


def _count_vectors(tools: Tools, spaces: Sequence[str], language: str, student: StudentVectors) -> "_Coverage":
    """Count the sections that can be compared with a query in a language."""
    embedded, chunks = tools.store.coverage(spaces)
    is_unsupported = not any(embedder.supports_language(language) for embedder in tools.embedders)
    approximate = student_space(tools.embedders[0].space)
    if spaces != spaces_of(tools.embedders) or not student.weight or approximate not in tools.store.spaces():
        return _Coverage(embedded, chunks, language, is_unsupported)
    number = tools.store.coverage([*spaces, approximate])[0] - embedded
    trust = student_trust(tools, student.usual_trust)
    return _Coverage(embedded, chunks, language, is_unsupported, number, trust, student.weight)


class _Coverage(NamedTuple):
    """How many sections can be compared with a query."""

    embedded: int
    chunks: int
    language: str
    """The language of the query; empty for English and code."""
    is_unsupported: bool = False
    """Whether no model supports it."""
    approximate: int = 0
    """Sections with an approximate vector instead."""
    trust: float = 0.0
    """How far approximate vectors can be trusted."""
    student_weight: float = 0.0

    @property
    def student_share(self) -> float:
        """Weight of all approximate vectors, as a share of that of true vectors of all sections."""
        return self.student_weight * self.trust * self.approximate / self.chunks

    def __str__(self) -> str:
        if not self.language and self.approximate:
            approximate = f"{self.approximate} an approximate one (trust {self.trust:.2f})"
            return f"{self.embedded} of {self.chunks} sections have a vector, {approximate}"
        if not self.language:
            return f"{self.embedded} of {self.chunks} sections have a vector"
        language = language_name(self.language)
        return f"{self.embedded} of {self.chunks} sections can be compared with a query in {language}"


def _add_vector_list(
    search: Search, result: VectorResult, on_demand: OnDemandEmbedder | None, coverage: _Coverage
) -> Search:
    """Add the list to the search, and report sections without a vector and a model that failed."""
    comparable = coverage.embedded + coverage.approximate
    is_sparse = comparable < _MIN_COMPARABLE_SHARE * coverage.chunks and not (on_demand and on_demand.embedded)
    if is_sparse and result.similarity_steps is not None and result.similarity_steps < SURE_STEPS:
        detail = f"{coverage}, and none of them is similar: run `waymeet index`"
        return search.miss("vector", "no_vectors", detail)
    search = replace(
        search,
        lists={**search.lists, "vector": result.ranking},
        other_language=result.other_language,
        approximate=result.approximate,
        student_share=coverage.student_share,
        vector_coverage=coverage.embedded / coverage.chunks,
        similarity_steps=result.similarity_steps,
        top_coverage=on_demand.coverage if on_demand else 0.0,
    )
    if result.failure:
        search = search.degrade("vector", "embedding_failed", result.failure)
    if coverage.is_unsupported:
        detail = f"no embedding model was trained on {language_name(coverage.language)}; similarities may be wrong"
        search = search.degrade("vector", "unsupported_language", detail)
    if on_demand:
        verb = "was" if on_demand.embedded == 1 else "were"
        added = f"; {on_demand.embedded} {verb} embedded for this query" if on_demand.embedded else ""
        return search.degrade("vector", "partial_vectors", f"{coverage} so far{added}")
    return search


def trim_lexical(search: Search, _tools: Tools, settings: Settings) -> Search:
    """End the lexical list where its scores are weak, before it is fused by rank with another.

    Otherwise any section with one of the query's words lends a wrong vector hit almost the score of the best match.
    """
    ranking = search.ranking("lexical")
    if not ranking or not search.ranking("vector") or "vector" in search.unfused:
        return search.skip("only one list")
    least = settings.rrf.min_lexical * ranking[0].score
    strong = tuple(row for row in ranking if row.score >= least)
    if len(strong) == len(ranking):
        return search.skip("no weak scores")
    return replace(search, lists={**search.lists, "lexical": strong})


def trim_vector(search: Search, tools: Tools, settings: Settings) -> Search:
    """Leave the vectors of a secondary model out of the fusion if words have a clear best match.

    A fusion by rank gives both lists the same weight. The secondary model, for other languages than the main one's, is
    less reliable than words, unless most of what it finds is in another language than the query.
    """
    words, vectors = search.ranking("lexical"), search.ranking("vector")
    if not words or not vectors or not settings.rrf.clear_lexical:
        return search.skip("only one list" if settings.rrf.clear_lexical else "setting rrf.clear_lexical is 0")
    if choose_embedder(tools.embedders, detect_language(search.vector_text or search.text)) is tools.embedders[0]:
        return search.skip("vectors of the main model")
    if search.is_cross_lingual:
        return search.skip("most similar sections are in another language")
    second = words[1].score if len(words) > 1 else 0.0
    if second > settings.rrf.clear_lexical * words[0].score:
        return search.skip("no section matches the words best by far")
    return replace(search, unfused=frozenset({"vector"}))


def pool_size(search: Search, tools: Tools, settings: Settings) -> int:
    """Compute how many chunks a list retrieves."""
    return max(search.pool_results * settings.pool.factor, settings.pool.least(tools.store.corpus_profile().chunks))


def defer_type_filter(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Apply the filter by document type to the result only.

    Links may lead through documents of other types.
    """
    types = search.filters.doc_types
    if not types:
        return search.skip("no filter by type")
    return replace(search, filters=replace(search.filters, doc_types=()), deferred_filters=Filters(doc_types=types))


def graph_proximity(search: Search, tools: Tools, settings: Settings) -> Search:
    """Walk along links, in both directions, from the best documents of the vector list."""
    documents = dict.fromkeys(row.document for row in search.ranking("vector"))
    starts = list(documents)[: search.pool_results * settings.pool.seeds]
    if not starts:
        return search.skip("no vector results to start from")
    depth = settings.graph.depth if search.query.depth is None else search.query.depth
    reached, truncated = walk(tools.store, starts, depth, search.query.link_types, settings.graph.fan_out)
    allowed = tools.store.first_passing_chunks([each.document for each in reached], search.filters)
    search = replace(search, reached=tuple(each for each in reached if each.document in allowed))
    if truncated:
        return report_fan_out(search, truncated, settings)
    return search


def report_fan_out(search: Search, truncated: Sequence[str], settings: Settings) -> Search:
    """Report documents with more neighbours than the walk follows."""
    names = ", ".join(truncated[:3]) + (f" and {len(truncated) - 3} more" if len(truncated) > 3 else "")
    detail = f"more than {settings.graph.fan_out} neighbours (graph.fan_out): only the first were followed from {names}"
    return search.degrade("graph", "fan_out", detail)
