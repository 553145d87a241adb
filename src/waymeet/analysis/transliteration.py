"""Transliteration into Latin letters, and keys of words that sound alike.

Names and many technical words are the same in all languages, but each script spells them by their sound: Норман is
Norman, and テンプレート is template. The letters come from the Unicode names of characters, so no table of scripts is
needed: П is CYRILLIC CAPITAL LETTER PE.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

_LETTER = re.compile(
    r"(?P<script>[A-Z]+) (?:CAPITAL |SMALL )?LETTER (?P<small>SMALL )?(?:SHORT |FINAL )?(?P<name>[A-Z]+)"
)
_SYLLABLE = re.compile(r"HANGUL SYLLABLE (?P<name>[A-Z]+)")
_FIRST_SOUND = re.compile(r"[^AEIOU]+|.")
_CONSONANTS = re.compile(r"[^AEIOUY]+")
_SIGNS = frozenset({"HARD", "SOFT"})
_SOUNDS = {
    "KATAKANA": {"SI": "shi", "TI": "chi", "TU": "tsu", "HU": "fu", "ZI": "ji", "DI": "ji", "DU": "zu"},
    "CYRILLIC": {"YERU": "i", "IO": "e"},
    "GREEK": {"CHI": "kh", "RHO": "r", "UPSILON": "i"},
    "ARABIC": {"WAW": "o", "YEH": "i"},
    "HEBREW": {"VAV": "o", "YOD": "i"},
}
"""Letters whose sound differs from their Unicode name."""
_NAMED_BY_WORDS = frozenset({"GREEK", "ARABIC", "HEBREW"})
"""Scripts whose letters are named by words that begin with their sound, such as BETA."""

_SPELLINGS = (
    *(("tch", "s"), ("dzh", "j"), ("shch", "s"), ("sch", "s"), ("sh", "s"), ("ch", "s"), ("zh", "j"), ("ph", "f")),
    *(("th", "t"), ("kh", "h"), ("gh", "g"), ("ck", "k"), ("qu", "k"), ("x", "ks"), ("ts", "s"), ("ce", "se")),
    *(("ci", "si"), ("cy", "si"), ("ge", "je"), ("gi", "ji")),
)
"""Spellings of one sound, replaced in this order."""
_CLASSES = str.maketrans("cqwz", "kkvs", "aeiouhy'’`")
_REPEATED = re.compile(r"([a-z])\1+")
_FIRST_VOWEL = re.compile(r"(?m)^[aeiouhy]+")
_SPELLED = {"k": "kcqx", "s": "sctzx", "f": "fp", "j": "jgdz", "v": "vw"}
"""Letters with which the spellings of a sound begin, if it has several."""
_VOWELS = "aeiouhy"
SCRIPTS = {"CYRILLIC": range(ord("а"), ord("ё") + 1), "GREEK": range(ord("ά"), ord("ώ") + 1)}
"""Small letters of scripts in which names are looked up."""


def romanise(word: str) -> str:
    """Write a word in Latin letters by the sounds of its letters.

    >>> [romanise(word) for word in ("Норман", "Джош", "テンプレート", "ファイル", "프로토콜", "Wien")]
    ['norman', 'dzhosh', 'tenpureto', 'fairu', 'peurotokol', 'wien']
    """
    sounds = ""
    for character in unicodedata.normalize("NFC", word):
        is_small, sound = _sound(character)
        if is_small:  # a small kana replaces the vowel before it: フ and a small ァ are fa
            sounds = sounds.rstrip("aeiou") if sound[:1] in "aeiouy" else sounds
            sound = "" if sound == "tsu" else sound
        sounds += sound
    return sounds


@lru_cache(maxsize=4096)
def _sound(character: str) -> tuple[bool, str]:
    """Give the sound of a character, and whether it is a small kana."""
    base = unicodedata.normalize("NFD", character)[0]
    name = unicodedata.name(character, "")
    syllable = _SYLLABLE.match(name)
    if base.isascii() or syllable:
        return False, (syllable["name"] if syllable else base).lower()
    letter = _LETTER.match(name)
    if not letter or letter["name"] in _SIGNS:
        return False, ""
    script, sound = letter["script"], letter["name"]
    known = _SOUNDS.get(script, {}).get(sound)
    if known is not None or script == "KATAKANA":
        return bool(letter["small"]), known if known is not None else sound.lower()
    if script in _NAMED_BY_WORDS:
        return False, (_FIRST_SOUND.match(sound) or [sound])[0].lower()
    consonants = _CONSONANTS.search(sound)
    return False, (consonants[0] if consonants else sound[-1]).lower()


def sound_keys(words: Iterable[str]) -> list[str]:
    """Reduce words in Latin letters to the classes of their consonants.

    Vowels are dropped, except that a word begins with one: languages differ most in them.

    >>> sound_keys(["norman", "tsarlz", "charles", "penters", "panther", "allena", "allen"])
    ['nrmn', 'srls', 'srls', 'pntrs', 'pntr', 'Aln', 'Aln']
    """
    text = "\n".join(words)
    for spelling, sound in _SPELLINGS:
        text = text.replace(spelling, sound)
    return _FIRST_VOWEL.sub("A", _REPEATED.sub(r"\1", text)).translate(_CLASSES).split("\n")


def spelling_patterns(key: str, script: str = "") -> dict[str, str]:
    """Make patterns of the words that may have a key, by their first letter.

    They are patterns for `Store.terms_with_prefix`. `script` is one of `SCRIPTS`, by default that of Latin letters.

    >>> spelling_patterns("krln")["c"], spelling_patterns("nrmn", "CYRILLIC")
    ('c*r*l*n*', {'н': 'н*р*м*н*'})
    """
    letters = _letters_by_sound(script) if script else {"A": _VOWELS, **_SPELLED}
    first, *others = (letters.get(sound, sound) for sound in key)
    rest = "".join(f"*[{each}]" if len(each) > 1 else f"*{each}" for each in others)
    return {letter: f"{letter}{rest}*" for letter in first}


@cache
def _letters_by_sound(script: str) -> dict[str, str]:
    """List the letters of a script by the classes of their sounds."""
    letters: dict[str, str] = {}
    for letter in map(chr, SCRIPTS[script]):
        for sound in sound_keys([_sound(letter)[1]])[0][:1]:
            letters[sound] = letters.get(sound, "") + letter
    letters["j"] = letters.get("j", "") + letters.get("d", "")  # English j is дж
    return letters
