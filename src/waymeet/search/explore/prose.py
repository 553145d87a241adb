"""The prose of a page: its text with everything blanked out that is code, or is a link already."""

import re
from collections.abc import Iterator

from msgspec import Struct

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_NOT_PROSE = re.compile(
    r"`+[^`\n]*`+"  # code
    r"|!?\[\[[^\[\]\n]{0,500}\]\]"  # wiki links
    r"|!?\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,500}\])?"  # links, and what may be one
    r"|<[^<>\n]{1,1000}>"  # tags and addresses
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s)>\]]+"
    r"|\$[^$\n]{1,500}\$"  # formulas
)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t].*$|^.*\n[ \t]*(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_END = re.compile(r"[.!?](?=\s)|[。！？]|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>|]|\d{1,3}[.)])[ \t])")
_REACH = 300


class Sentence(Struct, frozen=True):
    """A sentence of a text and where a piece of it stands."""

    text: str
    start: int
    end: int


def blanked(text: str) -> str:
    """Replace what is not prose by blanks, so that what is left stands where it stood.

    >>> blanked("See `code` and [a link](b.md).")
    'See        and               .'
    """
    for pattern in (_FENCE, _HEADING, _ROW, _NOT_PROSE):
        text = pattern.sub(_blank, text)
    return text


def sentence(text: str, start: int, end: int) -> Sentence:
    """Cut out the sentence around a piece of text, with where the piece stands in it.

    >>> sentence("First. See the setup guide!", 15, 20)
    Sentence(text='See the setup guide!', start=8, end=13)
    """
    low, high = max(start - _REACH, 0), min(end + _REACH, len(text))
    first = max((match.end() for match in _END.finditer(text, low, start)), default=low)
    close = _END.search(text, end, high)
    last = close.end() if close else high
    while first < start and text[first].isspace():
        first += 1
    return Sentence(text[first:last].rstrip(), start - first, end - first)


def words(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each word of a text stands."""
    return (match.span() for match in _WORD.finditer(text))


_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def _blank(match: re.Match[str]) -> str:
    return "".join(letter if letter == "\n" else " " for letter in match.group())
