"""Estimate how relevant the best result of a project is, for less than a tenth of the cost of a search.

A search over several projects runs it first, and searches only the projects with the best estimates. It reads the
beginning of the lexical and of the vector list, as the first stages of a recipe make them. Stages that correct words
run only on request: a word that one project lacks is more likely to be found in another one than misspelt.
"""

from typing import NamedTuple

from msgspec.structs import replace

from waymeet.search.pipeline import iterate_stages, start
from waymeet.search.retrieve.first_stage import adapt_length_norm, lexical, vector
from waymeet.search.shape.relevance import estimate_best
from waymeet.search.state import Recipe, Tools
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.function_words import weigh_function_words
from waymeet.search.understand.query import understand
from waymeet.search.understand.spelling import correct_spelling
from waymeet.search.understand.transliteration import transliterate
from waymeet.settings import Settings
from waymeet.types import Query

_HEAD = 3
"""Sections read from each list."""
_CORRECTIONS = (correct_spelling, transliterate, expand_acronyms)


class Estimate(NamedTuple):
    """What the beginning of the lists says about a project."""

    relevance: float
    """Estimated relevance of the best result."""
    unknown: frozenset[str]
    """Words of the query that do not occur in the project."""


def estimate_project(
    recipe: Recipe, query: Query, tools: Tools, settings: Settings, *, corrected: bool = False
) -> Estimate:
    """Estimate the relevance of the best result, on request after words were corrected."""
    search = start(recipe, query, pool_limit=_HEAD)
    corrections = _CORRECTIONS if corrected else ()
    stages = (understand, *corrections, weigh_function_words, adapt_length_norm, lexical, vector)
    with tools.store.snapshot():
        for _, after in iterate_stages(replace(recipe, stages=stages), search, tools, settings):
            search = after
        frequencies = tools.store.chunk_frequencies(search.words, settings.bm25)
        unknown = (word.text for word, number in zip(search.words, frequencies, strict=True) if not number)
        return Estimate(estimate_best(search, tools, settings), frozenset(unknown))
