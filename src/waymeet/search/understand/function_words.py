"""Weights of query words: words that say little about the subject count less."""

import re

from msgspec.structs import replace

from waymeet.analysis.word_classes import WordClass, classify_word
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Word

_CODE = re.compile(r"`([^`]+)`|\b(\w+)\(|[\"“„]([^\"“”„]+)[\"”]")
"""Text written as code, a call or a quotation, whose words count fully."""
_WORD = re.compile(r"\w+")
_WEAK = frozenset({WordClass.FUNCTION, WordClass.MIXED})


def weigh_function_words(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Lower the weight of function words in a query that has other words."""
    weight = settings.understand.function_word
    if weight >= 1.0:
        return search.skip("setting understand.function_word")
    exact = {
        word
        for match in _CODE.finditer(search.query.text)
        for word in _WORD.findall(next(filter(None, match.groups())).lower())
    }
    is_weak = [_is_weak(word) and exact.isdisjoint(word.terms) for word in search.words]
    if not any(is_weak) or all(is_weak):
        return search.skip("no function word" if not any(is_weak) else "only function words")
    words = tuple(
        replace(word, weight=word.weight * weight) if weak else word
        for word, weak in zip(search.words, is_weak, strict=True)
    )
    return replace(search, words=words)


def _is_weak(word: Word) -> bool:
    """Check whether a word, as written in the query, says little about its subject."""
    return classify_word(word.token) in _WEAK
