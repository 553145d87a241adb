"""Parse a query: words, phrases, exclusions, prefixes and filters.

Any string is a valid query.
"""

import re
from collections import Counter
from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import has_cjk, list_terms, normalise_text, query_words
from waymeet.errors import UsageError
from waymeet.search.state import Search, Tools
from waymeet.search.understand.inline_filters import (
    KINDS,
    DocumentsByKey,
    InlineFilters,
    narrow_filters,
    parse_inline_filters,
)
from waymeet.settings import Settings
from waymeet.types import Filters, Word

_QUOTES = '"“”„'
_PHRASE = re.compile(rf"(?P<not>(?<!\S)[-−])?[{_QUOTES}](?P<text>[^{_QUOTES}]+)[{_QUOTES}]")
_EXCLUSION = re.compile(r"(?<!\S)[-−](?P<text>[^\W\d_][\w-]+)(?P<star>\*)?(?!\S)")
_PREFIX = re.compile(r"(?<!\S)(?P<text>\w[\w-]*)\*(?!\S)")
_QUESTION_MARKS = ("?", "？")
_QUESTION_WORDS, _SENTENCE_WORDS = 3, 8
"""Words outside of quotes that make a full question, or a full sentence."""
_LABEL = re.compile(r"\w: $")
"""The end of the text before a quoted value, as in *Unrecognized key: "foo"*."""
_MESSAGE = re.compile(
    r"(?i)\b(?:unable|can(?:not|['’]t)|could(?: not|n['’]t)|unknown|unrecogni[sz]ed|unexpected|unsupported|undefined"
    r"|invalid|failed|not found|no such|is missing|already exists|denied)\b"
)
"""Words of error messages."""
_LABEL_WORDS, _MESSAGE_WORDS = 2, 3
"""Words outside of quotes that make an error message, with a colon before the quotes or a word of such messages."""
_MAX_VALUES = 12
"""Values that are suggested for a filter."""
_MAX_MATCHES = 200
"""Chunks with the query's words that are examined for values of its filters."""


class ParsedQuery(Struct, frozen=True):
    """The parts of a query."""

    text: str
    """The words to search for, those of phrases included."""
    phrases: tuple[str, ...] = ()
    """Phrases that must occur."""
    without: tuple[str, ...] = ()
    """Words and phrases that must not occur; a word that ends in `*` is a prefix."""
    prefixes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Quoted text in a full question, sentence or error message, which need not occur."""


def parse_query(text: str) -> ParsedQuery:
    """Parse phrases, exclusions and prefixes out of a query.

    A single quote, a dash between words and a flag such as `-m` have no special function. In a full question or
    sentence, quotes mark names: the document that answers may use another name. In an error message they mark a value,
    which is not in the code that writes the message.

    >>> parse_query('how "rank fusion" config* -legacy works')  # doctest: +NORMALIZE_WHITESPACE
    ParsedQuery(text='how rank fusion works', phrases=('rank fusion',), without=('legacy',), prefixes=('config',),
    names=())
    >>> parse_query('fusion -"rank fusion" -conf*').without
    ('rank fusion', 'conf*')
    >>> parse_query('ls -l a-b "open').phrases
    ()
    >>> parse_query('who wrote the song "Dear Brother"?').names
    ('dear brother',)
    >>> parse_query('unknown format "date-time" ignored').names, parse_query('invalid "date-time"').phrases
    (('date time',), ('date time',))
    """
    matches = list(_PHRASE.finditer(text))
    quoted = [(match["not"], normalise_text(match["text"])) for match in matches]
    unquoted = _PHRASE.sub(" ", text)
    has_label = any(_LABEL.search(text[: match.start()]) for match in matches)
    is_sentence = len(normalise_text(unquoted).split()) >= _min_words(text, unquoted, has_label=has_label)
    required = tuple(phrase for is_excluded, phrase in quoted if phrase and not is_excluded)
    phrases, names = ((), required) if is_sentence else (required, ())
    excluded = tuple(phrase for is_excluded, phrase in quoted if phrase and is_excluded)
    excluded += tuple(match["text"] + (match["star"] or "") for match in _EXCLUSION.finditer(unquoted))
    prefixes = tuple(match["text"] for match in _PREFIX.finditer(unquoted))
    return ParsedQuery(_strip_operators(text), phrases, excluded, prefixes, names)


def _min_words(text: str, unquoted: str, *, has_label: bool) -> int:
    """Return how many words outside of quotes make a query a sentence or an error message."""
    if text.rstrip().endswith(_QUESTION_MARKS):
        return _QUESTION_WORDS
    if has_label:
        return _LABEL_WORDS
    return _MESSAGE_WORDS if _MESSAGE.search(unquoted) else _SENTENCE_WORDS


def _strip_operators(text: str) -> str:
    """Remove exclusions, prefixes and quotes from a query, but keep quoted text.

    >>> _strip_operators('fusion -legacy "-request" conf* -"rank"')
    'fusion -request'
    """
    pieces, end = [], 0
    for match in _PHRASE.finditer(text):
        pieces += [
            _PREFIX.sub(" ", _EXCLUSION.sub(" ", text[end : match.start()])),
            "" if match["not"] else match["text"],
        ]
        end = match.end()
    pieces.append(_PREFIX.sub(" ", _EXCLUSION.sub(" ", text[end:])))
    return " ".join(" ".join(pieces).split())


def refuse_exclusions_alone(text: str, documents_by_key: DocumentsByKey) -> None:
    """Refuse a query that only excludes words: it would match everything else.

    Raises:
        UsageError: the query has exclusions, but nothing to search for.
    """
    parsed = parse_query(parse_inline_filters(text, documents_by_key).text)
    if parsed.without and not normalise_text(parsed.text) and not parsed.prefixes:
        raise UsageError(
            f"The query only excludes words: {' '.join(text.split())}",
            f'Add a word to search for. To search for the excluded text itself, quote it: "{parsed.without[0]}"',
        )


def understand(search: Search, tools: Tools, settings: Settings) -> Search:
    """Parse the query's text into words, phrases, exclusions and filters."""
    inline = parse_inline_filters(search.query.text, tools.store.documents_by_key)
    parsed = parse_query(inline.text)
    notes = _describe_parts(inline, parsed)
    words = _make_words(parsed.text)
    for prefix in parsed.prefixes:
        matching = _prefix_words(prefix, tools, settings)
        notes.append(f"{prefix}* matches {sum(len(word.terms) for word in matching)} terms")
        words.extend(matching)
    if len(words) > settings.pool.query_words:
        notes.append(f"only the first {settings.pool.query_words} of {len(words)} distinct words were used")
        words = words[: settings.pool.query_words]
    search = replace(
        search,
        text=parsed.text,
        quoted=parsed.phrases,
        words=tuple(words),
        filters=_add_phrases(_merge_filters(search, inline), parsed, tools, settings),
        notes=(*search.notes, *notes),
    )
    if not words:
        besides = " besides its filters" if inline.written else ""
        return search.miss("understand", "no_words", f"the query contains no searchable word{besides}")
    return _check_filters(search, inline, tools, settings)


def _describe_parts(inline: InlineFilters, parsed: ParsedQuery) -> list[str]:
    """Write a note for every filter, phrase and exclusion of a query."""
    notes = [f"without {text[1:]}" if text[0] == "-" else f"only {text}" for text in inline.written]
    notes += [*map(_phrase_note, parsed.phrases), *(f"without {word}" for word in parsed.without)]
    return notes + [
        f'"{name}" need not occur: quotes in a sentence or an error message mark a name or a value'
        for name in parsed.names
    ]


def _phrase_note(phrase: str) -> str:
    return f'must contain "{phrase}"'


def _make_words(text: str) -> list[Word]:
    """Create a word for each distinct term of a text, weighted by its frequency."""
    tokens = query_words(text)
    counts = Counter(term for _, terms in tokens for term in terms)
    names = {term: _name_term(term, token, terms) for token, terms in reversed(tokens) for term in terms}
    return [Word((term,), float(times), names[term]) for term, times in counts.items()]


def _name_term(term: str, token: str, terms: tuple[str, ...]) -> str:
    """Name a term for users by the token it comes from.

    The term is added if the token has several.

    >>> _name_term("invoic", "invoice", ("invoic", "invoice")), _name_term("tea", "tea", ("tea",))
    ('invoice (term invoic)', 'tea')
    """
    return token if len(terms) == 1 or term == token.lower() else f"{token} (term {term})"


def _merge_filters(search: Search, inline: InlineFilters) -> Filters:
    """Merge the filters in the query with those of the caller.

    A filter by kind in the query replaces the default exclusion of folders.
    """
    if not inline.filters.kinds:
        return narrow_filters(search.filters, inline.filters)
    own = search.query.filters.without_kinds
    kept = tuple(kind for kind in search.filters.without_kinds if kind != "folders" or kind in own)
    return narrow_filters(replace(search.filters, without_kinds=kept), inline.filters)


def _check_filters(search: Search, inline: InlineFilters, tools: Tools, settings: Settings) -> Search:
    """Report filters that are invalid, or that exclude every chunk with the query's words.

    Values are suggested from chunks with these words only: to examine all documents would cost more than the search.
    """
    for written, reason in inline.invalid:
        search = search.degrade("understand", "unread_filter", f"{written} was searched for as text: {reason}")
    if not inline.written or tools.store.rank_lexical(search.words, 1, search.filters, settings.bm25):
        return search
    matches = tools.store.rank_lexical(search.words, _MAX_MATCHES, search.query.filters, settings.bm25)
    if not matches:
        return search
    written = " ".join(inline.written)
    detail = f"no section with these words passes {written}; put it in quotes to search for it as text"
    values = _suggest_values(inline.filters, tools, {row.document for row in matches})
    return search.degrade("understand", "nothing_passes", detail + (f"; {values}" if values else ""))


def _suggest_values(filters: Filters, tools: Tools, ids: Collection[str]) -> str:
    """List the values that documents have for each filter that none of them passes."""
    documents = tools.store.documents(ids).values()
    by_filter = {
        "kind": (filters.kinds, Counter(each.kind for each in documents)),
        "type": (filters.doc_types, Counter(each.doc_type for each in documents)),
        "tag": (filters.tags, Counter(tag for each in documents for tag in each.tags)),
        "lang": (filters.languages, Counter(each.language for each in documents)),
        "ns": (filters.namespaces, Counter(each.namespace for each in documents)),
    }
    suggestions = []
    for name, (required, known) in by_filter.items():
        known.pop("", None)
        if required and {each.casefold() for each in required}.isdisjoint(each.casefold() for each in known):
            values = KINDS if name == "kind" else [each for each, _ in known.most_common(_MAX_VALUES)]
            suggestions.append(f"{name} is one of {', '.join(values)}" if values else f"no match has a {name}")
    for key, _ in filters.properties:
        values = sorted({each.properties[key] for each in documents if key in each.properties})[:_MAX_VALUES]
        suggestions.append(f"{key} is one of {', '.join(values)}" if values else f"no match has {key}")
    return "; ".join(suggestions)


def relax_phrases(search: Search, tools: Tools, settings: Settings) -> Search:
    """Drop the phrases that the query requires if no section contains them."""
    if not search.quoted or not search.words:
        return search.skip("no phrase in the query")
    if tools.store.rank_lexical(search.words, 1, search.filters, settings.bm25):
        return search.skip("the phrases occur")
    own = search.query.filters.phrases  # phrases that the caller filters by stay, even if the query repeats them
    phrases = tuple(phrase for phrase in search.filters.phrases if phrase in own or phrase not in search.quoted)
    quoted = ", ".join(f'"{phrase}"' for phrase in search.quoted)
    outdated = {_phrase_note(phrase) for phrase in search.quoted if phrase not in own}
    notes = tuple(note for note in search.notes if note not in outdated)
    return replace(search, filters=replace(search.filters, phrases=phrases), notes=notes).degrade(
        "relax_phrases", "phrase_relaxed", f"no section contains {quoted}; its words were searched individually"
    )


def _prefix_words(prefix: str, tools: Tools, settings: Settings) -> list[Word]:
    """Expand a prefix to the terms that begin with it.

    The terms of the prefix itself are added, because a stem may be shorter than the prefix. Text without spaces is
    indexed as pairs of characters, so a prefix is searched as a word there.
    """
    if has_cjk(prefix):
        return [Word(terms, 1.0, token) for token, terms in query_words(prefix)]
    known = tools.store.terms_with_prefix(normalise_text(prefix).replace(" ", "-"), settings.bm25.prefix_terms)
    return [Word(tuple(dict.fromkeys((*known, *list_terms(prefix)))), 1.0, f"{prefix}*")]


def _add_phrases(filters: Filters, parsed: ParsedQuery, tools: Tools, settings: Settings) -> Filters:
    """Add the phrases and exclusions of a query to its filters."""
    groups: list[tuple[str, ...]] = []
    for word in parsed.without:
        if word.endswith("*"):
            known = tools.store.terms_with_prefix(normalise_text(word), settings.bm25.prefix_terms)
            groups.extend((term,) for term in known)
        groups.append(tuple(dict.fromkeys(list_terms(word))))
    return replace(
        filters, phrases=(*filters.phrases, *parsed.phrases), without=(*filters.without, *filter(None, groups))
    )
