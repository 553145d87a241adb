"""The sentence around a link, and the line of a character."""

import re
from bisect import bisect_right

_MAX_DISTANCE = 240
"""Characters before and after a link that are searched for the ends of the sentence."""
_END = re.compile(r"[.!?](?=\s)|[。！？]")


def extract_sentence(text: str, start: int, end: int) -> str:
    """Return the sentence around a range of characters.

    >>> text = "First. See the setup guide for more! Last."
    >>> extract_sentence(text, text.index("setup"), text.index("guide"))
    'See the setup guide for more!'
    """
    low, high = max(start - _MAX_DISTANCE, 0), min(end + _MAX_DISTANCE, len(text))
    ends = [match.end() for match in _END.finditer(text, low, start)]
    first = ends[-1] if ends else _next_space(text, low, start)
    match = _END.search(text, end, high)
    last = match.end() if match else _last_space(text, end, high)
    return " ".join(text[first:last].split())


def _next_space(text: str, low: int, start: int) -> int:
    """Return the next space, so that the sentence does not begin inside of a word."""
    space = text.find(" ", low, start)
    return low if low == 0 or space < 0 else space


def _last_space(text: str, end: int, high: int) -> int:
    space = text.rfind(" ", end, high)
    return high if high == len(text) or space < 0 else space


class LineIndex:
    r"""Line numbers of the characters of a text.

    >>> lines = LineIndex("one\ntwo", 10)
    >>> lines.line(0), lines.line(5)
    (10, 11)
    """

    def __init__(self, text: str, first: int) -> None:
        self._starts = [match.end() for match in re.finditer("\n", text)]
        self._first = first

    def line(self, offset: int) -> int:
        """Return the line number of a character."""
        return self._first + bisect_right(self._starts, offset)
