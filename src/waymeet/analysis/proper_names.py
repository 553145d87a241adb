"""Recognition of proper names in prose by capital letters."""

import re
from collections.abc import Iterator

from waymeet.analysis.terms import STOP_WORDS, normalise_text

_WORD = r"[A-ZÀ-ÖØ-ÞΑ-ΫА-Я](?:[\w’'.&-]*\w)?"
_NAME = re.compile(rf"(?<![\w/]){_WORD}(?: (?:(?:of|the|de|del|der|du|la|le|van|von) ){{0,2}}{_WORD})*")
_SENTENCE_START = frozenset('.!?:\n"“”•|>*#-')
"""Characters after which any word may be capitalised."""
_MIN_CHARS, _MAX_CHARS = 4, 60
_LOOK_BEHIND = 8
"""Characters before a name that are checked for the start of a sentence."""


def find_proper_names(text: str) -> Iterator[str]:
    """Yield the normalised proper names of a text, each once.

    A single word at the start of a sentence is left out: it may be capitalised only for that.

    >>> text = "The song is by Ed Sheeran. In Bristol he met Amy Wadge. Later, Ed Sheeran's band played."
    >>> list(find_proper_names(text))
    ['ed sheeran', 'bristol', 'amy wadge']
    """
    yielded = set()
    for match in _NAME.finditer(text):
        start = match.start()
        before = text[max(start - _LOOK_BEHIND, 0) : start].rstrip(" *_'(\t")
        name = _drop_first_word(match[0]) if start == 0 or before[-1:] in _SENTENCE_START else match[0]
        name = normalise_text(name.removesuffix("'s").removesuffix("’s"))
        if _MIN_CHARS <= len(name) <= _MAX_CHARS and name not in yielded:
            yielded.add(name)
            yield name


def _drop_first_word(name: str) -> str:
    """Drop the first word of a name if it is a stop word or the only word."""
    first, _, others = name.partition(" ")
    return name if others and first.lower() not in STOP_WORDS else others
