"""Find the titles of pages in texts."""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from waymeet.analysis import normalise_text
from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.keys import TITLE_PREFIX
from waymeet.search.explore.prose import word_spans
from waymeet.types import Document

_MAX_TITLE_WORDS = 8
"""Longer titles are not looked for."""
_MIN_WORD_LENGTH = 4
"""Letters of the shortest title of a single word."""

_normalise_word = lru_cache(maxsize=65_536)(normalise_text)


def page_language(page: Document) -> str:
    """Return the natural language of a page, empty if it is unknown."""
    return page.properties.get("lang", "")


class Titles:
    """The titles and aliases of pages, indexed by their beginning.

    A title of several pages means the only one in the language of the text, if there is one.
    """

    def __init__(self, pages: Collection[Document]) -> None:
        self._languages = {page.id: page_language(page) for page in pages}
        self._pages: dict[str, list[str]] = {}
        for page in pages:
            for key in dict.fromkeys(page.names):
                if key.startswith(TITLE_PREFIX):
                    self._pages.setdefault(key.removeprefix(TITLE_PREFIX), []).append(page.id)
        self._by_start: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        """Titles by their first two words, or their only word: many begin with the same one."""
        self._by_bigram: dict[str, list[str]] = {}
        """Titles in Chinese and Japanese, which have no spaces, by their first two characters."""
        for title in self._pages:
            words = tuple(title.split())
            if has_cjk(title):
                if len(title) > 1:
                    self._by_bigram.setdefault(title[:2], []).append(title)
            elif len(words) <= _MAX_TITLE_WORDS and (len(words) > 1 or len(title) >= _MIN_WORD_LENGTH):
                self._by_start.setdefault(words[:2], []).append(words)
        for titles in self._by_start.values():
            titles.sort(key=len, reverse=True)

    def find_mentions(self, text: str, language: str = "") -> Iterator[tuple[int, int, str]]:
        """Yield start, end and page of each title in a text, of overlapping ones the longest."""
        spans = list(word_spans(text))
        # A word of the text may be several words of a title, such as "rank-fusion".
        parts = [
            (word, number)
            for number, (start, end) in enumerate(spans)
            for word in _normalise_word(text[start:end]).split()
        ]
        words, owners = [word for word, _ in parts], [number for _, number in parts]
        for index, owner in enumerate(owners):
            if index and owners[index - 1] == owner:
                continue
            title = self._find_title(words, owners, index)
            start = spans[owner][0]
            if title and (len(title) > 1 or _is_name(text, start)):
                end = spans[owners[index + len(title) - 1]][1]
                yield from self._resolve(" ".join(title), start, end, language)
        if self._by_bigram and has_cjk(text):
            yield from self._find_cjk_mentions(text, language)

    def _find_title(self, words: Sequence[str], owners: Sequence[int], index: int) -> tuple[str, ...]:
        """Find the longest title that begins at a word and ends with a whole word of the text."""
        for start in (tuple(words[index : index + 2]), (words[index],)):
            for title in self._by_start.get(start, ()):
                end = index + len(title)
                is_whole = end == len(words) or (end < len(words) and owners[end] != owners[end - 1])
                if is_whole and tuple(words[index:end]) == title:
                    return title
        return ()

    def _resolve(self, title: str, start: int, end: int, language: str) -> Iterator[tuple[int, int, str]]:
        """Yield the mention of a title if it means exactly one page."""
        pages = self._pages[title]
        if len(pages) > 1:
            pages = [page for page in pages if self._languages[page] == language]
        if len(pages) == 1:
            yield start, end, pages[0]

    def _find_cjk_mentions(self, text: str, language: str) -> Iterator[tuple[int, int, str]]:
        lower = text.lower()
        start = 0
        while start < len(lower) - 1:
            titles = [
                title for title in self._by_bigram.get(lower[start : start + 2], ()) if lower.startswith(title, start)
            ]
            if not titles:
                start += 1
                continue
            longest = max(titles, key=len)
            yield from self._resolve(longest, start, start + len(longest), language)
            start += len(longest)


def _is_name(text: str, start: int) -> bool:
    """Return whether a word is capitalised although no sentence begins there."""
    before = text[:start].rstrip(" \t*_\"'“„(")
    return text[start].isupper() and bool(before) and before[-1] not in ".!?:\n-–—>"
