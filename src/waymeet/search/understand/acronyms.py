"""Acronyms both ways: what is asked for by its short name is also looked for by its long one, and conversely.

What stands for what is said by the user's settings and by the indexed texts themselves: a document carries the keys of
the acronyms that it explains (see `waymeet.analysis.keys`), so that what is known is always that of the documents
which are there.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from waymeet.analysis import detect_language, list_terms, normalise_text
from waymeet.analysis.acronyms import is_long_form
from waymeet.analysis.keys import acronym_key, long_form_key
from waymeet.ports import Store
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Word

_TOKEN = re.compile(r"[^\W_][\w&/.-]*[^\W_]")
_SHORT = range(2, 11)
_LONG = range(2, 9)
"""Letters of an acronym; words of what it stands for."""
_MOST_WORDS = 60
_ASKED = 20
"""Documents that are asked what an acronym means."""


def expand_acronyms(search: Search, tools: Tools, settings: Settings) -> Search:
    """Look also for what acronyms stand for and for the acronyms of what is spelt out, at a lower weight."""
    if not settings.understand.expand_acronyms:
        return search.skip("setting understand.expand_acronyms")
    found = dict(_expansions(search.text, tools.store, settings.understand.acronyms))
    asked = {term for word in search.words for term in word.terms}
    added: dict[str, Word] = {}
    for other in found.values():
        new = [term for term in dict.fromkeys(list_terms(other)) if term not in asked]
        for term in new:
            added.setdefault(term, Word((term,), settings.understand.acronym / len(new), other))
    if not added:
        return search.skip("no acronym that is known")
    notes = (f"{written} → {other}" for written, other in found.items())
    # A model of meaning does not know what this project's acronyms stand for; but in its own language it must be asked.
    written = search.vector_text or search.text
    spelt = " ".join((written, *found.values()))
    spelt = spelt if detect_language(spelt) == detect_language(written) else search.vector_text
    return replace(search, words=(*search.words, *added.values()), vector_text=spelt, notes=(*search.notes, *notes))


def _expansions(text: str, store: Store, given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what is to be looked for beside what is written, as written and as meant."""
    table = {_key(short): long for short, long in given.items()}
    tokens = [token for token in _TOKEN.findall(text)[:_MOST_WORDS] if len(token) in _SHORT]
    shorts = {token: _key(token) for token in tokens}
    words = normalise_text(text).split()[:_MOST_WORDS]
    written = (" ".join(words[i : i + n]) for n in _LONG for i in range(len(words) - n + 1))
    longs = {long: long_form_key(long) for long in written}
    backwards = {normalise_text(long): short for short, long in given.items()}
    asked = {token: acronym_key(key) for token, key in shorts.items() if _looks_short(token) and key not in table}
    carrying = store.documents_by_key([*asked.values(), *longs.values()])
    for token, key in shorts.items():
        meant = table.get(key) or _usual(_names(store, carrying.get(asked.get(token, ""), ())), key)
        if meant:
            yield token, meant
    for long, key in reversed(longs.items()):  # the longest first
        short = backwards.get(long) or _usual(_names(store, carrying.get(key, ())), "", long)
        if short:
            yield long, short


def _key(short: str) -> str:
    return normalise_text(short).replace(" ", "")


def _looks_short(token: str) -> bool:
    """Tell whether a word may be meant as an acronym: written in capitals, or one that no word can be.

    >>> [_looks_short(each) for each in ("RRF", "rrf", "APIs", "api", "rest", "OR")]
    [True, True, True, False, False, True]
    """
    return sum(letter.isupper() for letter in token) > 1 or not set(token.lower()) & set("aeiouy")


def _names(store: Store, documents: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Give the names of the first documents that explain something."""
    if documents:
        for document in store.documents(list(documents)[:_ASKED]).values():
            yield document.names


def _usual(explaining: Iterator[tuple[str, ...]], short: str, long: str = "") -> str:
    """Choose the meaning that most documents give an acronym, or the acronym that most give a meaning."""
    told: Counter[str] = Counter()
    for names in explaining:
        shorts = [short] if short else [name[2:] for name in names if name.startswith("a:")]
        longs = [long] if long else [name[2:] for name in names if name.startswith("l:")]
        told.update(b if short else a for a in shorts for b in longs if is_long_form(a, b))
    return min(told, key=lambda each: (-told[each], each), default="")
