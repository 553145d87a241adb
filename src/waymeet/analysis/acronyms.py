"""Acronyms explained in a text, as "Long Form (LF)" or "LF (long form)".

The rule is that of Schwartz and Hearst (A simple algorithm for identifying abbreviation definitions in biomedical
text, 2003): reading both from the right, every letter of the short form is found in the long one, and its first letter
begins a word.
"""

import re
from collections.abc import Iterator, Sequence

from waymeet.analysis.terms import normalise_text

_ACRONYM = r"[A-Z][A-Za-z0-9&/.-]{1,9}"
_IN_BRACKETS = re.compile(rf"\(({_ACRONYM})\)")
_BEFORE_BRACKETS = re.compile(rf"(?<![\w(])({_ACRONYM}) \(")
_LONG_FORM = re.compile(r"([A-Za-z][^()\n]{4,100})\)")
_MAX_SHORT = 10
"""Characters of an acronym."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CLAUSE_END = re.compile(r"[.:;!?()\[\]{}<>=|*`\"\n]")
_FUNCTION_WORDS = frozenset("a an and at by for from in of on or the to with".split())
_MAX_DISTANCE = 120
_MAX_ACRONYMS = 50
_MIN_WORDS = 2


def find_acronyms(text: str) -> dict[str, str]:
    """Find acronyms that a text explains, with their first long forms, in normalised words.

    >>> find_acronyms("We use Reciprocal Rank Fusion (RRF) and an LRU (least recently used) cache (see below).")
    {'rrf': 'reciprocal rank fusion', 'lru': 'least recently used'}
    >>> find_acronyms("the Hypertext Transfer Protocol (HTTP); call open(URL), a number (NUMBER)")
    {'http': 'hypertext transfer protocol'}
    """
    long_forms: dict[str, str] = {}
    if "(" not in text:
        return long_forms
    for short, long in _find_pairs(text):
        key, words = normalise_text(short).replace(" ", ""), normalise_text(long)
        if key and len(words.split()) >= _MIN_WORDS and key not in words.split():
            long_forms.setdefault(key, words)
        if len(long_forms) >= _MAX_ACRONYMS:
            break
    return long_forms


def _find_pairs(text: str) -> Iterator[tuple[str, str]]:
    for match in _IN_BRACKETS.finditer(text):
        short = match[1]
        if _is_acronym(short):
            before = _CLAUSE_END.split(text[max(match.start() - _MAX_DISTANCE, 0) : match.start()].rstrip())[-1]
            long = _match_long_form(short, _WORD.findall(before))
            if long:
                yield short, long
    for short, long in _find_before_brackets(text):
        words = _WORD.findall(long)
        if _is_acronym(short) and _initials(words) == _letters(short):
            yield short, " ".join(words)


def _find_before_brackets(text: str) -> Iterator[tuple[str, str]]:
    """Find words that may be acronyms, each with the text in brackets after it.

    Brackets are few and found quickly, unlike words with a capital.
    """
    bracket = text.find(" (")
    while bracket >= 0:
        long = _LONG_FORM.match(text, bracket + 2)
        short = _BEFORE_BRACKETS.search(text, max(bracket - _MAX_SHORT, 0), bracket + 2) if long else None
        if long and short:
            yield short[1], long[1]
        bracket = text.find(" (", bracket + 2)


def is_long_form(short: str, long: str) -> bool:
    """Check whether a whole phrase may be the long form of an acronym.

    >>> is_long_form("rrf", "reciprocal rank fusion"), is_long_form("http", "hypertext transfer protocol")
    (True, True)
    >>> is_long_form("rrf", "rank fusion"), is_long_form("rrf", "a reciprocal rank fusion")
    (False, False)
    """
    words = long.split()
    return bool(words) and _match_long_form(short, words) == " ".join(words)


def _is_acronym(short: str) -> bool:
    """Check whether a word has at least two capitals, and that these are most of its letters."""
    capitals = sum(letter.isupper() for letter in short)
    return capitals > 1 and 2 * capitals >= len(short)


def _letters(short: str) -> str:
    return "".join(letter for letter in short.lower() if letter.isalnum())


def _initials(words: Sequence[str]) -> str:
    parts = [part for word in words for part in word.lower().split("-") if part not in _FUNCTION_WORDS]
    return "".join(part[0] for part in parts if part)


def _match_long_form(short: str, words: Sequence[str]) -> str:
    """Return the last words that spell an acronym, or an empty text."""
    letters = _letters(short)
    words = words[-min(len(letters) + 5, 2 * len(letters)) :]
    for start in range(len(words)):  # a match of all initials is the most certain one
        if words[start].lower() not in _FUNCTION_WORDS and _initials(words[start:]) == letters:
            return " ".join(words[start:])
    text = " ".join(words).lower().replace("-", " ")
    start = len(text)
    for position in range(len(letters) - 1, -1, -1):
        start -= 1
        while start >= 0 and (
            text[start] != letters[position] or (position == 0 and start > 0 and text[start - 1] != " ")
        ):
            start -= 1
        if start < 0:
            return ""
    long = text[start:]
    # Every word must begin with a letter of the acronym. Matches inside of words only are chance: "a number (NUMBER)",
    # "reading the file (RDF)".
    content_words = [word for word in long.split() if word not in _FUNCTION_WORDS]
    is_spelled = len(content_words) >= _MIN_WORDS and all(word[0] in letters for word in content_words)
    return " ".join(words)[-len(long) :] if is_spelled else ""
