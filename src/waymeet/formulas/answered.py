"""Estimate the probability that one of the best hits answers the query.

The nearest sections of a project have high scores even if the project has nothing about the subject. The evidence
against that is raw: how much of the query is found in one hit, how many of its words occur anywhere, and by how much
the best cosine exceeds those of unrelated texts. It does not depend on the order of hits or on fused scores.

It is a logistic regression, computed as `1 / (1 + odds)`, where each feature is a factor of the odds against. The
coefficients were fitted on queries with a relevant document among the ten best hits, and on questions that the
documents do not answer, in whole collections and in folders of 7 and 30 documents; `benchmarks/relevance.py` measures
it, and `docs/ranking.md` has the result. It is assumed that four of five queries have an answer. No coefficient is
below 0, so that more evidence never lowers the estimate.

>>> strange = AnswerFeatures(word_share=0.15, found_words=1.0, known_share=0.3, sections=300)
>>> round(estimate_answered(strange).value, 2)
0.11
>>> [round(estimate_answered(strange._replace(similarity_steps=steps)).value, 2) for steps in (0.2, 1.5)]
[0.02, 0.95]
"""

from collections.abc import Iterator
from math import exp, log
from typing import NamedTuple

from waymeet.formulas.explanation import largest, product, quotient, total, value
from waymeet.types import Explanation

SHORT_WEIGHT = 0.3
"""Weight of numbers and single characters, relative to other words of the same IDF."""
CORRECTED_CREDIT = 0.5
"""Share of its weight that a found word counts if its spelling was corrected: the correction may be wrong."""
SOUND_CREDIT = 0.8
"""The same for a word in another script if a word that sounds like it is found."""
MAX_QUERY_WEIGHT = 6.0
"""Weight of a query, in IDF of words that occur nowhere, of which a share must be found; more words need not be."""
_MAX_FOUND_WORDS = 5.0
"""Upper bound of the feature `found_words`; more adds no information."""
APPROXIMATE_STEPS = 0.45
"""Steps by which the noise level of approximate vectors is above that of true ones: the median of seven collections."""
_MIN_SHARE = 0.1
"""Added to the share of words, whose logarithm is used."""
_MANY_SECTIONS = 20_000
"""Sections from which on the size of a project does not count. In a small one, fewer words match by chance."""
_FEW_SECTIONS = 10
"""Sections below which it does not count either."""


class AnswerFeatures(NamedTuple):
    """Features of an answer from which it is estimated whether a hit answers the query."""

    word_share: float
    """Largest share of the query's words found in one hit, weighted by IDF and by what each word tells."""
    found_words: float
    """Largest number of words in one hit, without common and function words."""
    known_share: float
    """Share of the query's words that occur in the index, as written."""
    sections: int
    """Number of sections in the index."""
    similarity_steps: float | None = None
    """Best cosine in steps above the noise level of its model; None if it is not known."""
    is_other_language: bool = False
    """Whether the section with this cosine is in another language than the query."""
    is_unknown: bool = False
    """Whether no word of the query is known: none occurs in the index, and none is a common English word."""
    is_partial: bool = False
    """Whether sections without a vector remain, which only words can find."""


class AnswerCoefficients(NamedTuple):
    """Coefficients of the logistic regression: the intercept, and one for each feature."""

    name: str
    intercept: float
    word_share: float = 0.0
    log_share: float = 0.0
    """Of the logarithm of `word_share`. Without vectors, the first word that is found counts most."""
    found_words: float = 0.0
    known_share: float = 0.0
    size: float = 0.0
    similarity: float = 0.0


LEXICAL = AnswerCoefficients("words", -0.5, log_share=3.9, found_words=0.29, known_share=3.0, size=0.71)
HYBRID = AnswerCoefficients("words and cosine", -6.8, word_share=4.2, size=0.33, similarity=5.2)
"""Set a little below the fitted values, so that 96 % of the answered queries are not marked even if no word matched:
the labelled queries share more words with their answers than other questions do."""
CROSS_LINGUAL = AnswerCoefficients("cosine to another language", -2.3, similarity=4.9)
UNKNOWN_WORDS = AnswerCoefficients("cosine to another language, no word is known", -4.5, similarity=4.9)
"""Cosines of letters that are no words reach 0.86 steps in Chinese and Japanese documents."""


def estimate_answered(features: AnswerFeatures) -> Explanation:
    """Estimate the probability that one of the hits answers the query.

    Where several kinds of evidence apply, the largest estimate counts: sections without a vector are judged by words,
    sections in another language than the query by cosine.
    """
    estimates = [_estimate(features, weights) for weights in _choose_coefficients(features)]
    return estimates[0] if len(estimates) == 1 else largest("largest estimate", *estimates)


def _choose_coefficients(features: AnswerFeatures) -> Iterator[AnswerCoefficients]:
    if features.similarity_steps is None or features.is_partial:
        yield LEXICAL
    if features.similarity_steps is not None:
        yield HYBRID
        if features.is_other_language:
            yield UNKNOWN_WORDS if features.is_unknown else CROSS_LINGUAL


def _estimate(features: AnswerFeatures, weights: AnswerCoefficients) -> Explanation:
    one = value(1.0, "1")
    odds = product("odds against an answer = product of factors", *_odds_factors(features, weights))
    description = f"chance that a result answers the query, by {weights.name} = 1 / (1 + odds)"
    return quotient(description, one, total("1 + odds", one, odds))


def _odds_factors(features: AnswerFeatures, weights: AnswerCoefficients) -> Iterator[Explanation]:
    """Yield the factors of the odds: intercept and features."""
    yield value(exp(-weights.intercept), f"base odds = exp({-weights.intercept:g})")
    share = features.word_share
    if weights.word_share:
        yield _odds_factor(weights.word_share, share, f"share of query words found in one result: {share:.0%}")
    if weights.log_share:
        scale = f"ln((share + {_MIN_SHARE:g}) / {1 + _MIN_SHARE:g})"
        name = f"share of query words found in one result: {share:.0%}, as {scale}"
        yield _odds_factor(weights.log_share, log((share + _MIN_SHARE) / (1.0 + _MIN_SHARE)), name)
    if weights.found_words:
        number = min(features.found_words, _MAX_FOUND_WORDS)
        yield _odds_factor(weights.found_words, number, f"content words found in one result: {number:g}")
    if weights.known_share:
        known = features.known_share
        yield _odds_factor(weights.known_share, known, f"share of query words that occur in the index: {known:.0%}")
    if weights.size:
        size = log(_MANY_SECTIONS / min(max(features.sections, _FEW_SECTIONS), _MANY_SECTIONS))
        yield _odds_factor(weights.size, size, f"size of the project: {features.sections} sections")
    if weights.similarity and features.similarity_steps is not None:
        steps = features.similarity_steps
        yield _odds_factor(weights.similarity, steps, f"best cosine is {steps:+.2f} steps above noise level")


def _odds_factor(weight: float, feature: float, description: str) -> Explanation:
    """Compute the factor of the odds for one feature, `exp(−weight·feature)`."""
    return value(exp(-weight * feature), f"{description}; factor exp(−{weight:g} × {feature:.4g})")
