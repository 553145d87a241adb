"""Acronym expansion: from acronyms to their long forms, and from long forms to acronyms.

Acronyms come from the user's settings and from the indexed texts: a document has a key for each acronym that it
explains (see `waymeet.analysis.keys`), so that the known acronyms are always those of the current documents.
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
_ACRONYM_CHARS = range(2, 11)
_LONG_FORM_WORDS = range(2, 9)
_MAX_WORDS = 60
"""Words of a query that are checked."""
_MAX_DOCUMENTS = 20
"""Documents that are read to find the most frequent long form of an acronym."""


def expand_acronyms(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add the long forms of acronyms and the acronyms of long forms, at a lower weight."""
    if not settings.understand.expand_acronyms:
        return search.skip("setting understand.expand_acronyms")
    expansions = dict(_find_expansions(search.text, tools.store, settings.understand.acronyms))
    present = {term for word in search.words for term in word.terms}
    added: dict[str, Word] = {}
    for expansion in expansions.values():
        new = [term for term in dict.fromkeys(list_terms(expansion)) if term not in present]
        for term in new:
            added.setdefault(term, Word((term,), settings.understand.acronym / len(new), expansion))
    if not added:
        return search.skip("no known acronym")
    notes = (f"{written} → {expansion}" for written, expansion in expansions.items())
    # An embedding model does not know the acronyms of this project, so their long forms are added to its text, unless
    # they change the language by which the model is chosen.
    text = search.vector_text or search.text
    expanded = " ".join((text, *expansions.values()))
    vector_text = expanded if detect_language(expanded) == detect_language(text) else search.vector_text
    return replace(
        search, words=(*search.words, *added.values()), vector_text=vector_text, notes=(*search.notes, *notes)
    )


def _find_expansions(text: str, store: Store, custom: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield acronyms of a text with their long forms, then long forms with their acronyms."""
    custom_long = {_normalise_acronym(short): long for short, long in custom.items()}
    custom_short = {normalise_text(long): short for short, long in custom.items()}
    tokens = [token for token in _TOKEN.findall(text)[:_MAX_WORDS] if len(token) in _ACRONYM_CHARS]
    shorts = {token: _normalise_acronym(token) for token in tokens}
    words = normalise_text(text).split()[:_MAX_WORDS]
    spans = (" ".join(words[i : i + n]) for n in _LONG_FORM_WORDS for i in range(len(words) - n + 1))
    longs = {long: long_form_key(long) for long in spans}
    short_keys = {
        token: acronym_key(short)
        for token, short in shorts.items()
        if _looks_like_acronym(token) and short not in custom_long
    }
    documents = store.documents_by_key([*short_keys.values(), *longs.values()])
    for token, short in shorts.items():
        explaining = documents.get(short_keys.get(token, ""), ())
        long = custom_long.get(short) or _most_frequent(_document_names(store, explaining), short)
        if long:
            yield token, long
    for long, key in reversed(longs.items()):  # the longest first
        acronym = custom_short.get(long) or _most_frequent(_document_names(store, documents.get(key, ())), "", long)
        if acronym:
            yield long, acronym


def list_expansions(store: Store) -> tuple[dict[str, str], dict[str, str]]:
    """List the long form of every acronym in the index, and the acronym of every long form."""
    documents = store.documents(list(store.fingerprints())).values()
    keys = {name for document in documents for name in document.names if name.startswith(("a:", "l:"))}
    explaining = store.documents_by_key(keys)
    shorts, longs = {}, {}
    for key in sorted(keys):
        names = _document_names(store, explaining.get(key, ()))
        if key.startswith("a:"):
            shorts[key[2:]] = _most_frequent(names, key[2:])
        else:
            longs[key[2:]] = _most_frequent(names, "", key[2:])
    return {a: b for a, b in shorts.items() if b}, {a: b for a, b in longs.items() if b}


def _normalise_acronym(short: str) -> str:
    return normalise_text(short).replace(" ", "")


def _looks_like_acronym(token: str) -> bool:
    """Check whether a token has several capitals or no vowel.

    >>> [_looks_like_acronym(token) for token in ("RRF", "rrf", "APIs", "api", "rest", "OR")]
    [True, True, True, False, False, True]
    """
    return sum(letter.isupper() for letter in token) > 1 or not set(token.lower()) & set("aeiouy")


def _document_names(store: Store, documents: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield the keys of the first documents that explain an acronym."""
    if documents:
        for document in store.documents(list(documents)[:_MAX_DOCUMENTS]).values():
            yield document.names


def _most_frequent(documents: Iterator[tuple[str, ...]], short: str, long: str = "") -> str:
    """Find the long form of an acronym, or the acronym of a long form, in most documents."""
    counts: Counter[str] = Counter()
    for names in documents:
        shorts = [short] if short else [name[2:] for name in names if name.startswith("a:")]
        longs = [long] if long else [name[2:] for name in names if name.startswith("l:")]
        counts.update(b if short else a for a in shorts for b in longs if is_long_form(a, b))
    return min(counts, key=lambda form: (-counts[form], form), default="")
