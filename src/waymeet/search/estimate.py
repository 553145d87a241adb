"""Estimate whether a project answers a query, for about a tenth of the cost of a search.

A search over several projects runs it first, and searches the likeliest ones. The evidence is that of
`formulas.answered`, from less: the nearest section, and the best lexical score in place of the words that sections
contain. Stages that correct words run only on request: a word that one project lacks is more likely to be in another
one than misspelt.
"""

from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis.embedded.space_names import student_space
from waymeet.errors import EmbeddingError
from waymeet.formulas.answered import AnswerFeatures, estimate_answered
from waymeet.ports import word_idfs
from waymeet.search.pipeline import iterate_stages, start
from waymeet.search.retrieve.dense import rank_by_vector, spaces_of
from waymeet.search.retrieve.first_stage import LEXICAL_MODES, lexical
from waymeet.search.shape.relevance import nearest_steps
from waymeet.search.state import Recipe, Search, Tools
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.function_words import weigh_function_words
from waymeet.search.understand.query import understand
from waymeet.search.understand.spelling import correct_spelling
from waymeet.search.understand.transliteration import transliterate
from waymeet.settings import Settings
from waymeet.types import Query, Word

_CORRECTIONS = (correct_spelling, transliterate, expand_acronyms)
_SHARE_OF_SCORE = 1.4
"""Share of the query's words that a section contains, divided by its score as a share of their summed IDF; set by
hand with eight collections in view."""

_MIN_COMPARED = 0.9
"""Share of sections with a vector, approximate ones included, below which words count as well."""


class Estimate(NamedTuple):
    """What the best scores say about a project."""

    answered: float
    """Estimated chance that a section answers the query."""
    unknown: frozenset[str] = frozenset()
    """Words of the query that do not occur in the project."""
    is_by_words: bool = False
    """Whether words alone decide, because the project or a part of it has no vectors to compare."""


class _Words(NamedTuple):
    """The words of a query in a project."""

    share: float
    """Estimated share of the words that the best section contains, weighted by IDF."""
    known_share: float
    """Share of the words that occur in the project, weighted by IDF."""
    unknown: frozenset[str]


def estimate_project(
    recipe: Recipe, query: Query, tools: Tools, settings: Settings, *, corrected: bool = False
) -> Estimate:
    """Estimate whether a project answers a query, on request after words were corrected."""
    corrections = _CORRECTIONS if corrected else ()
    stages = (understand, *corrections, weigh_function_words, lexical)
    search = start(recipe, query, pool_limit=1)
    with tools.store.snapshot():
        for _, after in iterate_stages(replace(recipe, stages=stages), search, tools, settings):
            search = after
        words = _weigh_words(search, tools, settings)
        search = _add_nearest(search, tools, settings)
        nearest, (compared, chunks) = search.ranking("vector")[:1], _count_compared(tools)
        features = AnswerFeatures(
            word_share=words.share,
            found_words=words.share * len({word.token for word in search.words}),
            known_share=words.known_share,
            sections=chunks,
            similarity_steps=nearest_steps(search, tools) if nearest else None,
            is_other_language=any(row.chunk in search.other_language for row in nearest),
            is_partial=compared < _MIN_COMPARED * chunks,
        )
    is_by_words = features.similarity_steps is None or features.is_partial
    return Estimate(estimate_answered(features).value, words.unknown, is_by_words)


def _add_nearest(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add the nearest section as a list. Without one, words decide."""
    if not tools.embedders or search.mode in LEXICAL_MODES or not search.text.strip():
        return search
    text = search.vector_text or search.text
    try:
        result = rank_by_vector(tools, text, 1, search.filters, student=settings.student)
    except EmbeddingError:  # the search reports it
        return search
    return replace(
        search,
        lists={**search.lists, "vector": result.ranking},
        other_language=result.other_language,
        approximate=result.approximate,
        similarity_steps=result.similarity_steps,
    )


def _count_compared(tools: Tools) -> tuple[int, int]:
    """Count the sections that have a vector, approximate ones included, and all sections."""
    spaces = spaces_of(tools.embedders)
    return tools.store.coverage([*spaces, *map(student_space, spaces)])


def _weigh_words(search: Search, tools: Tools, settings: Settings) -> _Words:
    """Estimate from the best lexical score how many of the query's words its section contains."""
    *idfs, max_idf = word_idfs(tools.store, (*search.words, Word(())), settings.bm25)
    weights = [(word, idf, word.weight * idf) for word, idf in zip(search.words, idfs, strict=True)]
    known = {word.token for word, idf, _ in weights if idf < max_idf}
    whole = sum(weight for _, _, weight in weights) or 1.0
    best = max((row.score for row in search.ranking("lexical")), default=0.0)
    return _Words(
        min(_SHARE_OF_SCORE * best / whole, 1.0),
        sum(weight for word, _, weight in weights if word.token in known) / whole,
        frozenset(word.token for word in search.words) - known,
    )
