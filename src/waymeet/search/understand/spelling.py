"""Spelling correction: replace unknown words by the most likely words of the index.

Words are compared as written and then stemmed, because an index contains stems only: `authenticaton` is one edit away
from `authentication`, whose stem is `authent`.
"""

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from waymeet.analysis import detect_language, has_cjk, list_terms, query_words, token_spans
from waymeet.analysis.edit_distance import edit_distance, words_one_edit_away
from waymeet.analysis.embedded.space_names import part_spaces
from waymeet.analysis.file_roles import BUILD_OUTPUT, GENERATED, LOCALE, LOCK, MINIFIED, VENDORED
from waymeet.analysis.terms import STOP_WORDS, stem_words
from waymeet.errors import EmbeddingError
from waymeet.ports import Store, Vocabulary, multilingual_embedder
from waymeet.search.state import Search, Tools
from waymeet.settings import Bm25, Settings
from waymeet.types import Filters, Word

_MIN_CHARS = 4
"""Shortest word that is corrected by one edit."""
_MIN_CHARS_TWO_EDITS = 8
"""Shortest word that is corrected by two edits."""
_SWAPS_ONLY_CHARS = 4
"""Words up to this length are corrected by swapped letters only: cash is one edit away from crash."""
_MAX_CHARS = 30
_MAX_WORDS = 20
"""Words that are checked in one query: pasted text is not corrected."""
_MAX_RARE_CHUNKS = 20
"""Sections up to which the roles of the files that contain a word are looked up."""
_ROLES_OF_OTHERS = frozenset({LOCALE, GENERATED, MINIFIED, VENDORED, BUILD_OUTPUT, LOCK})
"""Roles of files whose words do not count as known. Data may contain names that occur nowhere else."""
_MAX_ROLE_SHARE = 0.9
"""Share of the files of an index from which the words of a role count as known."""
_PREFIX_CHARS = 3
_MAX_TERMS = 3000
"""Terms with the same prefix that are compared for two edits."""
_MAX_STEMS = 8
"""Stems that are rated by reading sections."""
_MAX_SECTIONS = 10
"""Sections that are read to find the spelling of a stem."""
_PLAIN = re.compile(r"(?<![^\s(\[{,;:!?'\"“”„«»])([^\W\d_]+)(?=[\s)\]},;:!?'\"“”„«»]|\.(?:\s|$)|$)")
"""Words of letters only: not part of an identifier, a path, a URL or a file name."""
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
    """Add corrections of misspelt words, except known words, names and quoted text.

    A word that the main model knows is spelt right, so it gets the corrected text. Without a list of its words it gets
    the text as written: a word that the index does not contain may be right.
    """
    if not settings.understand.fuzzy:
        return search.skip("setting understand.fuzzy")
    if _is_foreign(search.text, tools):
        return search.skip("no section is in the query's language")
    reads_corrected = _knows_language(search.text, tools)
    unknown = _find_unknown_words(search, tools.store, settings.bm25)
    if reads_corrected:
        unknown = [word for word in unknown if not _is_known_to_model(word, tools.vocabulary)]
    corrections = {word: right for word in unknown if (right := find_correction(word, tools, settings.bm25))}
    if not corrections:
        return search.skip("nothing to correct")
    present = {term for word in search.words for term in word.terms}
    added = [
        Word((term,), settings.understand.repaired, right)
        for right in dict.fromkeys(corrections.values())
        for term in list_terms(right)
        if term not in present
    ]
    notes = [f"{wrong} → {right}" for wrong, right in corrections.items()]
    corrected = _PLAIN.sub(lambda match: corrections.get(match[1].lower(), match[0]), search.text)
    return replace(
        search,
        text=corrected,
        vector_text=corrected if reads_corrected else search.text,
        words=(*search.words, *added),
        notes=(*search.notes, *notes),
    )


def _knows_language(text: str, tools: Tools) -> bool:
    """Check whether the main model has a list of the words of the query's language."""
    return bool(tools.vocabulary and tools.embedders and tools.embedders[0].supports_language(detect_language(text)))


def _is_known_to_model(word: str, vocabulary: Vocabulary | None) -> bool:
    """Check whether the main model knows a word.

    If the model cannot be read, embedding the query reports that.
    """
    try:
        return vocabulary is not None and vocabulary.is_word(word)
    except EmbeddingError:
        return False


def _is_foreign(text: str, tools: Tools) -> bool:
    """Check whether a query is in a language in which no section is known to be.

    Its words are not misspelt words of another language.
    """
    language, multilingual = detect_language(text), multilingual_embedder(tools.embedders)
    if not language or multilingual is None:
        return False
    languages = part_spaces(multilingual.space, tools.store.spaces()).values()
    return bool(languages) and language not in languages


def _find_unknown_words(search: Search, store: Store, bm25: Bm25) -> list[str]:
    """List the plain words of a query none of whose terms is in the index.

    Terms in catalogues, generated files and copies alone do not count.
    """
    quoted = {token for phrase in search.quoted for token in phrase.split()}
    plain = dict.fromkeys(
        match[1].lower()
        for match in _PLAIN.finditer(search.text)
        if _MIN_CHARS <= len(match[1]) <= _MAX_CHARS and _is_word(match[1])
    )
    terms_of = {
        word: tuple(term for _, terms in query_words(word) for term in terms) for word in plain if word not in quoted
    }
    known = store.known_terms({term for terms in terms_of.values() for term in terms})
    unknown = {word for word, terms in terms_of.items() if terms and known.isdisjoint(terms)}
    if detect_language(search.text) in {"", "en"}:
        checked = [word for word, terms in terms_of.items() if terms and word not in unknown][:_MAX_WORDS]
        unknown |= _find_words_of_others({word: Word(terms_of[word]) for word in checked}, store, bm25)
    return [word for word in terms_of if word in unknown][:_MAX_WORDS]


def _find_words_of_others(words: Mapping[str, Word], store: Store, bm25: Bm25) -> set[str]:
    """List the rare words that occur only in catalogues, generated files and copies.

    A misspelling may be a word of another language there.
    """
    profile = store.corpus_profile()
    roles = {role for role in _ROLES_OF_OTHERS if 0.0 < profile.role_share(role) < _MAX_ROLE_SHARE}
    if not words or not roles:
        return set()
    frequencies = zip(words.items(), store.chunk_frequencies(list(words.values()), bm25), strict=True)
    rare = {name: word for (name, word), chunks in frequencies if chunks <= _MAX_RARE_CHUNKS}
    documents = {
        name: {row.document for row in store.rank_lexical((word,), _MAX_RARE_CHUNKS, Filters(), bm25)}
        for name, word in rare.items()
    }
    role_of = store.roles(set().union(*documents.values()))
    return {name for name, ids in documents.items() if ids and roles.issuperset(role_of[id_] for id_ in ids)}


def _is_word(token: str) -> bool:
    """Check that a token is lower case except for its first letter: no identifier, no acronym."""
    return token[1:].islower() and not has_cjk(token)


def find_correction(word: str, tools: Tools, bm25: Bm25) -> str:
    """Find the most likely correction of an unknown word, or an empty string.

    One edit is preferred to two, then the more frequent word. The first letter may be missing, doubled or swapped, but
    is hardly ever wrong: “settle” is an unknown word rather than a typo of “kettle”.
    """
    near = [each for each in words_one_edit_away(word) if len(word) > _SWAPS_ONLY_CHARS or sorted(each) == sorted(word)]
    if not STOP_WORDS.isdisjoint(near):
        return ""  # a typo of a stop word, which is not searched anyway
    stems = stem_words(near)
    known = tools.store.known_terms(set(stems))
    forms = {each: stem for each, stem in zip(near, stems, strict=True) if stem in known}
    forms = _select_own_forms(forms, tools.store, bm25)
    if not forms and len(word) >= _MIN_CHARS_TWO_EDITS:
        forms = _find_two_edits_away(word, tools.store.terms_with_prefix(word[:_PREFIX_CHARS], _MAX_TERMS))
        forms = _select_own_forms(forms, tools.store, bm25)
    forms = {each: stem for each, stem in forms.items() if _has_same_start(word, each)}
    likely = list(dict.fromkeys(forms.values()))[:_MAX_STEMS]
    ratings = [rating for stem in likely if (rating := _rate_stem(stem, word, forms, tools.store, bm25))]
    return min(ratings)[-1] if ratings else ""


def _select_own_forms(forms: Mapping[str, str], store: Store, bm25: Bm25) -> dict[str, str]:
    """Select the forms that do not occur in catalogues, generated files and copies alone."""
    others = _find_words_of_others({stem: Word((stem,)) for stem in forms.values()}, store, bm25)
    return {form: stem for form, stem in forms.items() if stem not in others}


def _has_same_start(word: str, other: str) -> bool:
    """Check that the first letters are equal, swapped, or that one first letter is missing."""
    return word[0] == other[0] or other[:2] == word[1::-1] or word[1:] == other or other[1:] == word


def _rate_stem(
    stem: str, word: str, forms: Mapping[str, str], store: Store, bm25: Bm25
) -> tuple[bool, int, float, str] | None:
    """Rate a stem as a correction, the lower the better, or return None if it is none.

    The rating is: exact form missing, number of edits, idf, spelling. The index contains stems only, so some sections
    with the stem are read to see how it is spelt. Other words with the same stem are no correction.
    """
    stem_word = (Word((stem,)),)
    chunks = [row.chunk for row in store.rank_lexical(stem_word, _MAX_SECTIONS, Filters(), bm25)]
    evidence = store.lexical_evidence(stem_word, chunks[:1], bm25)
    idf = next((part.idf for parts in evidence.values() for part in parts), float("inf"))
    texts = [chunk.text for chunk in store.chunks(chunks).values()]
    spellings = {
        text[start:end].lower() for text in texts for start, end, terms in token_spans(text) if terms == (stem,)
    }
    exact = [form for form in spellings if forms.get(form) == stem]
    is_similar = len(stem) > _MIN_CHARS and edit_distance(word[: len(stem)], stem, 1) <= 1
    if not exact and not is_similar:
        return None
    best = min(exact or spellings or {stem}, key=lambda form: (edit_distance(word, form, _MAX_CHARS), form))
    return not exact, edit_distance(word, best, _MAX_CHARS), idf, best


def _find_two_edits_away(word: str, terms: Iterable[str]) -> dict[str, str]:
    """Find forms of terms that are two edits away from a word, with their terms."""
    letters = set(word)
    forms: dict[str, str] = {}
    for term in terms:
        if len(term) > len(word) + 2 or len(term) < _MIN_CHARS or not term.isalpha() or len(set(term) - letters) > 2:
            continue
        if edit_distance(word[: len(term)], term, 2) > 2:
            continue
        for ending in _ENDINGS:
            form = term + ending
            if edit_distance(word, form, 2) <= 2 and list_terms(form) == [term]:
                forms.setdefault(form, term)
                break
    return forms
