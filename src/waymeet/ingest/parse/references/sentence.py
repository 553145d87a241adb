"""The sentence that a link stands in."""

import re
from bisect import bisect_right

REACH = 240
"""How many characters before and behind a link are looked at: a wall of text is no sentence."""
_END = re.compile(r"[.!?](?=\s)|[。！？]")


def around(text: str, start: int, end: int) -> str:
    """Cut out the sentence around a piece of text.

    >>> text = "First. See the setup guide for more! Last."
    >>> around(text, text.index("setup"), text.index("guide"))
    'See the setup guide for more!'
    """
    low, high = max(start - REACH, 0), min(end + REACH, len(text))
    ends = [match.end() for match in _END.finditer(text, low, start)]
    first = ends[-1] if ends else _next_space(text, low, start)
    match = _END.search(text, end, high)
    last = match.end() if match else _last_space(text, end, high)
    return " ".join(text[first:last].split())


def _next_space(text: str, low: int, start: int) -> int:
    """Step over a word that the reach cut in two."""
    space = text.find(" ", low, start)
    return low if low == 0 or space < 0 else space


def _last_space(text: str, end: int, high: int) -> int:
    space = text.rfind(" ", end, high)
    return high if high == len(text) or space < 0 else space


class Rows:
    r"""The lines of a text, ready to be asked which one a character stands in.

    >>> rows = Rows("one\ntwo", 10)
    >>> rows.line(0), rows.line(5)
    (10, 11)
    """

    def __init__(self, text: str, first: int) -> None:
        self._starts = [match.end() for match in re.finditer("\n", text)]
        self._first = first

    def line(self, offset: int) -> int:
        """Give the number of a character's line."""
        return self._first + bisect_right(self._starts, offset)
