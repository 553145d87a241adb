"""The cache of a store for one generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from waymeet.stores.postgres.read.filter_set import FilterResult, FilterSet
from waymeet.stores.postgres.read.filters import filter_by_words, read_passing_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.lexical.top_k import ChunkLocation
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.read.filters import WordFilter
    from waymeet.stores.postgres.read.lexical import Frequencies
    from waymeet.types import Filters

Key = TypeVar("Key")
Item = TypeVar("Item")

_MAX_ITEMS = 20_000
"""Cached items of each kind; about a kilobyte each."""
_MAX_KINDS = 32
"""Cached results of filters, of which each may list every chunk, and kinds of items."""


class GenerationCache:
    """Results computed for one generation, shared by threads."""

    def __init__(self, version: tuple[int, int]) -> None:
        self.version = version
        """The generation, and the number of changes of its segments."""
        self.frequencies: Frequencies = {}
        self.locations: dict[int, ChunkLocation] = {}
        self.results: dict[Any, Any] = {}
        self._items: dict[Any, dict[Any, Any]] = {}
        self._words: dict[Any, WordFilter] = {}
        self._filter_results: dict[Filters, FilterResult] = {}

    def read_items(
        self, kind: object, keys: Collection[Key], read: Callable[[Collection[Key]], Mapping[Key, Item]]
    ) -> dict[Key, Item]:
        """Return those of the items that exist, by key, reading the ones that were not read before."""
        items = self._items.get(kind)
        if items is None or len(items) > _MAX_ITEMS:
            self._items.pop(kind, None)
            _remove_oldest(self._items)
            items = self._items[kind] = {}  # not cleared: another thread may use it
        missing = [key for key in dict.fromkeys(keys) if key not in items]
        if missing:
            found = read(missing)
            items.update((key, found.get(key)) for key in missing)
        return {key: items[key] for key in keys if items[key] is not None}

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
        """Find the chunks that pass filters by their words. The lexicon has the words' lists."""
        key = filters.without, filters.phrases
        words = self._words.get(key)
        if words is None:
            words = filter_by_words(session, filters, lexicon)
            _remove_oldest(self._words)
            self._words[key] = words
        return words


def _remove_oldest(results: dict[Any, Any]) -> None:
    for oldest in tuple(results)[: max(len(results) + 1 - _MAX_KINDS, 0)]:
        results.pop(oldest, None)
