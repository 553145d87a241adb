"""Links that nobody has set yet: pages that name another page or a symbol in passing, and pages much alike."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple
from urllib.parse import quote

from msgspec import Struct

from waymeet.analysis import count_terms, normalise_text, symbol_key
from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.keys import TITLE_PREFIX
from waymeet.ports import Store
from waymeet.search.explore.prose import blanked, sentence, words
from waymeet.settings import Settings
from waymeet.staleness.scope import DESCRIBED, batches
from waymeet.types import Chunk, Document, Filters, Word

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
                if key.startswith(TITLE_PREFIX):
                    carriers.setdefault(key.removeprefix(TITLE_PREFIX), set()).add(page.id)
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
        plainly = [normalise_text(text[start:end]) for start, end in spans]
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


_SYMBOL = re.compile(r"\b(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\(\))?")
_LIKE_A_SYMBOL = re.compile(r".*(?:_[A-Za-z0-9]|[a-z0-9][A-Z]|\(\)$|\w\.\w).*")
_COMPARED = 200
"""Pages that are compared with others; more than that are not, for each asks the index."""
_TELLING = 16
_LEAST = 8
"""Different terms of the shortest page that can be like another."""
_LONGEST_NAME = 200
_CANDIDATES = 12


class Suggestion(Struct, frozen=True):
    """A link that could be set."""

    document: str
    line: int
    target: str
    """The page, or `path#Symbol`."""
    title: str
    kind: Literal["title", "symbol", "alike"]
    text: str
    """The words that name the target; for pages that are alike, how much."""
    sentence: str
    """The sentence as it is."""
    linked_sentence: str
    """The sentence with the link in it; for pages that are alike, the link alone."""


class Suggestions(Struct, frozen=True):
    """Links that could be set, and whether everything was looked at."""

    found: tuple[Suggestion, ...]
    notes: tuple[str, ...] = ()


def suggest_links(store: Store, settings: Settings, limit: int, only: str | None = None) -> Suggestions:
    """Suggest links for one document or for all, those that name their target first."""
    with store.snapshot():
        pages = _pages(store)
        titles = Titles(pages.values())
        wanted = [pages[only]] if only in pages else [] if only else list(pages.values())
        found: list[Suggestion] = []
        for batch in batches([page.id for page in wanted]):
            chunks, linked = store.chunks_of(batch), _linked(store, batch)
            for id_ in batch:
                known = {id_, *linked[id_]}
                found.extend(_by_title(pages, titles, chunks[id_], known))
                found.extend(_by_symbol(store, chunks[id_], known))
        found.sort(key=lambda each: (each.document, each.line, each.target))
        compared = wanted[:_COMPARED] if len(found) < limit else []
        found.extend(_alike(store, settings, pages, compared))
    notes = []
    if len(found) < limit and len(wanted) > _COMPARED:
        notes.append(f"only the first {_COMPARED} of {len(wanted)} pages were compared with others")
    if len(found) > limit:
        notes.append(f"{len(found) - limit} more were found: ask for one page, or raise the limit")
    return Suggestions(tuple(found[:limit]), tuple(notes))


def _pages(store: Store) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for batch in batches(store.fingerprints()):
        found.update({id_: each for id_, each in store.documents(batch).items() if each.kind not in DESCRIBED})
    return found


def _linked(store: Store, documents: Collection[str]) -> dict[str, set[str]]:
    """Give for each document those that it is linked with already, in either direction."""
    return {id_: {each.document for each in around} for id_, around in store.neighbours(documents).items()}


def _by_title(
    pages: Mapping[str, Document], titles: Titles, chunks: Sequence[Chunk], linked: Collection[str]
) -> Iterator[Suggestion]:
    """Find where a page names other pages without a link, each of them once."""
    done = set(linked)
    for chunk in chunks:
        for start, end, target in titles.named(blanked(chunk.text)):
            if target not in done:
                done.add(target)
                link = _markdown(chunk.document, target, chunk.text[start:end])
                yield _made(chunk, (start, end), _Target(target, pages[target].title, "title"), link)


def _by_symbol(store: Store, chunks: Sequence[Chunk], linked: Collection[str]) -> Iterator[Suggestion]:
    """Find where a page names symbols that only one file defines, and does not write them as code."""
    done: set[str] = set()
    for chunk in chunks:
        names: dict[str, tuple[int, int]] = {}
        for match in _SYMBOL.finditer(blanked(chunk.text)):
            if match.end() - match.start() <= _LONGEST_NAME and _LIKE_A_SYMBOL.fullmatch(match.group()):
                names.setdefault(match.group().removesuffix("()"), match.span())
        carriers = store.documents_by_key([symbol_key(name) for name in names if name not in done])
        for name, span in names.items():
            carrying = carriers.get(symbol_key(name), ())
            if len(carrying) == 1 and carrying[0] not in linked and name not in done:
                done.add(name)
                link = f"`{chunk.text[slice(*span)]}`"
                yield _made(chunk, span, _Target(f"{carrying[0]}#{name}", name, "symbol"), link)


class _Target(NamedTuple):
    """What a suggested link leads to."""

    id: str
    title: str
    sort: Literal["title", "symbol"]


def _made(chunk: Chunk, span: tuple[int, int], target: _Target, link: str) -> Suggestion:
    start, end = span
    around = sentence(chunk.text, start, end)
    return Suggestion(
        document=chunk.document,
        line=chunk.start + chunk.text.count("\n", 0, start),
        target=target.id,
        title=target.title,
        kind=target.sort,
        text=chunk.text[start:end],
        sentence=around.text,
        linked_sentence=around.text[: around.start] + link + around.text[around.end :],
    )


def _markdown(source: str, target: str, text: str) -> str:
    r"""Write a link from one page to another.

    >>> _markdown("docs/a.md", "guides/b c.md", "B [x]")
    '[B \\[x\\]](../guides/b%20c.md)'
    """
    path = posixpath.relpath(f"/{target}", posixpath.dirname(f"/{source}"))
    shown = " ".join(re.sub(r"([\[\]\\])", r"\\\1", text).split())
    return f"[{shown}]({quote(path, safe='/~')})"


def _alike(
    store: Store, settings: Settings, pages: Mapping[str, Document], compared: Sequence[Document]
) -> Iterator[Suggestion]:
    """Find pages that say much the same as others and are not linked with them, each pair once."""
    done: set[frozenset[str]] = set()
    linked = _linked(store, [page.id for page in compared])
    terms: dict[str, dict[str, int]] = {}
    for page in compared:
        own = _terms(store, page.id, terms)
        if len(own) < _LEAST:
            continue
        telling = sorted(own, key=lambda term: (-own[term], term))[:_TELLING]
        ranking = store.rank_lexical([Word((term,)) for term in telling], _CANDIDATES, Filters(), settings.bm25)
        for other in dict.fromkeys(scored.document for scored in ranking):
            pair = frozenset((page.id, other))
            if other == page.id or other not in pages or other in linked[page.id] or pair in done:
                continue
            done.add(pair)
            likeness = _cosine(own, _terms(store, other, terms))
            if likeness >= settings.notebook.related_similarity:
                said, link = f"{likeness:.0%} alike", _markdown(page.id, other, pages[other].title)
                yield Suggestion(page.id, 1, other, pages[other].title, "alike", said, "", link)


def _terms(store: Store, id_: str, known: dict[str, dict[str, int]]) -> dict[str, int]:
    if id_ not in known:
        known[id_] = count_terms("\n".join(chunk.text for chunk in store.chunks_of([id_]).get(id_, ())))
    return known[id_]


def _cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Compare two texts by how often they use each term."""
    both = sum(times * other.get(term, 0) for term, times in one.items())
    lengths = sum(times**2 for times in one.values()) * sum(times**2 for times in other.values())
    return both / lengths**0.5 if lengths else 0.0
