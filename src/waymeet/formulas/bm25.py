"""BM25, and BM25F for text in several fields (Robertson and Zaragoza, 2009).

The frequency of a word is the sum of its frequencies in all fields, each divided by the length norm of the field and
multiplied by the weight of the field. Saturation is applied once, to the sum. With one field of weight 1 this is BM25:

>>> round(idf(documents=10, containing=2), 4)
1.4816
>>> tf = saturation(normalise_frequency(3, length=7, average=7, b=0.75), k1=1.2)
>>> round(tf, 4), round(idf(10, 2) * tf, 4)
(1.5714, 2.3282)
"""

from collections.abc import Iterable, Iterator
from math import exp, floor, log, log10

from waymeet.formulas.explanation import product, total, value
from waymeet.types import Evidence, Explanation

_FIELD_NAMES = {"inbound": "link text", "triggers": "trigger phrases", "properties": "front matter"}
"""Names of fields for users, where they differ from the settings."""


def idf(documents: int, containing: int) -> float:
    """Compute the inverse document frequency, `ln((N − n + 0.5)/(n + 0.5) + 1)`."""
    return log((documents - containing + 0.5) / (containing + 0.5) + 1.0)


def length_norm(length: float, average: float, b: float) -> float:
    """Compute the length norm of a field, `1 − b + b·length/average`: 1 at the average length."""
    return 1.0 - b + b * length / average if average else 1.0


def normalise_frequency(frequency: float, length: float, average: float, b: float) -> float:
    """Divide the frequency of a word in a field by the field's length norm."""
    return frequency / length_norm(length, average, b)


def saturation(frequency: float, k1: float) -> float:
    """Saturate a term frequency, `tf·(k1 + 1)/(tf + k1)`: each further occurrence adds less."""
    return frequency * (k1 + 1.0) / (frequency + k1)


def round_average(average: float) -> float:
    """Round an average length to two significant digits.

    This is part of the definition in every store. An average that small changes leave unchanged keeps cached length
    norms exact.

    >>> round_average(124.7), round_average(3.14), round_average(0.0)
    (120.0, 3.1, 0.0)
    """
    if average <= 0.0:
        return 0.0
    return round(average, 1 - floor(log10(average)))


def explain_bm25f(evidence: Iterable[Evidence], chunks: int, k1: float) -> Explanation:
    r"""Explain a lexical score by the contribution of each word.

    >>> found = Evidence("fusion", 1.0, idf(10, 2), saturation(3.0, 1.2), ("body",))
    >>> print(*(part.description for part in explain_bm25f([found], chunks=10, k1=1.2).parts[0].parts), sep="\n")
    idf = ln(1 + (N − n + 0.5)/(n + 0.5)), N = 10, n = 2
    tf = f·(k1 + 1)/(f + k1), f = 3 (weighted by field and length), k1 = 1.2
    """
    words = (
        product(
            f"“{word.word}” in {', '.join(_FIELD_NAMES.get(field, field) for field in word.fields)}",
            *_explain_factors(word, chunks, k1),
        )
        for word in evidence
    )
    return total("BM25F = Σ idf × tf over the query's words", *words, group="lexical")


def _explain_factors(word: Evidence, chunks: int, k1: float) -> Iterator[Explanation]:
    """Explain the factors of a word's contribution by their formulas and inputs.

    Stores give idf and tf only. Both formulas are inverted here to show their inputs: `idf = ln((N + 1)/(n + 0.5))`.
    """
    if word.weight != 1.0:
        yield value(word.weight, "weight of the word in the query")
    containing = round((chunks + 1.0) / exp(word.idf) - 0.5)
    yield value(word.idf, f"idf = ln(1 + (N − n + 0.5)/(n + 0.5)), N = {chunks}, n = {containing}")
    gap = k1 + 1.0 - word.saturation
    frequency = f"f = {word.saturation * k1 / gap:.4g} (weighted by field and length), " if k1 and gap > 0.0 else ""
    yield value(word.saturation, f"tf = f·(k1 + 1)/(f + k1), {frequency}k1 = {k1:g}")
