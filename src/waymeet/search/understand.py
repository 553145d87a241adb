"""Reading a query: words to look for, phrases it insists on, words it rules out. Any string is a valid query."""

import re
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import has_cjk, plain, terms, words
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Filters, Word

_QUOTES = '"“”„'
_PHRASE = re.compile(rf"(?P<not>(?<!\S)[-−])?[{_QUOTES}](?P<text>[^{_QUOTES}]+)[{_QUOTES}]")
_WITHOUT = re.compile(r"(?<!\S)[-−](?P<text>[^\W\d_][\w-]+)(?P<star>\*)?(?!\S)")
_PREFIX = re.compile(r"(?<!\S)(?P<text>\w[\w-]*)\*(?!\S)")


class Wording(Struct, frozen=True):
    """What a query says, by the part its words play."""

    text: str
    """The words to look for, those of phrases among them."""
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Words and phrases that must not occur; one that ends in `*` stands for all words that begin so."""
    prefixes: tuple[str, ...] = ()


def wording(text: str) -> Wording:
    """Take a query apart. A lone quote, a dash between words and a flag like `-m` mean nothing special.

    >>> wording('how "rank fusion" config* -legacy works')
    Wording(text='how rank fusion works', phrases=('rank fusion',), without=('legacy',), prefixes=('config',))
    >>> wording('fusion -"rank fusion" -conf*').without
    ('rank fusion', 'conf*')
    >>> wording('ls -l a-b "open').phrases
    ()
    """
    quoted = [(each["not"], plain(each["text"])) for each in _PHRASE.finditer(text)]
    rest = _PHRASE.sub(" ", text)
    phrases = tuple(phrase for denied, phrase in quoted if phrase and not denied)
    denied = tuple(phrase for denied, phrase in quoted if phrase and denied)
    without = denied + tuple(each["text"] + (each["star"] or "") for each in _WITHOUT.finditer(rest))
    prefixes = tuple(each["text"] for each in _PREFIX.finditer(rest))
    shown = _PHRASE.sub(lambda each: " " if each["not"] else f" {each['text']} ", text)
    looked_for = " ".join(_PREFIX.sub(" ", _WITHOUT.sub(" ", shown)).split())
    if without and not plain(looked_for) and not prefixes:
        return Wording(text, phrases)  # nothing but exclusions would ask for everything else: read them as words
    return Wording(looked_for, phrases, without, prefixes)


def understand(search: Search, tools: Tools, settings: Settings) -> Search:
    """Turn the query's text into words, phrases and exclusions."""
    said = wording(search.query.text)
    notes = [f'must contain "{phrase}"' for phrase in said.phrases] + [f"without {word}" for word in said.without]
    asked = Counter(term for _, each in words(said.text) for term in each)
    spelled = {term: _spelled(term, token, each) for token, each in reversed(words(said.text)) for term in each}
    found = [Word((term,), float(times), spelled[term]) for term, times in asked.items()]
    for prefix in said.prefixes:
        meant = _beginning_with(prefix, tools, settings)
        notes.append(f"{prefix}* stands for {sum(len(word.terms) for word in meant)} words")
        found.extend(meant)
    if len(found) > settings.pool.query_words:
        notes.append(f"only the first {settings.pool.query_words} of {len(found)} different words were looked up")
        found = found[: settings.pool.query_words]
    search = replace(
        search,
        text=said.text,
        quoted=said.phrases,
        words=tuple(found),
        filters=_narrowed(search.filters, said, tools, settings),
        notes=(*search.notes, *notes),
    )
    if not found:
        return search.miss("understand", "no_words", "the query has no word that can be looked up")
    return search


def _spelled(term: str, token: str, asked: tuple[str, ...]) -> str:
    """Name a term for people: as the word it came from, or as a part of it."""
    return token if len(asked) == 1 or term == token.lower() else f"{term} of {token}"


def relax(search: Search, tools: Tools, settings: Settings) -> Search:
    """Let go of the phrases that the query insists on if nothing contains them, and say so."""
    if not search.quoted or not search.words:
        return search.skip("no phrase in the query")
    if tools.store.lexical(search.words, 1, search.filters, settings.bm25):
        return search.skip("something contains the phrases")
    kept = tuple(phrase for phrase in search.filters.phrases if phrase not in search.quoted)
    quoted = ", ".join(f'"{phrase}"' for phrase in search.quoted)
    return replace(search, filters=replace(search.filters, phrases=kept)).degrade(
        "relax", "phrase_relaxed", f"nothing contains {quoted}; its words were looked for one by one"
    )


def _beginning_with(prefix: str, tools: Tools, settings: Settings) -> list[Word]:
    """Find what a prefix stands for: terms that begin so, and the word itself, whose stem may be shorter.

    Text without spaces is cut into pairs, so there a prefix is as good as the word.
    """
    if has_cjk(prefix):
        return [Word(each, 1.0, token) for token, each in words(prefix)]
    known = tools.store.vocabulary(plain(prefix).replace(" ", "-"), settings.bm25.prefix_terms)
    return [Word(tuple(dict.fromkeys((*known, *terms(prefix)))), 1.0, f"{prefix}*")]


def _narrowed(filters: Filters, said: Wording, tools: Tools, settings: Settings) -> Filters:
    groups: list[tuple[str, ...]] = []
    for word in said.without:
        if word.endswith("*"):
            known = tools.store.vocabulary(plain(word), settings.bm25.prefix_terms)
            groups.extend((term,) for term in known)
        groups.append(tuple(dict.fromkeys(terms(word))))
    return replace(
        filters, phrases=(*filters.phrases, *said.phrases), without=(*filters.without, *filter(None, groups))
    )
