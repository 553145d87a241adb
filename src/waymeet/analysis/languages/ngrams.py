"""Scores of the languages of a short text in Latin script, from a table of n-gram weights."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

LANGUAGES: Final = tuple("cs da de es fi fr hu id it nb nl pl pt ro sv tr vi".split())
TABLE: Final = Path(__file__).with_name("ngrams.txt")
"""One n-gram a line, with one character for its weight in each language.

Made by `benchmarks/language_table.py`.
"""
OFFSET: Final = 79
"""Code of the character that stands for the weight 0."""
STEPS_PER_UNIT: Final = 8
"""A step of one character is an eighth of a natural logarithm."""
BIAS: Final = "*"
"""Stands for the weights that every text has."""
_WORD = re.compile(r"[^\W\d_]+")
_MAX_WHOLE_WORD = 5


def score_languages(text: str) -> dict[str, float]:
    """Return the logarithm of each language's odds against English.

    >>> scores = score_languages("gestione degli errori")
    >>> max(scores, key=scores.__getitem__), score_languages("error handling")["de"] < 0
    ('it', True)
    """
    table = _read_table()
    rows = [table[gram].encode() for gram in {BIAS, *list_ngrams(text.lower())} if gram in table]
    columns = zip(LANGUAGES, zip(*rows, strict=True), strict=True)
    return {code: (sum(weights) - OFFSET * len(rows)) / STEPS_PER_UNIT for code, weights in columns}


def list_ngrams(text: str) -> Iterator[str]:
    """Yield the short words of a lower-case text and its sequences of two to four letters.

    The character `_` marks the ends of a word.

    >>> sorted(list_ngrams("la"))
    ['_l', '_la', '_la_', '_la_', 'a_', 'la', 'la_']
    """
    for word in _WORD.findall(text):
        padded = f"_{word}_"
        if len(word) <= _MAX_WHOLE_WORD:
            yield padded
        for size in (2, 3, 4):
            for start in range(len(padded) - size + 1):
                yield padded[start : start + size]
        if not word.isascii():
            yield from (letter for letter in word if letter > "\x7f")


@cache
def _read_table() -> dict[str, str]:
    columns = TABLE.read_text(encoding="utf-8").split()
    return dict(zip(columns[::2], columns[1::2], strict=True))
