"""Features of a text: its distinct tokens with weights, as the student reads them.

The weight of a token is √frequency · idf, where the beginning of the text counts several times, and the weights of a
text have length 1. The tokens are those of the embedding model. Words are looked up in a table that grows, and
everything else is done for many texts at once, because splitting texts into tokens one by one takes longer than
predicting their vectors. Splitting unknown words greedily instead of by merging pairs is twice as fast, but costs .004
of the cosine.
"""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.tokenizers.bpe import BytePairs

MAX_TOKENS = 510
"""Tokens of a text that the embedding model reads, and so the student."""
FIRST_TOKENS = 32
"""Tokens at the beginning of a text, with its title and heading, that are counted more than once."""
FIRST_COPIES = 4
"""Times that they are counted in addition."""
_MAX_CHARS = 8 * MAX_TOKENS
"""Characters that are looked at: more than so many tokens have in prose and code."""
_BATCH = 512
"""Texts that are counted at once."""
_INT32_END = 2**31
_MAX_WORDS = 300_000
"""Words in the table, after which it is emptied; a few dozen megabytes."""
# The words of `BytePairs` by Python's own character classes: they differ in a few rare characters such as ², and no
# copy of the text with other characters is needed. Explicit ranges of characters are faster.
_ASCII_WORD = re.compile(r" ?[A-Za-z]+| ?[0-9]+|'(?:s|t|re|ve|m|ll|d)| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")
_WORD = re.compile(r" ?[^\W\d_]+| ?\d+|'(?:s|t|re|ve|m|ll|d)| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


@dataclass(frozen=True, slots=True)
class Features:
    """The weighted tokens of texts, one text after another."""

    tokens: "NDArray[np.int32]"
    weights: "NDArray[np.float32]"
    ends: "NDArray[np.int64]"
    """Number of tokens up to the end of each text."""

    def __len__(self) -> int:
        return len(self.ends)

    def starts(self) -> "NDArray[np.int64]":
        """Return the number of tokens before each text."""
        return np.concatenate(([0], self.ends[:-1])) if len(self.ends) else self.ends

    def take(self, numbers: "Sequence[int] | NDArray[np.intp]") -> "Features":
        """Return the features of some of the texts, in the given order."""
        starts = self.starts()
        parts = [slice(int(starts[number]), int(self.ends[number])) for number in numbers]
        if not parts:
            return Features(self.tokens[:0], self.weights[:0], self.ends[:0])
        return Features(
            np.concatenate([self.tokens[part] for part in parts]),
            np.concatenate([self.weights[part] for part in parts]),
            np.cumsum([part.stop - part.start for part in parts], dtype=np.int64),
        )


class _Words(dict[str, int]):
    """Numbers words at their first use, and appends their tokens to one array."""

    def __init__(self, tokenizer: "BytePairs") -> None:
        self._encode = tokenizer.encode_word
        self.tokens = array("i")
        self.ends = array("q", [0])

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        self.tokens.extend(self._encode(word))
        self.ends.append(len(self.tokens))
        return number


class WordTable:
    """The words met so far with their tokens."""

    def __init__(self, tokenizer: "BytePairs") -> None:
        self._tokenizer = tokenizer
        self._words = _Words(tokenizer)

    def count(self, texts: Sequence[str], vocabulary: int) -> tuple["NDArray[np.int64]", "NDArray[np.int64]"]:
        """Count the first tokens of each text.

        Returns text · vocabulary + token in ascending order, and the frequencies.
        """
        if len(self._words) > _MAX_WORDS:
            self._words = _Words(self._tokenizer)
        words = [(_ASCII_WORD if text.isascii() else _WORD).findall(text[:_MAX_CHARS]) for text in texts]
        lengths = [len(text_words) for text_words in words]
        numbers = np.fromiter(map(self._words.__getitem__, chain.from_iterable(words)), np.int64, sum(lengths))
        ends = np.array(self._words.ends)
        sizes = (ends[1:] - ends[:-1])[numbers]
        tokens = np.array(self._words.tokens, dtype=np.int64)[_ranges(ends[numbers], sizes)]
        counts = np.add.reduceat(np.append(sizes, 0), np.cumsum([0, *lengths[:-1]])) * (np.array(lengths) > 0)
        text = np.repeat(np.arange(len(texts)), counts)
        place = np.arange(len(tokens)) - np.repeat(np.cumsum(counts) - counts, counts)
        keys = text * vocabulary + tokens
        # numbers of 32 bits are sorted in two thirds of the time
        return count_keys(keys.astype(np.int32) if len(texts) * vocabulary < _INT32_END else keys, place)


def _ranges(starts: "NDArray[np.int64]", sizes: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Concatenate ranges given by their starts and sizes.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes), dtype=np.int64)


def count_keys(
    keys: "NDArray[np.int64]", place: "NDArray[np.int64]"
) -> tuple["NDArray[np.int64]", "NDArray[np.int64]"]:
    """Count keys of tokens by their places in a text, the first more than once.

    >>> [counts.tolist() for counts in count_keys(np.array([7, 4, 4, 9]), np.array([0, 40, 41, 510]))]
    [[4, 7], [2, 5]]
    """
    found, frequencies = np.unique(keys[place < MAX_TOKENS], return_counts=True)
    first, copies = np.unique(keys[place < FIRST_TOKENS], return_counts=True)
    frequencies[np.searchsorted(found, first)] += FIRST_COPIES * copies
    return found, frequencies


def weigh_texts(texts: Sequence[str], table: WordTable, idf: "NDArray[np.float32]") -> Features:
    """Compute the features of texts."""
    parts = [_weigh_batch(texts[first : first + _BATCH], table, idf) for first in range(0, len(texts), _BATCH)]
    if not parts:
        return Features(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.int64))
    sizes = np.concatenate([np.diff(part.ends, prepend=0) for part in parts])
    return Features(
        np.concatenate([part.tokens for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.cumsum(sizes, dtype=np.int64),
    )


def _weigh_batch(texts: Sequence[str], table: WordTable, idf: "NDArray[np.float32]") -> Features:
    keys, frequencies = table.count(texts, len(idf))
    return weigh_counts(keys, frequencies, len(texts), idf)


def weigh_counts(
    keys: "NDArray[np.int64]", frequencies: "NDArray[np.int64]", texts: int, idf: "NDArray[np.float32]"
) -> Features:
    """Compute weights from the frequencies of keys, which are text · vocabulary + token."""
    text, tokens = np.divmod(keys, len(idf))
    weights = np.sqrt(frequencies) * idf[tokens]
    squares = np.bincount(text, weights * weights, minlength=texts)
    weights /= np.sqrt(squares)[text]
    ends = np.cumsum(np.bincount(text, minlength=texts))
    return Features(tokens.astype(np.int32), weights.astype(np.float32), ends.astype(np.int64))
