"""Estimate the probability that a hit is relevant, if there is an answer to the query.

Scores order the hits of one answer; they do not show whether the first hit is good. Relevance does, and is comparable
between queries and projects. It is the product of the chance that there is an answer (`answered`) and of this estimate:
a logistic regression over features of a hit, computed as `1 / (1 + odds)`, where each feature is a factor of the odds
against relevance.

The coefficients were fitted on the ten leading hits of 3,600 queries of 22 labelled public collections (prose, code,
Chinese and Japanese; six parts of the weight), of the same queries with the relevant documents removed (two parts),
and of 5,300 queries run on documents of another collection (two parts). All collections weigh the same. Coefficients
fitted without a collection do as well on it: `docs/ranking.md` has the table. The cosine scales of the models,
`SURE_STEPS` and the coefficients for another language were set by hand with all collections in view. No coefficient
is below 0, so that more evidence never lowers the relevance of a hit.

>>> words = estimate_relevance(Features(idf_coverage=0.8, matched_idf=2.0, title_overlap=0.1))
>>> round(words.value, 2)
0.31
>>> near, far = similarity_steps("granite-30m-en/1", 0.80), similarity_steps("granite-30m-en/1", 0.57)
>>> [round(estimate_relevance(Features(0.8, 2.0, 0.1, similarity_steps=steps)).value, 2) for steps in (near, far)]
[0.47, 0.16]
>>> round(estimate_relevance(Features(idf_coverage=0.1, matched_idf=0.3, title_overlap=0.0)).value, 2)
0.03
"""

from collections.abc import Iterator
from math import exp, log, sqrt
from typing import NamedTuple

from waymeet.formulas.explanation import product, quotient, total, value
from waymeet.types import Explanation

MAX_MATCHED_IDF = 3.0
"""Upper bound of the feature `matched_idf`; more adds no information."""


class Features(NamedTuple):
    """Features of a hit that relevance is estimated from."""

    idf_coverage: float
    """Share of the query's words that the hit contains, weighted by IDF."""
    matched_idf: float
    """Summed IDF of the matched words, divided by the IDF of a word that occurs nowhere."""
    title_overlap: float
    """Overlap of title or headings with the query: the share of each that the other contains, multiplied."""
    similarity_steps: float | None = None
    """Cosine similarity in steps above the noise level of its model; None if it is not known."""
    is_other_language: bool = False
    """Whether the hit is in another language than the query, so that words cannot match."""


class Coefficients(NamedTuple):
    """Coefficients of the logistic regression: the intercept, and one for each feature."""

    intercept: float
    idf_coverage: float
    matched_idf: float
    title_overlap: float
    similarity: float


_LEXICAL = Coefficients(-4.04, 2.11, 0.62, 3.31, 0.0)
_HYBRID = Coefficients(-3.89, 1.80, 0.28, 2.29, 0.67)
_CROSS_LINGUAL = Coefficients(-3.4, 0.0, 0.0, 0.0, 1.4)
"""From the three cross-lingual collections: a compromise, because they differ much at equal similarity."""


class CosineScale(NamedTuple):
    """The scale of a model's cosines."""

    zero: float
    """Noise level: the best cosine among `_USUAL` texts that are unrelated to a query."""
    spread: float
    """Standard deviation of the cosines of unrelated texts."""
    step: float
    """Cosine difference that counts as one step above the noise level."""


_SCALES = {
    "granite-30m-en/1": CosineScale(0.57, 0.031, 0.1),
    "use-multilingual/1": CosineScale(0.15, 0.048, 0.2),
    "use-multilingual/1 parts": CosineScale(0.148, 0.043, 0.174),
}
"""By model, the median over the collections. Scores of quantised parts are 0.87 · cosine + 0.018 on average."""
_USUAL = 3000
_MIN_STEPS, _MAX_STEPS = -1.0, 3.0
SURE_STEPS = 0.75
"""Steps above the noise level from which on a section counts as similar, even if few sections have vectors. The best
cosine is that high for 95 % of the queries whose answer was found, and for 14 % of the queries run on documents
of another collection."""


def similarity_steps(space: str, cosine: float, sections: int = _USUAL) -> float | None:
    """Convert a cosine to steps above the noise level, or None for unknown models.

    The noise level rises with the number of sections: the maximum of n normal variables grows with `sqrt(2·ln n)`.

    >>> similarity_steps("granite-30m-en/1+2", 0.67), similarity_steps("unknown/7", 0.67)
    (1.0, None)
    >>> round(similarity_steps("granite-30m-en/1", 0.67, sections=20) or 0.0, 3)
    1.482
    """
    model, _, derived = space.partition("+")
    scale = _SCALES.get(f"{model} parts" if " parts/" in derived else model)
    if scale is None:
        return None
    zero = scale.zero + scale.spread * (sqrt(2.0 * log(max(sections, 2))) - sqrt(2.0 * log(_USUAL)))
    return round(min(max((cosine - zero) / scale.step, _MIN_STEPS), _MAX_STEPS), 9)


def estimate_relevance(features: Features) -> Explanation:
    """Estimate the probability that a hit answers the query: `1 / (1 + odds)`."""
    one = value(1.0, "1")
    odds = product("odds against relevance = product of factors", *_odds_factors(features))
    return quotient("estimated relevance = 1 / (1 + odds)", one, total("1 + odds", one, odds))


def _odds_factors(features: Features) -> Iterator[Explanation]:
    """Yield the factors of the odds against relevance: intercept and features."""
    steps = features.similarity_steps
    weights = _LEXICAL if steps is None else _CROSS_LINGUAL if features.is_other_language else _HYBRID
    yield value(exp(-weights.intercept), f"base odds = exp({-weights.intercept:g})")
    if weights.idf_coverage:
        coverage, idf, overlap = features.idf_coverage, features.matched_idf, features.title_overlap
        yield _odds_factor(weights.idf_coverage, coverage, f"IDF-weighted share of query words found: {coverage:.0%}")
        yield _odds_factor(weights.matched_idf, idf, f"summed IDF of matched words = {idf:.2f} × maximum IDF")
        yield _odds_factor(weights.title_overlap, overlap, f"title/heading overlap with query: {overlap:.0%}")
    if steps is not None:
        yield _odds_factor(weights.similarity, steps, f"cosine similarity is {steps:+.2f} steps above noise level")


def _odds_factor(weight: float, feature: float, description: str) -> Explanation:
    """Compute the factor of the odds for one feature, `exp(−weight·feature)`."""
    return value(exp(-weight * feature), f"{description}; factor exp(−{weight:g} × {feature:.4g})")
