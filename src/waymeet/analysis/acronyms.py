"""Acronyms and what they stand for, as texts introduce them: "Long Form (LF)" or "LF (long form)".

The rule is that of Schwartz and Hearst (A simple algorithm for identifying abbreviation definitions in biomedical
text, 2003): reading both from the right, every letter of the short form is found in the long one, and its first letter
begins a word.
"""

import re
from collections.abc import Iterator, Sequence

from waymeet.analysis.terms import normalise_text

_SHORT = r"[A-Z][A-Za-z0-9&/.-]{1,9}"
_BEHIND = re.compile(rf"\(({_SHORT})\)")
_BEFORE = re.compile(rf"(?<![\w(])({_SHORT}) \(([A-Za-z][^()\n]{{4,100}})\)")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_STOPS = re.compile(r"[.:;!?()\[\]{}<>=|*`\"\n]")
_LITTLE = frozenset("a an and at by for from in of on or the to with".split())
_REACH = 120
_MOST = 50
_SHORTEST_WORD = 2


def find_acronyms(text: str) -> dict[str, str]:
    """Find acronyms that a text explains, each with the first long form given, both in plain words.

    >>> find_acronyms("We use Reciprocal Rank Fusion (RRF) and an LRU (least recently used) cache (see below).")
    {'rrf': 'reciprocal rank fusion', 'lru': 'least recently used'}
    >>> find_acronyms("the Hypertext Transfer Protocol (HTTP); call open(URL), a number (NUMBER)")
    {'http': 'hypertext transfer protocol'}
    """
    found: dict[str, str] = {}
    if "(" not in text:
        return found
    for short, long in _met(text):
        key, words = normalise_text(short).replace(" ", ""), normalise_text(long)
        if key and len(words.split()) >= _SHORTEST_WORD and key not in words.split():
            found.setdefault(key, words)
        if len(found) >= _MOST:
            break
    return found


def _met(text: str) -> Iterator[tuple[str, str]]:
    for match in _BEHIND.finditer(text):
        short = match[1]
        if _telling(short):
            before = _STOPS.split(text[max(match.start() - _REACH, 0) : match.start()].rstrip())[-1]
            long = _long_form(short, _WORD.findall(before))
            if long:
                yield short, long
    for match in _BEFORE.finditer(text):
        short, words = match[1], _WORD.findall(match[2])
        if _telling(short) and _initials(words) == _letters(short):
            yield short, " ".join(words)


def is_long_form(short: str, long: str) -> bool:
    """Tell whether a long form, all of it, may be what an acronym stands for.

    >>> is_long_form("rrf", "reciprocal rank fusion"), is_long_form("http", "hypertext transfer protocol")
    (True, True)
    >>> is_long_form("rrf", "rank fusion"), is_long_form("rrf", "a reciprocal rank fusion")
    (False, False)
    """
    words = long.split()
    return bool(words) and _long_form(short, words) == " ".join(words)


def _telling(short: str) -> bool:
    """Tell whether something in brackets can be an acronym: at least two capitals, most of its letters."""
    capitals = sum(letter.isupper() for letter in short)
    return capitals > 1 and 2 * capitals >= len(short)


def _letters(short: str) -> str:
    return "".join(letter for letter in short.lower() if letter.isalnum())


def _initials(words: Sequence[str]) -> str:
    parts = [part for word in words for part in word.lower().split("-") if part not in _LITTLE]
    return "".join(part[0] for part in parts if part)


def _long_form(short: str, words: Sequence[str]) -> str:
    """Find the last words that spell the acronym; empty if they do not."""
    letters = _letters(short)
    words = words[-min(len(letters) + 5, 2 * len(letters)) :]
    for start in range(len(words)):  # initials alone are the surest sign
        if words[start].lower() not in _LITTLE and _initials(words[start:]) == letters:
            return " ".join(words[start:])
    text = " ".join(words).lower().replace("-", " ")
    at = len(text)
    for place in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and (text[at] != letters[place] or (place == 0 and at > 0 and text[at - 1] != " ")):
            at -= 1
        if at < 0:
            return ""
    long = text[at:]
    # Letters from the inside of words alone are chance: "a number (NUMBER)", "reading the file (RDF)".
    began = sum(word[0] in letters for word in long.split() if word not in _LITTLE)
    number = len([word for word in long.split() if word not in _LITTLE])
    return " ".join(words)[-len(long) :] if number >= _SHORTEST_WORD and began == number else ""
