"""Text → terms. The one analyzer for documents and queries alike."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from unicodedata import normalize

import Stemmer

from waymeet.analysis.cjk import RUN, grams, has_cjk, pairs
from waymeet.analysis.identifiers import split

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

# Marks that complete the letter before them, which Python does not count among \w: accents written apart, Hebrew and
# Arabic points, and the vowel signs of the scripts of India and South-East Asia.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u109f\u1780-\u17d3"
_LETTER = rf"[\w{_MARKS}]"
_TOKEN = re.compile(rf"{_LETTER}+(?:-{_LETTER}+)*(?:['’](?:s|t|d|m|re|ve|ll)\b)?")
_RUN_OR_WORD = re.compile(rf"(?P<run>{RUN.pattern})|(?:(?!{RUN.pattern}){_LETTER}|-)+")
_CONTRACTION = re.compile(r"['’]\w+$")
_BETWEEN = re.compile(rf"[^\w{_MARKS}]+")
_LONGEST = 64
_CACHE_SIZE = 500_000

_stemmer = Stemmer.Stemmer("english", 0)
_stem: Callable[[str], str] = _stemmer.stemWord
_known: dict[str, tuple[str, ...]] = {}


def count_terms(text: str) -> dict[str, int]:
    """Count the terms of a text.

    >>> count_terms("User users of getUserById")
    {'user': 3, 'get': 1, 'id': 1, 'getuserbyid': 1}
    """
    found: dict[str, int] = {}
    for token, times in Counter(_TOKEN.findall(_normal(text))).items():
        for term in _known.get(token) or _expand(token):
            found[term] = found.get(term, 0) + times
    return found


def list_terms(text: str) -> list[str]:
    """List the terms of a text in its order.

    >>> list_terms("user_authentication_flow")
    ['user', 'authent', 'flow', 'user_authentication_flow']
    >>> list_terms("設定 file")
    ['設', '定', '設定', 'file']
    """
    return [term for token in _TOKEN.findall(_normal(text)) for term in _expand(token)]


def token_spans(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield where each token of a text stands, with its terms; in CJK text, where each pair of characters stands.

    >>> list(token_spans("of Users"))
    [(0, 2, ()), (3, 8, ('user',))]
    >>> list(token_spans("検索語"))
    [(0, 2, ('検', '検索')), (1, 3, ('索', '索語')), (2, 3, ('語',))]
    """
    for match in _TOKEN.finditer(text):
        token, start = match.group(), match.start()
        if not has_cjk(token):
            yield start, match.end(), _expand(_normal(token))
            continue
        for part in _RUN_OR_WORD.finditer(token):
            if part["run"] is None:
                yield start + part.start(), start + part.end(), _expand(_normal(part.group()))
                continue
            for i, letter in enumerate(part["run"]):
                pair = part["run"][i : i + 2]
                at = start + part.start() + i
                yield at, at + len(pair), tuple(dict.fromkeys((letter, pair)))


def query_words(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """List the words of a query with the terms each asks for.

    CJK runs ask for their pairs only: a single character says little beside the pair it stands in, unless it is all
    there is.

    A word asks for its terms, and for itself as it stands, for it may be an identifier written small.

    >>> query_words("is getUserById")
    [('is', ('is',)), ('getUserById', ('get', 'user', 'id', 'getuserbyid'))]
    >>> query_words("getsettings")
    [('getsettings', ('getset', 'getsettings'))]
    >>> query_words("検索語"), query_words("語")
    ([('検索', ('検索',)), ('索語', ('索語',))], [('語', ('語',))])
    """
    found: list[tuple[str, tuple[str, ...]]] = []
    for token in _TOKEN.findall(_normal(text)):
        if not has_cjk(token):
            found.append((token, _asked(token)))
            continue
        for run in RUN.findall(token):
            found.extend((gram, (gram,)) for gram in pairs(run) or run)
        found.extend((word, _asked(word)) for word in RUN.sub(" ", token).split())
    return found


def _asked(token: str) -> tuple[str, ...]:
    """Ask also for the word as it stands: it may be an identifier written small, which is kept unstemmed."""
    found = _expand(token)
    whole = token.lower()[:_LONGEST]
    return (*found, whole) if found and whole not in found else found


def stem_words(words: Sequence[str]) -> list[str]:
    """Stem many plain words in small letters at once, which costs much less than one by one.

    >>> stem_words(["users", "authentication"])
    ['user', 'authent']
    """
    found: list[str] = _stemmer.stemWords(words)
    return found


def normalise_text(text: str) -> str:
    """Reduce a text to its bare words, for comparing phrases.

    >>> normalise_text("Reciprocal-Rank  Fusion!")
    'reciprocal rank fusion'
    """
    return _BETWEEN.sub(" ", _normal(text).lower()).strip()


def contains_phrase(text: str, phrase: str) -> bool:
    """Tell whether a plain text has a plain phrase, at word borders where the script has any.

    >>> contains_phrase("rank fusion works", "rank fusion"), contains_phrase("frank fusion", "rank fusion")
    (True, False)
    >>> contains_phrase("全文検索の設定", "検索")
    True
    """
    at = text.find(phrase)
    while at >= 0 and phrase:
        end = at + len(phrase)
        opens = at == 0 or text[at - 1] == " " or has_cjk(phrase[0])
        closes = end == len(text) or text[end] == " " or has_cjk(phrase[-1])
        if opens and closes:
            return True
        at = text.find(phrase, at + 1)
    return False


def replace_surrogates(text: str) -> str:
    r"""Replace halves of characters, which a command line or a program may hand over and no file can hold.

    >>> replace_surrogates("a\udc80b")
    'a�b'
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _normal(text: str) -> str:
    return text if text.isascii() else normalize("NFKC", text)


def _expand(token: str) -> tuple[str, ...]:
    """Turn one token into its terms, remembering the answer for words that come back."""
    found = _known.get(token)
    if found is None:
        if has_cjk(token):
            return tuple(_mixed(token))  # runs of text hardly repeat: not worth remembering
        found = tuple(_word(token))
        if len(_known) >= _CACHE_SIZE:
            _known.clear()
        if len(token) <= _LONGEST:
            _known[token] = found
    return found


def _mixed(token: str) -> Iterator[str]:
    for run in RUN.findall(token):
        yield from grams(run)
    for word in RUN.sub(" ", token).split():
        yield from _expand(word)


def _word(token: str) -> Iterator[str]:
    """Split, lower, stop, stem; keep the whole of an identifier as one more term."""
    token = _CONTRACTION.sub("", token)
    pieces = split(token)
    for piece in pieces:
        lower = piece.lower()[:_LONGEST]
        if lower not in STOP_WORDS:
            yield _stem(lower)
    if [token] != pieces:
        yield token.lower()[:_LONGEST]
    if "-" in token:  # of GitHub-hosted, GitHub is a word as well
        for part in token.split("-"):
            if part and part not in pieces:
                yield part.lower()[:_LONGEST]
