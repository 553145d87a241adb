"""Find the prose of a page: its text without code and links."""

import re
from collections.abc import Iterator

from msgspec import Struct

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_NOT_PROSE = re.compile(
    r"`+[^`\n]*`+"  # code
    r"|!?\[\[[^\[\]\n]{0,500}\]\]"  # wiki links
    r"|!?\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,500}\])?"  # links, and brackets that may be one
    r"|<[^<>\n]{1,1000}>"  # tags and addresses
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s)>\]]+"
    r"|\$[^$\n]{1,500}\$"  # formulas
)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t].*$|^.*\n[ \t]*(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_END = re.compile(r"[.!?](?=\s)|[。！？]|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>|]|\d{1,3}[.)])[ \t])")
_MAX_SENTENCE_SIDE = 300
"""Characters of a sentence before and behind the piece that it is cut around."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


class Sentence(Struct, frozen=True):
    """A sentence, and the offsets of a piece of it."""

    text: str
    start: int
    end: int


def blank_non_prose(text: str) -> str:
    """Replace code, links, headings and tables by blanks, so that offsets stay the same.

    >>> blank_non_prose("See `code` and [a link](b.md).")
    'See        and               .'
    """
    for pattern in (_FENCE, _HEADING, _ROW, _NOT_PROSE):
        text = pattern.sub(_blank, text)
    return text


def cut_sentence(text: str, start: int, end: int) -> Sentence:
    """Cut out the sentence around a piece of text, with the offsets of the piece in it.

    >>> cut_sentence("First. See the setup guide!", 15, 20)
    Sentence(text='See the setup guide!', start=8, end=13)
    """
    low, high = max(start - _MAX_SENTENCE_SIDE, 0), min(end + _MAX_SENTENCE_SIDE, len(text))
    first = max((match.end() for match in _END.finditer(text, low, start)), default=low)
    sentence_end = _END.search(text, end, high)
    last = sentence_end.end() if sentence_end else high
    while first < start and text[first].isspace():
        first += 1
    return Sentence(text[first:last].rstrip(), start - first, end - first)


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word of a text."""
    return (match.span() for match in _WORD.finditer(text))


def _blank(match: re.Match[str]) -> str:
    return "".join(letter if letter == "\n" else " " for letter in match.group())
