"""Reading a query: words, phrases it insists on, words it rules out, filters. Any string is a valid query."""

import re
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import has_cjk, list_terms, normalise_text, query_words
from waymeet.search.state import Search, Tools
from waymeet.search.understand.inline_filters import KINDS, Asked, asked, narrowed
from waymeet.settings import Settings
from waymeet.types import Filters, Word

_QUOTES = '"“”„'
_PHRASE = re.compile(rf"(?P<not>(?<!\S)[-−])?[{_QUOTES}](?P<text>[^{_QUOTES}]+)[{_QUOTES}]")
_WITHOUT = re.compile(r"(?<!\S)[-−](?P<text>[^\W\d_][\w-]+)(?P<star>\*)?(?!\S)")
_MOST_NAMED = 12
_LOOKED_AT = 200
"""Chunks with the query's words by which its filters are judged."""
_PREFIX = re.compile(r"(?<!\S)(?P<text>\w[\w-]*)\*(?!\S)")
_ASKS = ("?", "？")
_QUESTION, _SENTENCE = 3, 8
"""Words beside the quoted ones that make a whole question, or a whole sentence."""


class Wording(Struct, frozen=True):
    """What a query says, by the part its words play."""

    text: str
    """The words to look for, those of phrases among them."""
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Words and phrases that must not occur; one that ends in `*` stands for all words that begin so."""
    prefixes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """What is quoted in a whole question or sentence, and need not occur."""


def wording(text: str) -> Wording:
    """Take a query apart. A lone quote, a dash between words and a flag like `-m` mean nothing special.

    In a whole question or sentence, quotes mark names: the page that answers may call it otherwise.

    >>> wording('how "rank fusion" config* -legacy works')
    Wording(text='how rank fusion works', phrases=('rank fusion',), without=('legacy',), prefixes=('config',), names=())
    >>> wording('fusion -"rank fusion" -conf*').without
    ('rank fusion', 'conf*')
    >>> wording('ls -l a-b "open').phrases
    ()
    >>> wording('who wrote the song "Dear Brother"?').names
    ('dear brother',)
    """
    quoted = [(each["not"], normalise_text(each["text"])) for each in _PHRASE.finditer(text)]
    rest = _PHRASE.sub(" ", text)
    beside = len(normalise_text(rest).split())
    whole = beside >= (_QUESTION if text.rstrip().endswith(_ASKS) else _SENTENCE)
    wanted = tuple(phrase for denied, phrase in quoted if phrase and not denied)
    phrases, names = ((), wanted) if whole else (wanted, ())
    denied = tuple(phrase for denied, phrase in quoted if phrase and denied)
    without = denied + tuple(each["text"] + (each["star"] or "") for each in _WITHOUT.finditer(rest))
    prefixes = tuple(each["text"] for each in _PREFIX.finditer(rest))
    shown = _PHRASE.sub(lambda each: " " if each["not"] else f" {each['text']} ", text)
    looked_for = " ".join(_PREFIX.sub(" ", _WITHOUT.sub(" ", shown)).split())
    if without and not normalise_text(looked_for) and not prefixes:
        return Wording(text, phrases)  # nothing but exclusions would ask for everything else: read them as words
    return Wording(looked_for, phrases, without, prefixes, names)


def understand(search: Search, tools: Tools, settings: Settings) -> Search:
    """Turn the query's text into words, phrases, exclusions and filters."""
    told = asked(search.query.text, tools.store.documents_by_key)
    said = wording(told.text)
    notes = [f"only {each.removeprefix('-')}" if each[0] != "-" else f"without {each[1:]}" for each in told.written]
    notes += [f'must contain "{phrase}"' for phrase in said.phrases] + [f"without {word}" for word in said.without]
    notes += [f'"{name}" is looked for, but need not occur: this is a whole question' for name in said.names]
    wanted = Counter(term for _, each in query_words(said.text) for term in each)
    spelled = {term: _spelled(term, token, each) for token, each in reversed(query_words(said.text)) for term in each}
    found = [Word((term,), float(times), spelled[term]) for term, times in wanted.items()]
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
        filters=_narrowed(_filtered(search, told), said, tools, settings),
        notes=(*search.notes, *notes),
    )
    if not found:
        why = " beside its filters" if told.written else ""
        return search.miss("understand", "no_words", f"the query has no word{why} that can be looked up")
    return _checked(search, told, tools, settings)


def _filtered(search: Search, told: Asked) -> Filters:
    """Add the query's own filters to those of its caller; folders are left out only as long as nobody asks for them."""
    if not told.filters.kinds:
        return narrowed(search.filters, told.filters)
    return narrowed(replace(search.filters, without_kinds=search.query.filters.without_kinds), told.filters)


def _checked(search: Search, told: Asked, tools: Tools, settings: Settings) -> Search:
    """Say so if the words are there, but nowhere that the query's own filters let through, and what there is instead.

    Only what has the words is looked at: a look at everything would cost more than the search.
    """
    for written, why in told.unread:
        search = search.degrade("understand", "unread_filter", f"{written} was looked for as text: {why}")
    if not told.written or tools.store.rank_lexical(search.words, 1, search.filters, settings.bm25):
        return search
    found = tools.store.rank_lexical(search.words, _LOOKED_AT, search.query.filters, settings.bm25)
    if not found:
        return search
    detail = f"nothing with these words passes {' '.join(told.written)}; put it in quotes to look for it as text"
    choices = _choices(told.filters, tools, {each.document for each in found})
    return search.degrade("understand", "nothing_passes", detail + (f"; {choices}" if choices else ""))


def _choices(filters: Filters, tools: Tools, ids: set[str]) -> str:
    """Name the values that documents have for filters of which they have none that was asked for."""
    documents = tools.store.documents(ids).values()
    there = {
        "kind": (filters.kinds, Counter(each.kind for each in documents)),
        "type": (filters.doc_types, Counter(each.doc_type for each in documents)),
        "tag": (filters.tags, Counter(tag for each in documents for tag in each.tags)),
        "lang": (filters.languages, Counter(each.language for each in documents)),
        "ns": (filters.namespaces, Counter(each.namespace for each in documents)),
    }
    told = []
    for name, (wanted, known) in there.items():
        known.pop("", None)
        if wanted and {each.casefold() for each in wanted}.isdisjoint(each.casefold() for each in known):
            values = KINDS if name == "kind" else [each for each, _ in known.most_common(_MOST_NAMED)]
            told.append(f"{name} is one of {', '.join(values)}" if values else f"none of these has a {name}")
    for key, _ in filters.properties:
        values = sorted({each.properties[key] for each in documents if key in each.properties})[:_MOST_NAMED]
        told.append(f"{key} is one of {', '.join(values)}" if values else f"none of these has {key}")
    return "; ".join(told)


def _spelled(term: str, token: str, asked: tuple[str, ...]) -> str:
    """Name a term for people: as the word it came from, or as a part of it."""
    return token if len(asked) == 1 or term == token.lower() else f"{term} of {token}"


def relax_phrases(search: Search, tools: Tools, settings: Settings) -> Search:
    """Let go of the phrases that the query insists on if nothing contains them, and say so."""
    if not search.quoted or not search.words:
        return search.skip("no phrase in the query")
    if tools.store.rank_lexical(search.words, 1, search.filters, settings.bm25):
        return search.skip("something contains the phrases")
    asked = search.query.filters.phrases  # the caller's own stay, even if the text says the same
    kept = tuple(phrase for phrase in search.filters.phrases if phrase in asked or phrase not in search.quoted)
    quoted = ", ".join(f'"{phrase}"' for phrase in search.quoted)
    return replace(search, filters=replace(search.filters, phrases=kept)).degrade(
        "relax_phrases", "phrase_relaxed", f"nothing contains {quoted}; its words were looked for one by one"
    )


def _beginning_with(prefix: str, tools: Tools, settings: Settings) -> list[Word]:
    """Find what a prefix stands for: terms that begin so, and the word itself, whose stem may be shorter.

    Text without spaces is cut into pairs, so there a prefix is as good as the word.
    """
    if has_cjk(prefix):
        return [Word(each, 1.0, token) for token, each in query_words(prefix)]
    known = tools.store.terms_with_prefix(normalise_text(prefix).replace(" ", "-"), settings.bm25.prefix_terms)
    return [Word(tuple(dict.fromkeys((*known, *list_terms(prefix)))), 1.0, f"{prefix}*")]


def _narrowed(filters: Filters, said: Wording, tools: Tools, settings: Settings) -> Filters:
    groups: list[tuple[str, ...]] = []
    for word in said.without:
        if word.endswith("*"):
            known = tools.store.terms_with_prefix(normalise_text(word), settings.bm25.prefix_terms)
            groups.extend((term,) for term in known)
        groups.append(tuple(dict.fromkeys(list_terms(word))))
    return replace(
        filters, phrases=(*filters.phrases, *said.phrases), without=(*filters.without, *filter(None, groups))
    )
