"""Detection of training sections that repeat a document of a test collection."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

SHINGLE = 7
"""Words of a shingle: long enough that common phrases do not match."""
_MAX_SHARE = 0.2
"""Share of shingles in one collection from which a section counts as a repetition."""
_WORD = re.compile(r"[a-z0-9]+")


class ShingleSet:
    """The shingles of all documents and queries that Waymeet is tested with."""

    def __init__(self, texts: Iterable[str]) -> None:
        parts = [shingles(text) for text in texts]
        self._known = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)

    def repeats(self, text: str) -> bool:
        """Return whether a section equals a tested document, a part of one, or nearly so."""
        found = shingles(text)
        if not len(self._known) or not len(found):
            return False
        places = np.searchsorted(self._known, found).clip(max=len(self._known) - 1)
        return bool((self._known[places] == found).mean() >= _MAX_SHARE)


def shingles(text: str) -> NDArray[np.int64]:
    """Hash every run of words, or a shorter text as a whole.

    >>> len(shingles("one two three four five six seven eight")), len(shingles("one")), len(shingles("..."))
    (2, 1, 0)
    """
    words = _WORD.findall(text.lower())
    if not words:
        return np.empty(0, np.int64)
    codes = np.array([_hash_word(word) for word in words], dtype=np.int64)
    if len(codes) < SHINGLE:
        return np.array([_combine(codes[None, :])[0]], dtype=np.int64)
    return _combine(np.lib.stride_tricks.sliding_window_view(codes, SHINGLE))


def _combine(windows: NDArray[np.int64]) -> NDArray[np.int64]:
    factors = np.array([31**power for power in range(windows.shape[1])], dtype=np.int64)
    mixed = (windows * factors).sum(axis=1)
    return np.asarray(mixed ^ (mixed >> 29), dtype=np.int64)


@cache
def _hash_word(word: str) -> int:
    # Python's hash of a string differs from run to run
    value = 1469598103934665603
    for byte in word.encode():
        value = ((value ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
    return value >> 2


def read_tested(folders: Iterable[Path]) -> ShingleSet:
    """Read the documents and queries of test collections."""
    return ShingleSet(
        text
        for folder in folders
        for name in ("corpus.jsonl", "queries.jsonl")
        if (folder / name).exists()
        for text in _texts(folder / name)
    )


def _texts(path: Path) -> Iterable[str]:
    for line in path.read_bytes().splitlines():
        row = msgspec.json.decode(line)
        yield f"{row.get('title', '')}\n{row['text']}"
        yield row["text"]
