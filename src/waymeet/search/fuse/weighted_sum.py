"""Stages of `auto` that combine scores of lists and of a document's sections."""

from collections import defaultdict
from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import detect_language, has_cjk
from waymeet.analysis.embedded.space_names import SHORT, part_spaces
from waymeet.analysis.word_classes import CLASS_WEIGHTS, classify_word
from waymeet.formulas.explanation import product, total, value, weighted
from waymeet.formulas.vector_weight import balanced_weight, code_vector_weight, weight_share
from waymeet.ports import choose_embedder, multilingual_embedder, word_idfs
from waymeet.search.fuse.fusion import (
    find_search_type,
    iterate_rows,
    place_below,
    sort_candidates,
    source_kind,
)
from waymeet.search.fuse.normalise import make_normaliser
from waymeet.search.state import Search, Tools
from waymeet.settings import Auto, Bm25, Settings
from waymeet.types import Candidate, Explanation

_JUDGED_ROWS = 20
"""Most similar chunks whose languages decide how much words can contribute."""
_FURTHER_SECTION = "further section of its document, behind the other results"


def weighted_sum(search: Search, tools: Tools, settings: Settings) -> Search:
    """Score chunks by `w·vector + (1 − w)·lexical` of normalised scores.

    In other languages than the query's, words match only names: there it is `f·vector + b·lexical`.
    """
    search_type = find_search_type(search)
    weights = _choose_weights(search, tools, settings.auto) if search_type == "hybrid" else None
    candidates = []
    other_language = _other_language_chunks(search, tools) if search.other_language else frozenset[str]()
    code = _other_language_code(search, tools) if search.other_language else frozenset[str]()
    normalise = {
        source: make_normaliser(search, source, settings.auto) for source, ranking in search.lists.items() if ranking
    }
    for rows, sources in iterate_rows(search):
        row = next(iter(rows.values()))
        normalised = {source: normalise[source](row) for source, row in rows.items()}
        if weights:
            is_other = row.chunk in other_language
            score = _sum_scores(normalised, weights.other_language if is_other else weights.same_language)
        else:
            score = max(normalised.values(), key=lambda part: part.value)
        if row.document in code:
            factor = value(settings.auto.code_factor_cross_lingual, "source code, query in another language")
            score = product("score × factor", score, factor)
        candidates.append(Candidate(row.document, (row.chunk,), score, sources))
    return replace(search, candidates=sort_candidates(candidates), search_type=search_type)


def _other_language_chunks(search: Search, tools: Tools) -> frozenset[str]:
    """List the chunks in another language than the query.

    For English they include those that only words found. For queries in other languages only names match, which is
    little evidence for a chunk that is not similar.
    """
    multilingual = multilingual_embedder(tools.embedders)
    if multilingual is None or detect_language(search.vector_text or search.text):
        return search.other_language
    languages = part_spaces(multilingual.space, tools.store.spaces())
    spaces = [space for space, language in languages.items() if language not in ("", SHORT)]
    if not spaces:
        return search.other_language
    compared = {row.chunk for row in search.ranking("vector")}
    others = [row.chunk for row in search.ranking("lexical") if row.chunk not in compared]
    return search.other_language | tools.store.chunks_with_vector(spaces, others)


def _other_language_code(search: Search, tools: Tools) -> frozenset[str]:
    """List the source files with sections that are compared with a query in another language."""
    documents = {row.document for row in search.ranking("vector") if row.chunk in search.other_language}
    return frozenset(id_ for id_, document in tools.store.documents(documents).items() if document.kind == "code")


class _Sum(NamedTuple):
    """A weighted sum of normalised scores."""

    description: str
    weights: Mapping[str, tuple[str, Explanation]]
    """The description of each part, and its weight, by list."""


class _Weights(NamedTuple):
    """The sums for chunks in the query's language and in others."""

    same_language: _Sum
    other_language: _Sum


def _make_sum(search: Search, description: str, vector: float, lexical: float) -> _Sum:
    """Make a sum over the lists of a search, with the weights of vectors and words."""
    by_kind = {"vector": vector, "lexical": lexical}
    weights = {source: by_kind.get(source_kind(source), 0.0) for source in search.lists}
    nodes = {source: (f"{source} × {weight:.4g}", value(weight, "weight")) for source, weight in weights.items()}
    return _Sum(description, nodes)


def _sum_scores(normalised: Mapping[str, Explanation], weights: _Sum) -> Explanation:
    parts = []
    for source, part in normalised.items():
        description, weight = weights.weights[source]
        parts.append(product(description, weight, part))
    return total(weights.description, *parts)


def _choose_weights(search: Search, tools: Tools, auto: Auto) -> _Weights:
    """Choose the weights, with less for vectors if some are missing or none is similar.

    The more of the most similar chunks are in other languages, the less words can tell: chunks in the query's language
    get a higher vector weight then, and a low similarity does not reduce it. The share counts by its square, because
    a few chunks are in another language in any collection.
    """
    first = search.ranking("vector")[:_JUDGED_ROWS]
    share = (sum(row.chunk in search.other_language for row in first) / max(len(first), 1)) ** 2
    weight = _weight_by_language(search, tools, auto)
    weight += (auto.vector_weight_mixed - weight) * share
    trust = _similarity_trust(search, auto)
    factor = search.vector_share * (trust + (1.0 - trust) * share)
    weight *= factor
    weight = balanced_weight(weight, (1.0 - weight) * _word_trust(search, tools, auto))
    lexical = _cross_lingual_lexical_weight(search, tools, auto)
    other_language = f"f·vector + {lexical:.4g}·lexical, f = {factor:.4g}: not in the query's language"
    return _Weights(
        _make_sum(search, f"w·vector + (1 − w)·lexical, w = {weight:.4g}", weight, 1.0 - weight),
        _make_sum(search, other_language, factor, lexical),
    )


def _cross_lingual_lexical_weight(search: Search, tools: Tools, auto: Auto) -> float:
    """Choose the lexical weight of chunks in another language than the query.

    English words occur in pages of all languages, in commands and code. A few of them match by chance, but a section
    with all content words is about the same names. In other languages only names match.
    """
    weight = auto.lexical_weight_cross_lingual
    if detect_language(search.vector_text or search.text) or not search.other_language:
        return weight
    coverage = _word_coverage(search, tools)
    return max(weight * coverage, auto.lexical_weight_english * coverage**2)


def _word_coverage(search: Search, tools: Tools) -> float:
    """Compute the share of the query's words that the best lexical hit contains.

    Words count by their IDF and by how much they say about the subject.
    """
    bm25, best = search.bm25 or Bm25(), [row.chunk for row in search.ranking("lexical")[:1]]
    weights: dict[str, float] = {}  # the stem of a word and the word itself are one
    for word, idf in zip(search.words, word_idfs(tools.store, search.words, bm25), strict=True):
        weight = CLASS_WEIGHTS[classify_word(word.token)] * idf
        weights[word.token] = min(weights.get(word.token, inf), weight)
    evidence = tools.store.lexical_evidence(search.words, best, bm25).values()
    names = {part.word for parts in evidence for part in parts}
    matched = {word.token for word in search.words if word.text in names}
    return sum(weights[token] for token in matched) / (sum(weights.values()) or 1.0)


def _word_trust(search: Search, tools: Tools, auto: Auto) -> float:
    """Compute the share of its weight that the lexical score keeps by the words in its best hit.

    Its score is normalised to 1 even if few words match. In scripts without spaces words are pairs of characters, of
    which a question has many, and some match by chance. In others a long query has words that no good hit contains.
    """
    if not auto.min_word_coverage or not has_cjk(search.text):
        return 1.0
    return weight_share(_word_coverage(search, tools), auto.min_word_coverage)


def _similarity_trust(search: Search, auto: Auto) -> float:
    """Compute the share of its weight that the vector score keeps by the best similarity."""
    if search.similarity_steps is None or not auto.min_similarity_steps:
        return 1.0
    return weight_share(search.similarity_steps, auto.min_similarity_steps)


def _weight_by_language(search: Search, tools: Tools, auto: Auto) -> float:
    """Choose the vector weight of chunks in the query's language."""
    if not tools.embedders:
        return _weight_by_corpus(tools, auto, is_main_model=True)
    embedder = choose_embedder(tools.embedders, detect_language(search.vector_text or search.text))
    return _weight_by_corpus(tools, auto, is_main_model=embedder is tools.embedders[0])


def _weight_by_corpus(tools: Tools, auto: Auto, *, is_main_model: bool) -> float:
    """Choose the vector weight by text length and by the share of code."""
    if auto.vector_weight is not None:
        return auto.vector_weight
    if not is_main_model:
        return auto.vector_weight_non_english
    profile = tools.store.corpus_profile()
    short, long = auto.vector_weight_short_text, auto.vector_weight_prose
    prose = short + (long - short) * profile.text_length
    sections_per_file = profile.chunks / max(profile.documents, 1)
    code = code_vector_weight(sections_per_file, auto.vector_weight_single_function, auto.vector_weight_prose)
    return prose + (code - prose) * profile.code_share


def aggregate_sections(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lower the score of a section if its document has few other matching sections."""
    max_sections, share = settings.auto.document_sections, settings.auto.document_share
    by_document: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in search.candidates:
        by_document[candidate.document].append(candidate)
    counts = {document: number for document, number in tools.store.chunk_counts(by_document).items() if number > 1}
    if not counts or not share:
        return search.skip("no document has several sections" if share else "setting auto.document_share is 0")
    aggregated = [candidate for candidate in search.candidates if candidate.document not in counts]
    factor_of_others: dict[int, Explanation] = {}
    for document, number in counts.items():
        considered = min(number, max_sections)
        first, *others = by_document[document]
        scores = [candidate.score.value for candidate in by_document[document][:considered]]
        relative_sum = sum(scores) / scores[0] if scores[0] > 0.0 else 1.0
        mean = value(relative_sum / considered, f"mean of top {considered} sections ÷ this section")
        aggregated.append(_multiply_score(first, _document_factor(mean, share)))
        if others and considered not in factor_of_others:
            own = value(1.0 / considered, f"1 / {considered}: not the best section of its document")
            factor_of_others[considered] = _document_factor(own, share)
        aggregated.extend(_multiply_score(candidate, factor_of_others[considered]) for candidate in others)
    return replace(search, candidates=sort_candidates(aggregated))


def _document_factor(mean: Explanation, share: float) -> Explanation:
    """Compute `(1 − s) + s·mean`."""
    document = weighted(share, "mean", mean)
    return total("document factor = (1 − s) + s·mean", value(1.0 - share, f"1 − s, s = {share:g}"), document)


def _multiply_score(section: Candidate, factor: Explanation) -> Candidate:
    return replace(section, score=product("score × document factor", section.score, factor))


def limit_per_document(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Place all but the best few sections of each document behind the other candidates."""
    counts: defaultdict[str, int] = defaultdict(int)
    leading: list[Candidate] = []
    further: list[Candidate] = []
    for candidate in search.candidates:
        counts[candidate.document] += 1
        is_leading = counts[candidate.document] <= settings.auto.per_document
        (leading if is_leading else further).append(candidate)
    return replace(search, candidates=(*leading, *place_below(leading, further, _FURTHER_SECTION)))
