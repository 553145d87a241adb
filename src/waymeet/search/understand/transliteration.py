"""Names and loanwords in another script: add the words of the index that sound like them."""

import re
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from waymeet.analysis import list_terms
from waymeet.analysis.edit_distance import edit_distance
from waymeet.analysis.embedded.space_names import part_spaces
from waymeet.analysis.transliteration import SCRIPTS, romanise, sound_keys, spelling_patterns
from waymeet.ports import Store, multilingual_embedder
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Word

_WRITES_VOWELS = re.compile(r"[\u0370-\u052f]{3,}")
"""Greek and Cyrillic words, whose vowels can be compared with those of Latin words."""
_WRITES_SYLLABLES = re.compile(r"[\u0590-\u06ff]{3,}|[\u0900-\u0dff]{3,}|[\u30a1-\u30ff]{3,}|[\uac00-\ud7a3]{2,}")
"""Hebrew, Arabic, Indian, katakana and Korean words, which write no vowels or insert some between consonants."""
_KATAKANA = re.compile(r"[\u30a1-\u30ff]")
_LATIN_NAME = re.compile(r"\b[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{3,}\b")
_SCRIPT_OF_LANGUAGE = {**dict.fromkeys(("ru", "uk", "bg", "sr", "kk"), "CYRILLIC"), "el": "GREEK"}
_MIN_SOUNDS, _MIN_SOUNDS_ALONE = 3, 4
"""Consonants that must agree, and how many if vowels are not compared."""
_MAX_ENDING = 1
"""Consonants of an ending that only one of two words has."""
_MAX_DIFFERENCE = 0.45
"""Share of letters by which two words may differ."""
_MAX_WORDS = 20
_MAX_MATCHES = 3
_MAX_TERMS = 1000
"""Indexed words that are compared, the most frequent first."""
_MAX_KEYS = 8
_SOUNDS_LIKE = " ≈ "
"""Between a word of the query and the indexed word in the text of an added word."""
_NASAL = re.compile(r"n(?=[pbm])")
_SILENT_R = re.compile(r"(?<=[aeiou])r(?![aeiou])")
"""The letter r that Japanese leaves out: パスワード is password."""


def transliterate(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add the indexed words that sound like words of the query in another script."""
    weight = settings.understand.transliterated
    words = dict(_words_to_match(search.text, tools)) if weight else {}
    present = {term for word in search.words for term in word.terms}
    added: dict[str, Word] = {}
    notes = []
    for word, scripts in words.items():
        matches = {term: share for script in scripts for term, share in find_matches(word, tools.store, script).items()}
        for term, similarity in matches.items():
            if term not in present:
                added.setdefault(term, Word((term,), weight * similarity, f"{word}{_SOUNDS_LIKE}{term}"))
        if matches:
            notes.append(f"{word}{_SOUNDS_LIKE}{', '.join(matches)}")
    if not added:
        return search.skip("no indexed word sounds alike" if words else "no name in another script")
    return replace(search, words=(*search.words, *added.values()), notes=(*search.notes, *notes))


def sounding_word(word: Word) -> str:
    """Return the query word that an added word sounds like, else the empty string.

    >>> sounding_word(Word(("norman",), 1.0, "Норман ≈ norman")), sounding_word(Word(("norman",), 1.0, "Norman"))
    ('норман', '')
    """
    source, separator, _ = word.text.partition(_SOUNDS_LIKE)
    return source.lower() if separator else ""


def _words_to_match(text: str, tools: Tools) -> Iterator[tuple[str, Collection[str]]]:
    """Yield the words of a query to look up with the scripts to look in.

    They are words in another script that do not occur in the index, and names in Latin letters if the index has
    sections in Cyrillic or Greek script.
    """
    words = dict.fromkeys([*_WRITES_VOWELS.findall(text), *_WRITES_SYLLABLES.findall(text)])
    terms = {word: set(list_terms(word)) for word in words}
    known = tools.store.known_terms({term for own in terms.values() for term in own}) if terms else frozenset()
    unknown = [word for word, own in terms.items() if own - known]
    yield from ((word, ("",)) for word in unknown[:_MAX_WORDS])
    names = dict.fromkeys(_LATIN_NAME.findall(text))
    scripts = _other_scripts(tools) if names else ()
    if scripts:
        yield from ((name, scripts) for name in list(names)[:_MAX_WORDS])


def _other_scripts(tools: Tools) -> set[str]:
    """List the scripts beside the Latin one in which there are sections."""
    multilingual = multilingual_embedder(tools.embedders)
    if multilingual is None:
        return set()
    languages = part_spaces(multilingual.space, tools.store.spaces()).values()
    return {_SCRIPT_OF_LANGUAGE[language] for language in languages if language in _SCRIPT_OF_LANGUAGE}


def find_matches(word: str, store: Store, script: str = "") -> dict[str, float]:
    """Find the indexed words of a script that sound like a word, with their similarity.

    Similarities are from 0 to 1. `script` is one of `SCRIPTS`, or empty for Latin letters.
    """
    latin, is_japanese = romanise(word), _KATAKANA.match(word) is not None
    has_vowels = script in SCRIPTS or _WRITES_VOWELS.match(word) is not None
    shortest = _MIN_SOUNDS if has_vowels else _MIN_SOUNDS_ALONE
    for ending in range(_MAX_ENDING + 1):
        whole_keys = _list_keys(latin, is_japanese=is_japanese)
        keys = {key[: len(key) - ending] for key in whole_keys if len(key) - ending >= shortest}
        terms = _terms_with_keys(keys, store, script, is_japanese=is_japanese)
        similar = {term: _similarity(latin, sounds) if has_vowels else 1.0 for term, sounds in terms.items()}
        similar = {term: share for term, share in similar.items() if share >= 1.0 - _MAX_DIFFERENCE}
        if similar:
            best = sorted(similar, key=lambda term: (-similar[term], term))[:_MAX_MATCHES]
            return {term: similar[term] for term in best}
    return {}


def _list_keys(latin: str, *, is_japanese: bool) -> list[str]:
    """List the keys under which a word may be found.

    Japanese has one sound for r and l, and n before p, b and m is an m.
    """
    if not is_japanese:
        return sound_keys([latin])
    keys = [""]
    for sound in sound_keys([_NASAL.sub("m", latin)])[0]:
        keys = [start + each for start in keys[:_MAX_KEYS] for each in ("rl" if sound == "r" else sound)]
    return keys


def _terms_with_keys(keys: Collection[str], store: Store, script: str, *, is_japanese: bool) -> dict[str, str]:
    """List the indexed words with one of the keys, in Latin letters.

    Words of other scripts are not stemmed, so they may have an ending.
    """
    patterns = {pattern: letter for key in keys for letter, pattern in spelling_patterns(key, script).items()}
    terms = {
        term: romanise(term) if script else term
        for pattern, letter in patterns.items()
        for term in store.terms_with_prefix(letter, _MAX_TERMS, pattern)
        if term.isalpha() and (script or term.isascii())
    }
    if not terms:
        return {}
    endings = range(_MAX_ENDING + 1) if script else (0,)
    spoken = [_SILENT_R.sub("", sounds) for sounds in terms.values()] if is_japanese else list(terms.values())
    both = zip(terms, sound_keys(terms.values()), sound_keys(spoken), strict=True)
    return {
        term: terms[term]
        for term, *own in both
        if any(key[: len(key) - ending] in keys for key in own for ending in endings)
    }


def _similarity(one: str, other: str) -> float:
    """Compute the share of letters that agree, with or without an ending of the longer word.

    >>> round(_similarity("penters", "panther"), 3), _similarity("norman", "norman"), _similarity("norman", "normana")
    (0.571, 1.0, 1.0)
    """
    short, long = sorted((one, other), key=len)
    start = min(edit_distance(short, long[: len(short) + extra], len(long)) for extra in (0, 1))
    return 1.0 - min(start / len(short), edit_distance(short, long, len(long)) / len(long))
