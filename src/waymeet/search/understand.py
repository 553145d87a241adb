"""Reading a query: words to look for, phrases it insists on, words it rules out. Any string is a valid query."""

import re
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import plain, terms, words
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Filters, Word

_PHRASE = re.compile(r'["“”„]([^"“”„]+)["“”„]')
_WITHOUT = re.compile(r"(?<!\S)[-−]([^\W\d_][\w-]+)(?!\S)")
_PREFIX = re.compile(r"(?<!\S)(\w[\w-]*)\*(?!\S)")


class Wording(Struct, frozen=True):
    """What a query says, by the part its words play."""

    text: str
    """The words to look for, those of phrases among them."""
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


def wording(text: str) -> Wording:
    """Take a query apart. A lone quote, a dash between words and a flag like `-m` mean nothing special.

    >>> wording('how "rank fusion" config* -legacy works')
    Wording(text='how rank fusion works', phrases=('rank fusion',), without=('legacy',), prefixes=('config',))
    >>> wording('ls -l a-b "open').phrases
    ()
    """
    phrases = tuple(filter(None, (plain(found) for found in _PHRASE.findall(text))))
    rest = _PHRASE.sub(" ", text)
    without = tuple(_WITHOUT.findall(rest))
    prefixes = tuple(_PREFIX.findall(rest))
    looked_for = " ".join(_PREFIX.sub(" ", _WITHOUT.sub(" ", _PHRASE.sub(r" \1 ", text))).split())
    if without and not plain(looked_for) and not prefixes:
        return Wording(text, phrases)  # nothing but exclusions would ask for everything else: read them as words
    return Wording(looked_for, phrases, without, prefixes)


def understand(search: Search, tools: Tools, settings: Settings) -> Search:
    """Turn the query's text into words, phrases and exclusions."""
    said = wording(search.query.text)
    notes = [f'must contain "{phrase}"' for phrase in said.phrases] + [f"without {word}" for word in said.without]
    asked = Counter(term for _, each in words(said.text) for term in each)
    spelled = {term: token for token, each in reversed(words(said.text)) for term in each}
    found = [Word((term,), float(times), spelled[term]) for term, times in asked.items()]
    for prefix in said.prefixes:
        stands_for = tuple(tools.store.vocabulary(prefix.lower(), settings.bm25.prefix_terms))
        notes.append(f"{prefix}* stands for {len(stands_for)} words")
        found.append(Word(stands_for, 1.0, f"{prefix}*"))
    if len(found) > settings.pool.query_words:
        notes.append(f"only the first {settings.pool.query_words} of {len(found)} different words were looked up")
        found = found[: settings.pool.query_words]
    filters = _narrowed(search.filters, said)
    search = replace(search, words=tuple(found), filters=filters, notes=(*search.notes, *notes))
    if not found:
        return search.miss("understand", "no_words", "the query has no word that can be looked up")
    return search


def _narrowed(filters: Filters, said: Wording) -> Filters:
    without = tuple(tuple(dict.fromkeys(terms(word))) for word in said.without)
    return replace(
        filters, phrases=(*filters.phrases, *said.phrases), without=(*filters.without, *filter(None, without))
    )
