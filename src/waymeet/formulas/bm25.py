"""BM25, and BM25F for text in several fields (Robertson and Zaragoza, 2009).

A word's frequency is the sum of its frequencies in the fields, each divided by that field's length norm and
multiplied by that field's weight; the sum then saturates once. With one field of weight 1 this is plain BM25:

>>> round(idf(documents=10, containing=2), 4)
1.4816
>>> tf = saturation(normalise_frequency(3, length=7, average=7, b=0.75), k1=1.2)
>>> round(tf, 4), round(idf(10, 2) * tf, 4)
(1.5714, 2.3282)
"""

from math import floor, log, log10


def idf(documents: int, containing: int) -> float:
    """Weigh a word by its rarity: `ln((N − n + 0.5)/(n + 0.5) + 1)`, never negative."""
    return log((documents - containing + 0.5) / (containing + 0.5) + 1.0)


def length_norm(length: float, average: float, b: float) -> float:
    """Compare a field's length with the usual: 1 at the average, more when longer."""
    return 1.0 - b + b * length / average if average else 1.0


def normalise_frequency(frequency: float, length: float, average: float, b: float) -> float:
    """Count a word's occurrences in a field as if the field were of average length."""
    return frequency / length_norm(length, average, b)


def saturation(frequency: float, k1: float) -> float:
    """Let further occurrences count less and less: `tf·(k1 + 1)/(tf + k1)`."""
    return frequency * (k1 + 1.0) / (frequency + k1)


def round_average(average: float) -> float:
    """Round an average length to two significant digits.

    This is part of the definition in every store: an average that stands still through small changes lets length
    norms be cached and stay exact.

    >>> round_average(124.7), round_average(3.14), round_average(0.0)
    (120.0, 3.1, 0.0)
    """
    if average <= 0.0:
        return 0.0
    return round(average, 1 - floor(log10(average)))
