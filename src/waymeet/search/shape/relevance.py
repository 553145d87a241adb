"""Estimate the relevance of an answer and its hits from matched words and cosine similarity.

Unlike a fused score, this evidence is comparable between recipes. No model runs here: the cosines are those of the
vector list. The relevance of a hit is the chance that one of the best hits answers the query, multiplied by the chance
that this one does.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from waymeet.analysis import detect_language, list_terms
from waymeet.analysis.embedded.space_names import student_space
from waymeet.formulas.answered import APPROXIMATE_STEPS, AnswerFeatures, estimate_answered
from waymeet.formulas.explanation import product
from waymeet.formulas.relevance import MAX_MATCHED_IDF, Features, estimate_relevance, similarity_steps
from waymeet.ports import word_idfs
from waymeet.search.retrieve.dense import comparable_spaces, spaces_of
from waymeet.search.shape.word_evidence import FoundWords, WordEvidence, has_only_unknown_words, weigh_words
from waymeet.search.state import Search, Tools
from waymeet.search.understand.transliteration import sounding_word
from waymeet.search.understand.unknown_names import is_about_unknown_names
from waymeet.settings import Bm25, Settings
from waymeet.types import Chunk, Document, Evidence, Explanation, Word

JUDGED_HITS = 10
"""Leading hits that decide whether an answer is of low relevance, even if fewer are shown."""
_HEADING_FIELDS = frozenset({"title", "headings"})
_MISSING_VECTORS = frozenset({"partial_vectors", "no_vectors"})
"""Codes of answers for which sections without a vector remain."""


class _QueryTerms(NamedTuple):
    """The terms of a query with their IDF, and the chunks that contain them."""

    terms: frozenset[str]
    idf: Mapping[str, float]
    """IDF of each word, as written."""
    max_idf: float
    """IDF of a word that occurs in no chunk."""
    evidence: Mapping[str, tuple[Evidence, ...]]
    """Matched words by chunk."""
    weighed: WordEvidence
    """The words with the weights by which it is estimated whether there is an answer."""

    def found_words(self, chunks: Collection[str]) -> list[FoundWords]:
        """Weigh the words that each of the chunks contains."""
        return [self.weighed.find({each.word for each in self.evidence.get(chunk, ())}) for chunk in chunks]


class _Similarity(NamedTuple):
    """Cosine similarity in steps above the noise level of its model."""

    steps: Mapping[str, float]
    """Steps by chunk, as far as known."""
    best: float | None
    """Steps of the nearest chunk."""
    is_uncalibrated: bool
    """Whether there is a vector list, but of a model whose noise level is unknown."""


class RelevanceVerdict(NamedTuple):
    """The estimated relevance of each hit and of all together."""

    estimates: list[Explanation | None]
    """Estimated relevance of each hit, None if there is no evidence."""
    is_low: bool
    """Whether it is unlikely that one of the leading hits answers the query."""
    has_matches: bool
    """Whether a leading hit contains a word of the query that is no function word."""


def judge_relevance(
    search: Search, tools: Tools, settings: Settings, shown: Sequence[tuple[Document, Sequence[Chunk]]]
) -> RelevanceVerdict:
    """Estimate whether a leading hit answers the query, and the relevance of each hit.

    A hit is judged by its best section.
    """
    ids = [chunk.id for _, chunks in shown for chunk in chunks]
    leading_ids = {chunk.id for _, chunks in shown[:JUDGED_HITS] for chunk in chunks}
    query = _query_terms(search, tools, settings.bm25, ids)
    similarity = _similarity(search, tools, ids)
    found = query.found_words(leading_ids)
    answered = estimate_answered(_answer_features(search, tools, query, found, similarity.best))
    hits = []
    for document, chunks in shown:
        sections = [estimate for chunk in chunks if (estimate := _estimate(search, query, similarity, document, chunk))]
        best = max(sections, key=lambda estimate: estimate.value, default=None)
        hits.append(best and product("estimated relevance = product of two chances", answered, best))
    # A hit without evidence may be relevant.
    is_known = bool(hits) and all(estimate is not None for estimate in hits[:JUDGED_HITS])
    is_low = (is_known and answered.value < settings.relevance.min) or is_about_unknown_names(search)
    return RelevanceVerdict(hits, is_low, any(words.has_match for words in found))


def nearest_steps(search: Search, tools: Tools) -> float | None:
    """Convert the cosine of the nearest section to steps above the noise level.

    None if it is not known.
    """
    return _similarity(search, tools, ()).best


def _answer_features(
    search: Search, tools: Tools, query: _QueryTerms, found: Sequence[FoundWords], nearest_steps: float | None
) -> AnswerFeatures:
    """Collect the evidence that one of the leading hits answers the query."""
    nearest = search.ranking("vector")[:1]
    return AnswerFeatures(
        word_share=max((words.share for words in found), default=0.0),
        found_words=max((words.number for words in found), default=0.0),
        known_share=query.weighed.known_share,
        sections=tools.store.corpus_profile().chunks,
        similarity_steps=nearest_steps,
        is_other_language=any(row.chunk in search.other_language for row in nearest),
        is_unknown=not detect_language(search.text) and has_only_unknown_words(search.text, query.weighed),
        is_partial=any(degraded.code == "partial_vectors" for degraded in search.degraded),
    )


def _query_terms(search: Search, tools: Tools, bm25: Bm25, chunks: Sequence[str]) -> _QueryTerms:
    """Look up the IDF of the query's words and of words that sound like them."""
    terms = frozenset(list_terms(search.text))
    words = [word for word in search.words if _is_of_query(word, terms)]
    *idfs, max_idf = word_idfs(tools.store, (*words, Word(())), bm25)
    sources = {source for word in words if (source := sounding_word(word))}
    idf_by_word: dict[str, float] = {}
    for word, idf in zip(words, idfs, strict=True):
        name = word.text or " ".join(word.terms)
        is_replaced = idf >= max_idf and any(word.token.lower() in source for source in sources)
        if not is_replaced:
            idf_by_word[name] = max(idf, idf_by_word.get(name, 0.0))
    words = [word for word in words if (word.text or " ".join(word.terms)) in idf_by_word]
    evidence = tools.store.lexical_evidence(words, chunks, bm25) if words else {}
    return _QueryTerms(terms, idf_by_word, max_idf, evidence, weigh_words(search, words, idf_by_word, max_idf))


def _is_of_query(word: Word, terms: frozenset[str]) -> bool:
    """Check whether a word is one of the query, given by its terms, or sounds like one."""
    return word.text.endswith("*") or not terms.isdisjoint(word.terms) or bool(sounding_word(word))


def _similarity(search: Search, tools: Tools, chunks: Sequence[str]) -> _Similarity:
    """Convert cosines to steps above the noise level.

    A chunk that is not in the vector list is at most as similar as the last one there, unless vectors are missing.
    """
    ranking = search.ranking("vector")
    space = _first_space(tools, detect_language(search.vector_text or search.text))
    if not ranking or similarity_steps(space, 0.0) is None:
        return _Similarity({}, None, is_uncalibrated=bool(ranking))
    spaces = spaces_of(tools.embedders)
    compared, _ = tools.store.coverage([*spaces, *map(student_space, spaces)])
    listed = {row.chunk: row.score for row in ranking}
    is_complete = (search.vector_coverage or 0.0) >= 1.0
    upper_bounds = dict.fromkeys(chunks, ranking[-1].score) if is_complete else {}
    cosines = {**upper_bounds, **{chunk: listed[chunk] for chunk in chunks if chunk in listed}}

    def to_steps(chunk: str, cosine: float) -> float:
        shift = APPROXIMATE_STEPS if chunk in search.approximate else 0.0
        return (similarity_steps(space, cosine, compared) or 0.0) - shift

    steps = {chunk: to_steps(chunk, cosine) for chunk, cosine in cosines.items()}
    nearest = ranking[0]
    is_approximate = nearest.chunk in search.approximate
    best = to_steps(nearest.chunk, nearest.score) if is_approximate else search.similarity_steps
    return _Similarity(steps, best, is_uncalibrated=False)


def _first_space(tools: Tools, language: str) -> str:
    """Return the space on whose scale the similarities of a query are, or the empty string."""
    stored = tools.store.spaces()
    spaces = comparable_spaces(tools, language)
    return next((space for space in spaces if space in stored or student_space(space) in stored), "")


def _estimate(
    search: Search, query: _QueryTerms, similarity: _Similarity, document: Document, chunk: Chunk
) -> Explanation | None:
    """Estimate the relevance of a chunk.

    None if only an uncalibrated model found it, or if it is in another language than the query and has no vector yet.
    """
    fields_by_word = {evidence.word: evidence.fields for evidence in query.evidence.get(chunk.id, ())}
    steps = similarity.steps.get(chunk.id)
    if steps is None and not fields_by_word and (similarity.is_uncalibrated or not query.idf):
        return None
    if steps is None and _lacks_vector(search) and detect_language(chunk.text) != detect_language(search.text):
        return None
    query_idf = sum(query.idf.values()) or 1.0
    matched_idf = sum(query.idf[word] for word in fields_by_word)
    heading_idf = sum(
        query.idf[word] for word, fields in fields_by_word.items() if not _HEADING_FIELDS.isdisjoint(fields)
    )
    overlap = 0.0
    if heading_idf:
        overlap = max(_overlap(document.title, query.terms), _overlap(" ".join(chunk.headings), query.terms))
    return estimate_relevance(
        Features(
            idf_coverage=matched_idf / query_idf,
            matched_idf=min(matched_idf / query.max_idf, MAX_MATCHED_IDF),
            title_overlap=heading_idf / query_idf * overlap,
            similarity_steps=steps,
            is_other_language=chunk.id in search.other_language,
        )
    )


def _lacks_vector(search: Search) -> bool:
    """Check whether a section may have no vector yet."""
    return any(degraded.code in _MISSING_VECTORS for degraded in search.degraded)


def _overlap(text: str, query_terms: frozenset[str]) -> float:
    """Return the share of a title's terms that occur in the query."""
    terms = set(list_terms(text))
    return len(terms & query_terms) / len(terms) if terms else 0.0
