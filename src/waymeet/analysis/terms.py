"""Analyzer: text to terms, by splitting, stop words and stemming, for documents and queries."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from unicodedata import normalize

import Stemmer

from waymeet.analysis.cjk import RUN, grams, has_cjk, pairs
from waymeet.analysis.identifiers import split_identifier

STOP_WORDS = frozenset(
    """
    a an the
    and or but nor
    of with by from in to on at into onto upon as than
    i me my we us our you your he him his she her it its they them their
    this that these those there
    what which who whom whose how why
    would could should may might shall must will
    am are was were be been being
    """.split()
)


VERSION = 3
"""Part of an index's fingerprint: raise it when the same text would give other terms."""

# Combining marks, which Python does not count among \w: accents as separate characters, Hebrew and
# Arabic points, and the vowel signs of the scripts of India and South-East Asia.
COMBINING_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u109f\u1780-\u17d3"
_LETTER = rf"[\w{COMBINING_MARKS}]"
_TOKEN = re.compile(rf"{_LETTER}+(?:-{_LETTER}+)*(?:['’](?:s|t|d|m|re|ve|ll)\b)?")
_ASCII_TOKEN = re.compile(r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*|)(?:'(?:s|t|d|m|re|ve|ll)\b|)", re.ASCII)
"""The same for ASCII texts. An empty alternative is faster than an optional group."""
_RUN_OR_WORD = re.compile(rf"(?P<run>{RUN.pattern})|(?:(?!{RUN.pattern}){_LETTER}|-)+")
_CONTRACTION = re.compile(r"['’]\w+$")
_SEPARATORS = re.compile(rf"[^\w{COMBINING_MARKS}]+")
_ASCII_SEPARATORS = {code: " " for code in range(128) if _SEPARATORS.match(chr(code))}
_MAX_TERM_CHARS = 64
_CACHE_SIZE = 100_000

_stemmer = Stemmer.Stemmer("english", 0)
_stem: Callable[[str], str] = _stemmer.stemWord


class _Expanded(dict[str, tuple[str, ...]]):
    """The terms of tokens met so far."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        if has_cjk(token):
            return tuple(_expand_cjk(token))  # CJK runs rarely repeat: not worth caching
        terms = tuple(_expand_word(token))
        if len(self) >= _CACHE_SIZE:
            self.clear()
        if len(token) <= _MAX_TERM_CHARS:
            self[token] = terms
        return terms


_expanded = _Expanded()


def count_terms(text: str) -> dict[str, int]:
    """Count the terms of a text.

    >>> count_terms("User users of getUserById")
    {'user': 3, 'get': 1, 'id': 1, 'getuserbyid': 1}
    """
    return dict(Counter(chain.from_iterable(map(_expanded.__getitem__, _find_tokens(text)))))


def list_terms(text: str) -> list[str]:
    """List the terms of a text in its order.

    >>> list_terms("user_authentication_flow")
    ['user', 'authent', 'flow', 'user_authentication_flow']
    >>> list_terms("設定 file")
    ['設', '定', '設定', 'file']
    """
    return [term for token in _find_tokens(text) for term in _expanded[token]]


def list_forms(text: str) -> set[str]:
    """List the different words of a text as they are before stemming, without stop words.

    >>> sorted(list_forms("Users of getUserIds, 検索words"))
    ['get', 'ids', 'user', 'users', 'words']
    """
    forms: set[str] = set()
    for token in set(_TOKEN.findall(_normalise_unicode(text))):
        for word in RUN.sub(" ", token).split() if has_cjk(token) else (token,):
            pieces = split_identifier(_CONTRACTION.sub("", word))
            forms.update(piece.lower()[:_MAX_TERM_CHARS] for piece in pieces)
    return forms - STOP_WORDS


def token_spans(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the start, end and terms of each token, in CJK text of each pair of characters.

    >>> list(token_spans("of Users"))
    [(0, 2, ()), (3, 8, ('user',))]
    >>> list(token_spans("検索語"))
    [(0, 2, ('検', '検索')), (1, 3, ('索', '索語')), (2, 3, ('語',))]
    """
    if text.isascii():
        for match in _TOKEN.finditer(text):
            yield match.start(), match.end(), _expanded[match.group()]
        return
    for match in _TOKEN.finditer(text):
        token, start = match.group(), match.start()
        if not has_cjk(token):
            yield start, match.end(), _expanded[_normalise_unicode(token)]
            continue
        for part in _RUN_OR_WORD.finditer(token):
            if part["run"] is None:
                yield start + part.start(), start + part.end(), _expanded[_normalise_unicode(part.group())]
                continue
            for i, letter in enumerate(part["run"]):
                pair = part["run"][i : i + 2]
                position = start + part.start() + i
                yield position, position + len(pair), tuple(dict.fromkeys((letter, pair)))


def query_words(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """List the words of a query with the terms to look up for each.

    For CJK runs these are the pairs: a single character is less specific, and is used only if there is no pair. For
    other words they are its terms and the unstemmed word, which may be an identifier in lower case.

    >>> query_words("is getUserById")
    [('is', ('is',)), ('getUserById', ('get', 'user', 'id', 'getuserbyid'))]
    >>> query_words("getsettings")
    [('getsettings', ('getset', 'getsettings'))]
    >>> query_words("検索語"), query_words("語")
    ([('検索', ('検索',)), ('索語', ('索語',))], [('語', ('語',))])
    """
    words: list[tuple[str, tuple[str, ...]]] = []
    for token in _TOKEN.findall(_normalise_unicode(text)):
        if not has_cjk(token):
            words.append((token, _query_terms(token)))
            continue
        for run in RUN.findall(token):
            words.extend((gram, (gram,)) for gram in pairs(run) or run)
        words.extend((word, _query_terms(word)) for word in RUN.sub(" ", token).split())
    return words


def _query_terms(token: str) -> tuple[str, ...]:
    """List the terms of a word and the word itself, as identifiers are indexed unstemmed."""
    terms = _expanded[token]
    unstemmed = token.lower()[:_MAX_TERM_CHARS]
    return (*terms, unstemmed) if terms and unstemmed not in terms else terms


def stem_words(words: Sequence[str]) -> list[str]:
    """Stem many lower-case words at once, which is much faster than one by one.

    >>> stem_words(["users", "authentication"])
    ['user', 'authent']
    """
    stems: list[str] = _stemmer.stemWords(words)
    return stems


def normalise_text(text: str) -> str:
    """Reduce a text to lower-case words separated by spaces, for comparing phrases.

    >>> normalise_text("Reciprocal-Rank  Fusion!")
    'reciprocal rank fusion'
    """
    if text.isascii():  # three times as fast
        return " ".join(text.lower().translate(_ASCII_SEPARATORS).split())
    return _SEPARATORS.sub(" ", _normalise_unicode(text).lower()).strip()


def contains_phrase(text: str, phrase: str) -> bool:
    """Check whether a normalised text contains a normalised phrase, at word boundaries.

    CJK text has no word boundaries; there any position counts.

    >>> contains_phrase("rank fusion works", "rank fusion"), contains_phrase("frank fusion", "rank fusion")
    (True, False)
    >>> contains_phrase("全文検索の設定", "検索")
    True
    """
    start = text.find(phrase)
    while start >= 0 and phrase:
        end = start + len(phrase)
        starts_word = start == 0 or text[start - 1] == " " or has_cjk(phrase[0])
        ends_word = end == len(text) or text[end] == " " or has_cjk(phrase[-1])
        if starts_word and ends_word:
            return True
        start = text.find(phrase, start + 1)
    return False


def replace_surrogates(text: str) -> str:
    r"""Replace lone surrogates, which cannot be encoded as UTF-8.

    They come from command lines and other programs.

    >>> replace_surrogates("a\udc80b")
    'a�b'
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _find_tokens(text: str) -> list[str]:
    return _ASCII_TOKEN.findall(text) if text.isascii() else _TOKEN.findall(normalize("NFKC", text))


def _normalise_unicode(text: str) -> str:
    return text if text.isascii() else normalize("NFKC", text)


def _expand_cjk(token: str) -> Iterator[str]:
    for run in RUN.findall(token):
        yield from grams(run)
    for word in RUN.sub(" ", token).split():
        yield from _expanded[word]


def _expand_word(token: str) -> Iterator[str]:
    """Split a word, drop stop words, stem the parts, and add a split identifier as a whole."""
    if token.isascii() and token.isalpha() and (token.islower() or token[1:].islower()):
        lower = token.lower()[:_MAX_TERM_CHARS]  # most words: nothing to split
        if lower not in STOP_WORDS:
            yield _stem(lower)
        return
    token = _CONTRACTION.sub("", token)
    pieces = split_identifier(token)
    for piece in pieces:
        lower = piece.lower()[:_MAX_TERM_CHARS]
        if lower not in STOP_WORDS:
            yield _stem(lower)
    if [token] != pieces:
        yield token.lower()[:_MAX_TERM_CHARS]
    if "-" in token:  # GitHub-hosted also gives GitHub
        for part in token.split("-"):
            if part and part not in pieces:
                yield part.lower()[:_MAX_TERM_CHARS]
