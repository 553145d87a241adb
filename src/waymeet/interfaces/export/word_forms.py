"""The table from words to terms, so that no stemmer runs in the browser.

It has every word of the texts. For each stem it also names the endings that make further words of this stem, so that a
query may use a form that no text has: "renewing" finds "renew".
"""

from collections.abc import Collection, Iterable, Mapping

from waymeet.analysis.terms import stem_words
from waymeet.interfaces.export.encoding import WordEntry

ENDINGS = (
    *("", "s", "e", "es", "ed", "er", "ers", "ing", "ings", "ly", "able", "ion", "ions", "ation", "ations", "ment"),
    *("ments", "or", "ors", "al", "ness", "ity", "ive", "ate", "ated", "ating", "+ing", "+ed", "+er", "-y"),
)
"""What is added to a stem; `+` doubles its last letter, `-` replaces it."""
_MIN_STEM = 3


def add_ending(stem: str, ending: str) -> str:
    """Make the word of a stem and an ending.

    >>> add_ending("renew", "ing"), add_ending("run", "+ing"), add_ending("happi", "-y")
    ('renewing', 'running', 'happy')
    """
    if ending.startswith("+"):
        return stem + stem[-1] + ending[1:]
    return stem[:-1] + ending[1:] if ending.startswith("-") else stem + ending


def build_words(forms: Collection[str], chunks: Mapping[str, int]) -> dict[str, WordEntry]:
    """Build the table from the words of all texts, and the number of sections of each term."""
    ordered = sorted(forms)
    stems = dict(zip(ordered, stem_words(ordered), strict=True))
    endings = _find_endings(sorted(set(stems.values()) & chunks.keys()), stems)
    words = {*stems, *chunks}
    return {word: WordEntry(stems.get(word), chunks.get(word, 0), endings.get(word, 0)) for word in words}


def _find_endings(terms: Iterable[str], stems: Mapping[str, str]) -> dict[str, int]:
    """Find the endings of each stem that make a word with this stem which no text has."""
    regular = [term for term in terms if len(term) >= _MIN_STEM and term.isascii() and term.isalpha()]
    masks = dict.fromkeys(regular, 0)
    for bit, ending in enumerate(ENDINGS):
        words = [add_ending(term, ending) for term in regular]
        for term, word, stem in zip(regular, words, stem_words(words), strict=True):
            if stem == term and word not in stems:
                masks[term] |= 1 << bit
    return masks


def group_forms(forms: Iterable[str]) -> dict[str, list[str]]:
    """List the words of each stem, for highlighting them."""
    ordered = sorted(forms)
    grouped: dict[str, list[str]] = {}
    for form, stem in zip(ordered, stem_words(ordered), strict=True):
        grouped.setdefault(stem, []).append(form)
    return grouped
