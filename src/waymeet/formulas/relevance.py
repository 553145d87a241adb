"""How likely a hit answers the question, from evidence that means the same in every project.

Scores order hits within one answer; they say nothing of whether the first is any good. This does: each piece of
evidence divides the odds against a hit, and the odds become a chance, `1 / (1 + odds against)`.

The numbers are a logistic regression over the ten leading hits of 3,600 questions of 22 labelled public collections
(prose, code, Chinese and Japanese; six parts of the weight), of the same questions with the right documents taken away
(two parts), and of 5,300 questions that were asked of somebody else's documents (two parts). Each collection weighs
the same. Weights fitted without a collection do as well on it: see `docs/ranking.md`, which has the table. The scales
of the models, `_NEAR` and what counts in another language were set by hand with all collections in view. No weight is
below 0, so that more evidence never counts against a hit.

>>> words = estimate_relevance(Features(idf_coverage=0.8, matched_idf=2.0, title_overlap=0.1))
>>> round(words.value, 2)
0.31
>>> round(estimate_relevance(Features(0.8, 2.0, 0.1, similarity_steps=similarity_steps("granite-30m-en/1", 0.80))).value, 2)
0.47
>>> round(estimate_relevance(Features(0.8, 2.0, 0.1, similarity_steps=similarity_steps("granite-30m-en/1", 0.57))).value, 2)
0.16
>>> round(estimate_relevance(Features(idf_coverage=0.1, matched_idf=0.3, title_overlap=0.0)).value, 2)
0.03
"""

from collections.abc import Sequence
from math import exp, log, sqrt
from typing import NamedTuple

from waymeet.formulas.explanation import product, quotient, total, value
from waymeet.types import Explanation

MAX_MATCHED_IDF = 3.0
"""More words than these, each as rare as one that stands nowhere, tell nothing more."""


class Features(NamedTuple):
    """What speaks for a hit."""

    idf_coverage: float
    """Which part of the question's words it has, each counted by its rarity."""
    matched_idf: float
    """What the words it has are worth together, in words that stand nowhere else."""
    title_overlap: float
    """How well title or headings and question agree: the part of either that the other has, multiplied."""
    similarity_steps: float | None = None
    """How far its nearness in meaning is above that of texts that have nothing to do with the question."""
    is_other_language: bool = False
    """Whether it is in another language than the question, so that words cannot tell."""


class Coefficients(NamedTuple):
    """The logarithm of the odds of any hit, and what each clue adds to it."""

    base: float
    covered: float
    telling: float
    headed: float
    meaning: float


_WORDS = Coefficients(-4.04, 2.11, 0.62, 3.31, 0.0)
_BOTH = Coefficients(-3.89, 1.80, 0.28, 2.29, 0.67)
_ABROAD = Coefficients(-3.4, 0.0, 0.0, 0.0, 1.4)
"""Of the three cross-lingual collections: a compromise, for at equal nearness they differ much."""


class CosineScale(NamedTuple):
    """What the cosines of a model mean."""

    zero: float
    """The cosine of the nearest of `_USUAL` texts that have nothing to do with a question."""
    spread: float
    """The standard deviation of their cosines."""
    step: float
    """What counts as a step above zero."""


_SCALES = {"granite-30m-en/1": CosineScale(0.57, 0.031, 0.1), "use-multilingual/1": CosineScale(0.15, 0.048, 0.2)}
"""By model, the median over the collections."""
_USUAL = 3000
_LEAST, _MOST = -1.0, 3.0
_NEAR = 0.75
"""Steps above nothing from which on an answer is not called doubtful, be there no word in common: the nearest section
is so near for 95 % of the questions whose answer was found, for 14 % of those asked of somebody else's documents."""


def similarity_steps(space: str, cosine: float, sections: int = _USUAL) -> float | None:
    """Express a cosine by how far it is above the nearest of so many wrong sections; None for unknown models.

    The nearest of many comes nearer by chance than the nearest of few: by the square root of the logarithm.

    >>> similarity_steps("granite-30m-en/1+2", 0.67), similarity_steps("somebody's/7", 0.67)
    (1.0, None)
    >>> round(similarity_steps("granite-30m-en/1", 0.67, sections=20) or 0.0, 3)
    1.482
    """
    scale = _SCALES.get(space.partition("+")[0])
    if scale is None:
        return None
    zero = scale.zero + scale.spread * (sqrt(2.0 * log(max(sections, 2))) - sqrt(2.0 * log(_USUAL)))
    return round(min(max((cosine - zero) / scale.step, _LEAST), _MOST), 9)


def estimate_relevance(clues: Features) -> Explanation:
    """Estimate the chance that a hit answers the question, and say by what."""
    numbers = (
        _ABROAD
        if clues.is_other_language and clues.similarity_steps is not None
        else _BOTH
        if clues.similarity_steps is not None
        else _WORDS
    )
    factors = [_against(numbers.base, 1.0, "odds against any hit")]
    if numbers.covered:
        factors += [
            _against(
                numbers.covered, clues.idf_coverage, f"has {clues.idf_coverage:.0%} of the question's words, by rarity"
            ),
            _against(
                numbers.telling, clues.matched_idf, f"they tell as much as {clues.matched_idf:.1f} unheard-of words"
            ),
            _against(
                numbers.headed,
                clues.title_overlap,
                f"title or headings and question agree by {clues.title_overlap:.0%}",
            ),
        ]
    if clues.similarity_steps is not None:
        said = f"its meaning is {clues.similarity_steps:+.1f} steps from the nearest of what does not answer"
        factors.append(_against(numbers.meaning, clues.similarity_steps, said))
    one = value(1.0, "one")
    return quotient(
        "chance that it answers", one, total("one and the odds against it", one, product("odds against it", *factors))
    )


def _against(weight: float, clue: float, said: str) -> Explanation:
    """Divide the odds against a hit by what a clue is worth."""
    return value(exp(-weight * clue), said)


def is_low_relevance(chances: Sequence[float | None], nearest: float | None, bar: float) -> bool:
    """Tell whether nothing seems to answer: no chance reaches the bar, and nothing is near in meaning.

    Where nothing tells of a hit, there is no doubt.

    >>> is_low_relevance([0.05, 0.02], None, bar=0.07), is_low_relevance([0.05, None], None, bar=0.07)
    (True, False)
    >>> is_low_relevance([0.05, 0.02], 0.4, bar=0.07), is_low_relevance([0.05, 0.02], 0.8, bar=0.07)
    (True, False)
    """
    weak = bool(chances) and all(chance is not None and chance < bar for chance in chances)
    return weak and (nearest is None or nearest < _NEAR)
