"""Slips of the pen: a word that nothing indexed contains is taken for the likeliest word that something does.

Words are compared as they are written and then stemmed, for an index knows stems only: `authenticaton` is one letter
away from `authentication`, whose stem is `authent`.
"""

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from waymeet.analysis import has_cjk, list_terms, query_words, token_spans
from waymeet.analysis.edit_distance import edit_distance, words_one_edit_away
from waymeet.analysis.terms import STOP_WORDS, stem_words
from waymeet.ports import Store
from waymeet.search.state import Search, Tools
from waymeet.settings import Bm25, Settings
from waymeet.types import Filters, Word

_ONE_EDIT = 4
_TWO_EDITS = 8
"""Letters that a word must have to be taken for one that is one or two edits away."""
_SWAPS_ONLY = 4
"""A word as short as this is one letter away from too many others: cash is not crash. Only swapped letters count."""
_LONGEST = 30
_MOST_WORDS = 20
"""Words that are looked at in one query: a text that was pasted in is not spelt anew."""
_BEGINNING = 3
_CANDIDATES = 3000
_RIVALS = 8
_READ = 10
"""Sections that are read to see how a word is spelt."""
_PLAIN = re.compile(r"(?<![^\s(\[{,;:!?'\"“”„«»])([^\W\d_]+)(?=[\s)\]},;:!?'\"“”„«»]|\.(?:\s|$)|$)")
"""Words that are nothing but letters: no part of an identifier, of a path, of an address or of a file's name."""
_ENDINGS = (
    *(
        "",
        "s",
        "es",
        "e",
        "y",
        "ies",
        "ed",
        "er",
        "ers",
        "or",
        "ors",
        "ing",
        "ings",
        "al",
        "ally",
        "ly",
        "able",
        "ible",
    ),
    *("ion", "ions", "ation", "ations", "ization", "izations", "ication", "ications", "ment", "ments", "ness", "ity"),
    *("ities", "ive", "ance", "ence", "ant", "ent", "ful", "ize", "izes", "ized", "izing", "ate", "ated", "ating"),
)


def correct_spelling(search: Search, tools: Tools, settings: Settings) -> Search:
    """Look also for what misspelt words probably mean; words that exist, names and quoted text stay as they are."""
    if not settings.understand.fuzzy:
        return search.skip("setting understand.fuzzy")
    meant = {word: found for word in _strange(search, tools.store) if (found := likeliest(word, tools, settings.bm25))}
    if not meant:
        return search.skip("no word to repair")
    asked = {term for word in search.words for term in word.terms}
    added = [
        Word((term,), settings.understand.repaired, right)
        for right in dict.fromkeys(meant.values())
        for term in list_terms(right)
        if term not in asked
    ]
    notes = [f"{wrong} → {right}" for wrong, right in meant.items()]
    return replace(
        search,
        text=_put_right(search.text, meant),
        vector_text=search.text,
        words=(*search.words, *added),
        notes=(*search.notes, *notes),
    )


def _strange(search: Search, store: Store) -> list[str]:
    """List the words of a query that may be misspelt: plain words none of whose forms is in the index."""
    quoted = {token for phrase in search.quoted for token in phrase.split()}
    found = dict.fromkeys(
        match[1].lower()
        for match in _PLAIN.finditer(search.text)
        if _ONE_EDIT <= len(match[1]) <= _LONGEST and _is_word(match[1])
    )
    forms = {
        word: tuple(term for _, each in query_words(word) for term in each) for word in found if word not in quoted
    }
    known = store.known_terms({term for each in forms.values() for term in each})
    strange = [word for word, each in forms.items() if each and known.isdisjoint(each)]
    return strange[:_MOST_WORDS]


def _is_word(token: str) -> bool:
    """Tell a word from an identifier and from an acronym: it is written small, but for its first letter at most."""
    return token[1:].islower() and not has_cjk(token)


def likeliest(word: str, tools: Tools, bm25: Bm25) -> str:
    """Find what a word that is not in the index is most likely meant to be; empty if nothing is like it.

    One edit goes before two, and then what more sections contain. The first letter may be left out, doubled or
    swapped but is hardly ever mistaken: “settle” is a word that nobody wrote here, not a slip of “kettle”.
    """
    near = [each for each in words_one_edit_away(word) if len(word) > _SWAPS_ONLY or sorted(each) == sorted(word)]
    if not STOP_WORDS.isdisjoint(near):
        return ""  # a slip of a word that is not looked for anyway
    stemmed = stem_words(near)
    known = tools.store.known_terms(set(stemmed))
    rivals = {each: stem for each, stem in zip(near, stemmed, strict=True) if stem in known}
    if not rivals and len(word) >= _TWO_EDITS:
        rivals = _two_edits_away(word, tools.store.terms_with_prefix(word[:_BEGINNING], _CANDIDATES))
    same = {each: stem for each, stem in rivals.items() if _begins_alike(word, each)}
    likely = list(dict.fromkeys(same.values()))[:_RIVALS]
    rated = [rating for stem in likely if (rating := _rated(stem, word, same, tools.store, bm25))]
    return min(rated)[-1] if rated else ""


def _begins_alike(word: str, other: str) -> bool:
    return word[0] == other[0] or other[:2] == word[1::-1] or word[1:] == other or other[1:] == word


def _rated(
    stem: str, word: str, forms: Mapping[str, str], store: Store, bm25: Bm25
) -> tuple[bool, int, float, str] | None:
    """Rate what a word may be meant to be: whether that very form stands in a text, how like, how rare.

    An index knows stems only, so some of the texts that have the stem are read to see how it is spelt. None if nothing
    there is like the word: other words that happen to have the stem are not meant.
    """
    wanted = (Word((stem,)),)
    found = [each.chunk for each in store.rank_lexical(wanted, _READ, Filters(), bm25)]
    evidence = store.lexical_evidence(wanted, found[:1], bm25)
    rarity = next((one.idf for each in evidence.values() for one in each), float("inf"))
    texts = [chunk.text for chunk in store.chunks(found).values()]
    seen = {text[start:end].lower() for text in texts for start, end, each in token_spans(text) if each == (stem,)}
    exact = [form for form in seen if forms.get(form) == stem]
    like = len(stem) > _ONE_EDIT and edit_distance(word[: len(stem)], stem, 1) <= 1
    if not exact and not like:
        return None
    best = min(exact or seen or {stem}, key=lambda form: (edit_distance(word, form, _LONGEST), form))
    return not exact, edit_distance(word, best, _LONGEST), rarity, best


def _two_edits_away(word: str, candidates: Iterable[str]) -> dict[str, str]:
    """Find terms some form of which is two edits away from a word; the first are those that most sections contain."""
    letters = set(word)
    found: dict[str, str] = {}
    for term in candidates:
        if len(term) > len(word) + 2 or len(term) < _ONE_EDIT or not term.isalpha() or len(set(term) - letters) > 2:
            continue
        if edit_distance(word[: len(term)], term, 2) > 2:
            continue
        for ending in _ENDINGS:
            form = term + ending
            if edit_distance(word, form, 2) <= 2 and list_terms(form) == [term]:
                found.setdefault(form, term)
                break
    return found


def _put_right(text: str, meant: Mapping[str, str]) -> str:
    return _PLAIN.sub(lambda match: meant.get(match[1].lower(), match[0]), text)
