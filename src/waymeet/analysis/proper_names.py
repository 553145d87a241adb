"""Names of people, places and things in prose, as far as capital letters tell."""

import re
from collections.abc import Iterator

from waymeet.analysis.terms import STOP_WORDS, normalise_text

_WORD = r"[A-ZÀ-ÖØ-ÞΑ-ΫА-Я](?:[\w’'.&-]*\w)?"
_NAME = re.compile(rf"(?<![\w/]){_WORD}(?: (?:(?:of|the|de|del|der|du|la|le|van|von) ){{0,2}}{_WORD})*")
_BEGINS = frozenset('.!?:\n"“”•|>*#-')
"""Behind these every word has a capital letter."""
_SHORTEST, _LONGEST = 4, 60
_BEFORE = 8
"""Characters looked at to see whether a sentence begins."""


def find_proper_names(text: str) -> Iterator[str]:
    """List the names in a text, each once, in plain letters; a lone word at the head of a sentence may be no name.

    >>> list(find_proper_names("The song is by Ed Sheeran. In Bristol he met Amy Wadge. Later, Ed Sheeran's band played."))
    ['ed sheeran', 'bristol', 'amy wadge']
    """
    seen = set()
    for found in _NAME.finditer(text):
        start = found.start()
        before = text[max(start - _BEFORE, 0) : start].rstrip(" *_'(\t")
        name = _without_beginning(found[0]) if start == 0 or before[-1:] in _BEGINS else found[0]
        name = normalise_text(name.removesuffix("'s").removesuffix("’s"))
        if _SHORTEST <= len(name) <= _LONGEST and name not in seen:
            seen.add(name)
            yield name


def _without_beginning(name: str) -> str:
    """Leave out a first word that may have its capital letter only from where it stands."""
    first, _, rest = name.partition(" ")
    return name if rest and first.lower() not in STOP_WORDS else rest
