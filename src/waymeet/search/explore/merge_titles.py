"""Where a text names a page by its title or alias."""

from collections.abc import Collection, Iterator, Sequence

from waymeet.analysis import plain
from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.keys import TITLED
from waymeet.search.explore.prose import words
from waymeet.types import Document

_LONGEST = 8
"""Words of the longest title that is looked for."""
_ALONE = 4
"""Letters of the shortest title of a single word."""


class Titles:
    """The titles and aliases that lead to exactly one page, found by how they begin."""

    def __init__(self, pages: Collection[Document]) -> None:
        carriers: dict[str, set[str]] = {}
        for page in pages:
            for key in page.names:
                if key.startswith(TITLED):
                    carriers.setdefault(key.removeprefix(TITLED), set()).add(page.id)
        self._words: dict[str, list[tuple[str, ...]]] = {}
        self._runs: dict[str, list[str]] = {}
        self._pages = {title: next(iter(ids)) for title, ids in carriers.items() if len(ids) == 1}
        for title in self._pages:
            parts = tuple(title.split())
            if has_cjk(title):
                if len(title) > 1:
                    self._runs.setdefault(title[:2], []).append(title)
            elif len(parts) <= _LONGEST and (len(parts) > 1 or len(title) >= _ALONE):
                self._words.setdefault(parts[0], []).append(parts)
        for beginning in self._words.values():
            beginning.sort(key=len, reverse=True)

    def named(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield where a text names a page, the longest title first, and which page."""
        spans = list(words(text))
        plainly = [plain(text[start:end]) for start, end in spans]
        for at, (start, _) in enumerate(spans):
            for parts in self._words.get(plainly[at].partition(" ")[0], ()):
                end = _matched(plainly, at, parts)
                if end is not None and (len(parts) > 1 or _is_name(text, start)):
                    yield start, spans[end - 1][1], self._pages[" ".join(parts)]
                    break
        if self._runs and has_cjk(text):
            yield from self._in_runs(text)

    def _in_runs(self, text: str) -> Iterator[tuple[int, int, str]]:
        small = text.lower()
        at = 0
        while at < len(small) - 1:
            fitting = [title for title in self._runs.get(small[at : at + 2], ()) if small.startswith(title, at)]
            if fitting:
                title = max(fitting, key=len)
                yield at, at + len(title), self._pages[title]
            at += len(max(fitting, key=len)) if fitting else 1


def _matched(plainly: Sequence[str], at: int, parts: Sequence[str]) -> int | None:
    """Give the word behind a title that begins at a word, or None if it is not there."""
    left = list(parts)
    while left and at < len(plainly):
        here = plainly[at].split()
        if not here or left[: len(here)] != here:
            return None
        left, at = left[len(here) :], at + 1
    return None if left else at


def _is_name(text: str, start: int) -> bool:
    """Tell whether a single word is used as a name: with a capital letter, and not because a sentence begins there."""
    before = text[:start].rstrip(" \t*_\"'“„(")
    return text[start].isupper() and bool(before) and before[-1] not in ".!?:\n-–—>"
