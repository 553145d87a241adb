"""The cache of a store for one generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from waymeet.stores.postgres.read.filter_set import FilterResult, FilterSet
from waymeet.stores.postgres.read.filters import filter_by_words, read_passing_documents

if TYPE_CHECKING:
    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.lexical.top_k import ChunkLocation
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.read.filters import WordFilter
    from waymeet.stores.postgres.read.lexical import Frequencies
    from waymeet.types import Filters

_MAX_FILTERS = 32
"""Cached results of filters, of which each may list every chunk."""


class GenerationCache:
    """Results computed for one generation, shared by threads."""

    def __init__(self, version: tuple[int, int]) -> None:
        self.version = version
        """The generation, and the number of changes of its segments."""
        self.frequencies: Frequencies = {}
        self.locations: dict[int, ChunkLocation] = {}
        self.results: dict[Any, Any] = {}
        self._words: dict[Any, WordFilter] = {}
        self._filter_results: dict[Filters, FilterResult] = {}

    def filter_set(self, session: Session, filters: Filters, lexicon: Lexicon) -> FilterSet:
        """Apply filters, given a lexicon with the posting lists of their terms."""
        result = self._filter_results.get(filters)  # another thread may remove it at any moment
        if result is None:
            words = self.word_filter(session, filters, lexicon)
            result = FilterResult(read_passing_documents(session, filters), words, lexicon.buffer)
            _remove_oldest(self._filter_results)
            self._filter_results[filters] = result
        return FilterSet(session, filters, result, self.locations)

    def word_filter(self, session: Session, filters: Filters, lexicon: Lexicon) -> WordFilter:
        """Find the chunks that pass filters by their words, given a lexicon with their posting lists."""
        key = filters.without, filters.phrases
        words = self._words.get(key)
        if words is None:
            words = filter_by_words(session, filters, lexicon)
            _remove_oldest(self._words)
            self._words[key] = words
        return words


def _remove_oldest(results: dict[Any, Any]) -> None:
    for oldest in tuple(results)[: max(len(results) + 1 - _MAX_FILTERS, 0)]:
        results.pop(oldest, None)
