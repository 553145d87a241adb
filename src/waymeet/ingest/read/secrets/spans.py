"""Positions in a text: spans, and all occurrences of a word."""

from collections.abc import Iterator

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


def find_line_end(raw: bytes, start: int) -> int:
    """Return the end of the line at a position."""
    end = raw.find(b"\n", start)
    return len(raw) if end < 0 else end
