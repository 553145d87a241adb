"""The words of a text that match a query, whole and as they are written."""

import re
from collections.abc import Collection, Iterator

from waymeet.analysis import has_cjk, normalise_text, token_spans

_SCRIPT_RUN = re.compile(r"[\u30a1-\u30fa\u30fc-\u30ff]+|[\uac00-\ud7a3]+")
"""Katakana and Hangul: there a change of script or a space ends a word."""
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_PARTICLES = "から|まで|より|には|では|とは|への|での|[のをはがにでともへや]"
_PARTICLE = re.compile(rf"(?<![\u3041-\u309f])(?:{_PARTICLES})(?![\u3041-\u309f])")
"""A Japanese particle between words of other scripts."""
_STEM = re.compile(rf"[\u4e00-\u9fff](?!(?:{_PARTICLES})$)[\u3041-\u309f]+$")
"""The end of a Japanese word that goes on in hiragana, such as a verb without its ending."""
_MAX_ENDING = 4
"""Characters of a Japanese ending."""
_MAX_WORD = 30
"""Characters around a match in which a word may begin or end."""


def matched_words(text: str, terms: Collection[str]) -> list[str]:
    """List the words of a text that contain one of the terms, each once, in order.

    In Chinese and Japanese, where terms are pairs of characters, overlapping matches are joined and divided at Japanese
    particles. Matches of hiragana alone, mostly particles and endings, are left out if there are others.

    >>> matched_words("Tea leaves, TEA and a tea-cup", {"tea", "leav"})
    ['Tea', 'leaves', 'tea-cup']
    >>> matched_words("全文検索のスコアを", {"全文", "文検", "検索", "索の", "のス", "スコ", "コア"})
    ['全文検索', 'スコア']
    >>> matched_words("サーバーレスの設定", {"サー", "ーバ", "バー"})
    ['サーバーレス']
    """
    words: dict[str, str] = {}
    for start, end in _match_ranges(text, terms):
        for word in _PARTICLE.split(text[start:end]):
            words.setdefault(normalise_text(word), word)
    words.pop("", None)
    content = [word for word in words.values() if not _HIRAGANA.fullmatch(word)]
    return content or list(words.values())


def _match_ranges(text: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of matching tokens, joined if they overlap and widened to words."""
    begin = finish = -1
    wanted = frozenset(terms)
    for start, end, token_terms in token_spans(text):
        if wanted.isdisjoint(token_terms):
            continue
        if start >= finish:
            if begin >= 0:
                yield _widen(text, begin, finish)
            begin, finish = start, _end_of_match(text, start, end, token_terms, terms)
        else:
            finish = max(finish, _end_of_match(text, start, end, token_terms, terms))
    if begin >= 0:
        yield _widen(text, begin, finish)


def _end_of_match(text: str, start: int, end: int, token_terms: tuple[str, ...], terms: Collection[str]) -> int:
    """Return the end of a match: of two characters, only the first may be a term of the query."""
    is_single = end - start == 2 and has_cjk(text[start:end]) and token_terms[-1] not in terms
    return start + 1 if is_single else end


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a range to the whole word, if it ends within katakana, Hangul or a Japanese ending."""
    for match in _SCRIPT_RUN.finditer(text, max(start - _MAX_WORD, 0), end + _MAX_WORD):
        if match.start() < end and match.end() > start:
            start, end = min(start, match.start()), max(end, match.end())
    ending = _HIRAGANA.match(text, end, end + _MAX_ENDING)
    return start, ending.end() if ending and _STEM.search(text[start:end]) else end
