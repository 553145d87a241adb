"""Stage that reports names in the query that the index does not contain, with similar ones."""

import re
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher

from msgspec.structs import replace

from waymeet.analysis import list_terms
from waymeet.analysis.edit_distance import edit_distance, words_one_edit_away
from waymeet.analysis.identifiers import split_identifier
from waymeet.ports import Store
from waymeet.search.state import Search, Tools
from waymeet.search.understand.query_names import find_names, is_code_like, naming_styles
from waymeet.settings import Bm25, Settings
from waymeet.types import Chunk, Filters, Word

_WORD = re.compile(r"\w+")
_MAX_QUERY_WORDS = 30
"""Words of a query that is checked: pasted text has names of other projects."""
_MAX_SIMILAR = 3
_MIN_SIMILARITY = 0.6
"""Share of equal letters or parts from which a name is similar."""
_SAME_SCOPE = 0.1
"""Added for the same class or module."""
_MIN_SHARE = 0.5
"""Share of the query's terms from which an answer without the name is of low relevance."""
_PREFIX_CHARS = 3
_MAX_TERMS = 3000
"""Terms with the same prefix that are compared."""
_MAX_NEAR = 8
_MAX_CHARS = 40
"""Longest name that is looked for with one letter changed."""
_MAX_SECTIONS = 20
"""Sections with parts of the name whose symbols are compared."""


def find_unknown_names(search: Search, tools: Tools, settings: Settings) -> Search:
    """Report names like code that occur nowhere in the index. Their parts are searched as words."""
    names = [name.name for name in find_names(search.text) if name.is_code]
    if not names or len(search.text.split()) > _MAX_QUERY_WORDS:
        return search.skip("no symbol in the query" if not names else "long query")
    unknown = [name for name in names if _is_unknown(name, tools.store)]
    for name in unknown:
        similar = find_similar_names(name, tools.store, settings.bm25)
        hint = f"; similar: {', '.join(similar)}" if similar else ""
        search = search.degrade("find_unknown_names", "unknown_name", f"no such name in the index: {name}{hint}")
    if not unknown:
        return search.skip("the symbols occur")
    return replace(search, unknown_names=tuple(unknown))


def is_about_unknown_names(search: Search) -> bool:
    """Check whether names that occur nowhere are a large part of the query's terms."""
    terms = set(list_terms(search.text))
    unknown = {term for name in search.unknown_names for term in list_terms(name)}
    return bool(unknown) and len(terms & unknown) >= _MIN_SHARE * len(terms)


def _is_unknown(name: str, store: Store) -> bool:
    """Check whether a specific part of a name occurs nowhere in any naming style."""
    *scopes, last = name.split(".")
    parts = [last, *(scope for scope in scopes if is_code_like(scope) or scope[:1].isupper())]
    forms = [set(_indexed_forms(part)) for part in parts]
    known = store.known_terms({form for each in forms for form in each})
    return any(each and known.isdisjoint(each) for each in forms)


def _indexed_forms(part: str) -> Iterator[str]:
    """Yield the terms as which the index may contain a part of a name as a whole.

    >>> sorted(set(_indexed_forms("getUser"))), sorted(set(_indexed_forms("Stores")))
    (['get-user', 'get_user', 'getuser'], ['store', 'stores'])
    """
    for style in naming_styles(part.strip("$")):
        terms = list_terms(style)
        yield from (style.lower(), *terms[-1:])
        if len(terms) > 1:
            yield style.lower().replace("_", "-")


def find_similar_names(name: str, store: Store, bm25: Bm25) -> list[str]:
    """Find names of symbols that are spelt like a name or have the same parts."""
    scope, dot, last = name.rpartition(".")
    near = _find_near_terms(last.strip("$").lower(), store)
    words = [Word((term,)) for term in dict.fromkeys((*near, *list_terms(last)))]
    chunks = [row.chunk for row in store.rank_lexical(words, _MAX_SECTIONS, Filters(), bm25)]
    scores: dict[str, tuple[float, str]] = {}
    for candidate in _list_names(store.chunks(chunks).values(), near):
        other_scope, _, other = candidate.rpartition(".")
        is_same_scope = dot and other_scope.lower() == scope.lower()
        score = _similarity(last, other) + (_SAME_SCOPE if is_same_scope else 0.0)
        shown = candidate if dot else other
        if score >= _MIN_SIMILARITY and score > scores.get(shown.lower(), (0.0, ""))[0]:
            scores[shown.lower()] = score, shown
    return [shown for _, shown in sorted(scores.values(), key=lambda each: (-each[0], each[1]))[:_MAX_SIMILAR]]


def _find_near_terms(word: str, store: Store) -> list[str]:
    """Find terms of the index that are a few edits away from a name."""
    max_edits = min(1 + len(word) // 8, 3)
    close = store.known_terms(set(words_one_edit_away(word))) if len(word) <= _MAX_CHARS else ()
    found = dict.fromkeys(close, 1)
    for term in store.terms_with_prefix(word[:_PREFIX_CHARS], _MAX_TERMS):
        if abs(len(term) - len(word)) <= max_edits and term != word:
            distance = edit_distance(word, term, max_edits)
            if distance <= max_edits:
                found.setdefault(term, distance)
    return sorted(found, key=lambda term: (found[term], term))[:_MAX_NEAR]


def _list_names(chunks: Collection[Chunk], near: Collection[str]) -> Iterator[str]:
    """Yield the symbols of sections, then the words of their text that are near terms."""
    for chunk in chunks:
        yield from (symbol.name.partition("~")[0] for symbol in chunk.symbols if symbol.kind != "code_block")
    for chunk in chunks:
        yield from (word for word in _WORD.findall(chunk.text) if word.lower() in near)


def _similarity(one: str, other: str) -> float:
    """Return the share of equal letters or of equal parts of two names, whichever is greater.

    >>> round(_similarity("prettifyErorr", "prettifyError"), 2), _similarity("parse_url", "url_parse")
    (0.92, 1.0)
    """
    parts, others = ({part.lower() for part in split_identifier(name)} for name in (one, other))
    shared = len(parts & others) / len(parts | others) if parts | others else 0.0
    return max(SequenceMatcher(None, one.lower(), other.lower(), autojunk=False).ratio(), shared)
