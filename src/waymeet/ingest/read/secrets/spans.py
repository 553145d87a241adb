"""Positions in a text: spans, and all occurrences of a word."""

import re
from collections.abc import Iterator
from functools import cache

Span = tuple[int, int]


def find_all(raw: bytes, word: bytes) -> Iterator[int]:
    """Yield the positions of a word."""
    position = raw.find(word)
    while position >= 0:
        yield position
        position = raw.find(word, position + len(word))


_MAX_BEFORE = 120
"""Bytes of a line before a position that are looked at."""


def line_before(raw: bytes, position: int) -> bytes:
    """Return the text before a position on its line."""
    earliest = max(position - _MAX_BEFORE, 0)
    return raw[max(raw.rfind(b"\n", earliest, position) + 1, earliest) : position]


def find_line_start(raw: bytes, position: int, limit: int) -> int:
    """Return the start of the line at a position, or -1 if it is more than `limit` bytes before."""
    earliest = max(position - limit, 0)
    found = raw.rfind(b"\n", earliest, position)
    return found + 1 if found >= 0 or not earliest else -1


def find_line_end(raw: bytes, start: int, limit: int | None = None) -> int:
    """Return the end of the line at a position, or of its first `limit` bytes."""
    last = len(raw) if limit is None else min(len(raw), start + limit)
    end = raw.find(b"\n", start, last)
    return last if end < 0 else end


@cache
def compile_once(expression: bytes) -> re.Pattern[bytes]:
    """Compile the expression of a rule at its first use: a short run needs few of them."""
    return re.compile(expression)
