"""Suggest links: where a page names another page or a symbol, and between similar pages."""

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
from waymeet.search.explore.prose import blank_non_prose, cut_sentence, word_spans
from waymeet.settings import Settings
from waymeet.staleness.scope import DESCRIBED, batches
from waymeet.types import Chunk, Document, Filters, Word

_MAX_TITLE_WORDS = 8
"""Longer titles are not looked for."""
_MIN_WORD_LENGTH = 4
"""Letters of the shortest title of a single word."""


class Titles:
    """The titles and aliases that belong to exactly one page, indexed by their beginning."""

    def __init__(self, pages: Collection[Document]) -> None:
        ids_by_title: dict[str, set[str]] = {}
        for page in pages:
            for key in page.names:
                if key.startswith(TITLE_PREFIX):
                    ids_by_title.setdefault(key.removeprefix(TITLE_PREFIX), set()).add(page.id)
        self._by_first_word: dict[str, list[tuple[str, ...]]] = {}
        self._by_bigram: dict[str, list[str]] = {}
        """Titles in Chinese and Japanese, which have no spaces, by their first two characters."""
        self._pages = {title: next(iter(ids)) for title, ids in ids_by_title.items() if len(ids) == 1}
        for title in self._pages:
            words = tuple(title.split())
            if has_cjk(title):
                if len(title) > 1:
                    self._by_bigram.setdefault(title[:2], []).append(title)
            elif len(words) <= _MAX_TITLE_WORDS and (len(words) > 1 or len(title) >= _MIN_WORD_LENGTH):
                self._by_first_word.setdefault(words[0], []).append(words)
        for titles in self._by_first_word.values():
            titles.sort(key=len, reverse=True)

    def find_mentions(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and page of each title in a text, of overlapping ones the longest."""
        spans = list(word_spans(text))
        normalised = [normalise_text(text[start:end]) for start, end in spans]
        for index, (start, _) in enumerate(spans):
            for title in self._by_first_word.get(normalised[index].partition(" ")[0], ()):
                end = _match_title(normalised, index, title)
                if end is not None and (len(title) > 1 or _is_name(text, start)):
                    yield start, spans[end - 1][1], self._pages[" ".join(title)]
                    break
        if self._by_bigram and has_cjk(text):
            yield from self._find_cjk_mentions(text)

    def _find_cjk_mentions(self, text: str) -> Iterator[tuple[int, int, str]]:
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
            yield start, start + len(longest), self._pages[longest]
            start += len(longest)


def _match_title(words: Sequence[str], index: int, title: Sequence[str]) -> int | None:
    """Return the index behind a title that begins at a word, or None if it does not.

    A word of the text may be several words of a title, such as "rank-fusion".
    """
    remaining = list(title)
    while remaining and index < len(words):
        parts = words[index].split()
        if not parts or remaining[: len(parts)] != parts:
            return None
        remaining, index = remaining[len(parts) :], index + 1
    return None if remaining else index


def _is_name(text: str, start: int) -> bool:
    """Return whether a word is capitalised although no sentence begins there."""
    before = text[:start].rstrip(" \t*_\"'“„(")
    return text[start].isupper() and bool(before) and before[-1] not in ".!?:\n-–—>"


_SYMBOL = re.compile(r"\b(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\(\))?")
_SYMBOL_FORM = re.compile(r".*(?:_[A-Za-z0-9]|[a-z0-9][A-Z]|\(\)$|\w\.\w).*")
"""Distinguishes a symbol from a word: an underscore, camel case, parentheses or a dot."""
_MAX_COMPARED = 200
"""Pages that are compared with others. Each comparison is a query to the index."""
_QUERY_TERMS = 16
"""Most frequent terms of a page, by which similar pages are retrieved."""
_MIN_TERMS = 8
"""Different terms of the shortest page that is compared."""
_MAX_SYMBOL_LENGTH = 200
_CANDIDATES = 12


class Suggestion(Struct, frozen=True):
    """A suggested link."""

    document: str
    line: int
    target: str
    """The page, or `path#Symbol`."""
    title: str
    kind: Literal["title", "symbol", "similar"]
    text: str
    """The words that name the target, for similar pages their similarity."""
    sentence: str
    """The sentence as it is."""
    linked_sentence: str
    """The sentence with the link in it, for similar pages the link alone."""


class Suggestions(Struct, frozen=True):
    """Suggested links, with notes on what was left out."""

    found: tuple[Suggestion, ...]
    notes: tuple[str, ...] = ()


def suggest_links(store: Store, settings: Settings, limit: int, only: str | None = None) -> Suggestions:
    """Suggest links for one document or for all, those that name their target first."""
    with store.snapshot():
        pages = _pages(store)
        sources = [page for page in pages.values() if not only or page.id == only]
        suggestions = sorted(
            _named_targets(store, pages, [page.id for page in sources]),
            key=lambda suggestion: (suggestion.document, suggestion.line, suggestion.target),
        )
        compared = sources[:_MAX_COMPARED] if len(suggestions) < limit else []
        suggestions.extend(_similar_pages(store, settings, pages, compared))
    notes = []
    if len(suggestions) < limit and len(sources) > _MAX_COMPARED:
        notes.append(f"only the first {_MAX_COMPARED} of {len(sources)} pages were compared with others")
    if len(suggestions) > limit:
        notes.append(f"{len(suggestions) - limit} more suggestions: name one page, or raise --limit")
    return Suggestions(tuple(suggestions[:limit]), tuple(notes))


def _pages(store: Store) -> dict[str, Document]:
    pages: dict[str, Document] = {}
    for batch in batches(store.fingerprints()):
        documents = store.documents(batch)
        pages.update({id_: document for id_, document in documents.items() if document.kind not in DESCRIBED})
    return pages


def _linked_documents(store: Store, documents: Collection[str]) -> dict[str, set[str]]:
    """Map each document to those that it is linked with, in either direction."""
    return {id_: {link.document for link in links} for id_, links in store.neighbours(documents).items()}


def _named_targets(store: Store, pages: Mapping[str, Document], sources: Sequence[str]) -> Iterator[Suggestion]:
    """Suggest links where pages name other pages or symbols."""
    titles = Titles(pages.values())
    for batch in batches(sources):
        chunks, linked = store.chunks_of(batch), _linked_documents(store, batch)
        for id_ in batch:
            known = {id_, *linked[id_]}
            yield from _named_pages(pages, titles, chunks[id_], known)
            yield from _named_symbols(store, chunks[id_], known)


def _named_pages(
    pages: Mapping[str, Document], titles: Titles, chunks: Sequence[Chunk], linked: Collection[str]
) -> Iterator[Suggestion]:
    """Suggest a link at the first mention of each page that is not linked yet."""
    done = set(linked)
    for chunk in chunks:
        for start, end, target in titles.find_mentions(blank_non_prose(chunk.text)):
            if target not in done:
                done.add(target)
                link = _markdown_link(chunk.document, target, chunk.text[start:end])
                yield _suggestion(chunk, (start, end), _Target(target, pages[target].title, "title"), link)


def _named_symbols(store: Store, chunks: Sequence[Chunk], linked: Collection[str]) -> Iterator[Suggestion]:
    """Suggest code markup for symbols that exactly one file defines."""
    done: set[str] = set()
    for chunk in chunks:
        spans: dict[str, tuple[int, int]] = {}
        for match in _SYMBOL.finditer(blank_non_prose(chunk.text)):
            if match.end() - match.start() <= _MAX_SYMBOL_LENGTH and _SYMBOL_FORM.fullmatch(match.group()):
                spans.setdefault(match.group().removesuffix("()"), match.span())
        documents_by_key = store.documents_by_key([symbol_key(name) for name in spans if name not in done])
        for name, span in spans.items():
            documents = documents_by_key.get(symbol_key(name), ())
            if len(documents) == 1 and documents[0] not in linked and name not in done:
                done.add(name)
                link = f"`{chunk.text[slice(*span)]}`"
                yield _suggestion(chunk, span, _Target(f"{documents[0]}#{name}", name, "symbol"), link)


class _Target(NamedTuple):
    """The target of a suggested link."""

    id: str
    title: str
    kind: Literal["title", "symbol"]


def _suggestion(chunk: Chunk, span: tuple[int, int], target: _Target, link: str) -> Suggestion:
    start, end = span
    sentence = cut_sentence(chunk.text, start, end)
    return Suggestion(
        document=chunk.document,
        line=chunk.start + chunk.text.count("\n", 0, start),
        target=target.id,
        title=target.title,
        kind=target.kind,
        text=chunk.text[start:end],
        sentence=sentence.text,
        linked_sentence=sentence.text[: sentence.start] + link + sentence.text[sentence.end :],
    )


def _markdown_link(source: str, target: str, text: str) -> str:
    r"""Write a link from one page to another.

    >>> _markdown_link("docs/a.md", "guides/b c.md", "B [x]")
    '[B \\[x\\]](../guides/b%20c.md)'
    """
    path = posixpath.relpath(f"/{target}", posixpath.dirname(f"/{source}"))
    label = " ".join(re.sub(r"([\[\]\\])", r"\\\1", text).split())
    return f"[{label}]({quote(path, safe='/~')})"


def _similar_pages(
    store: Store, settings: Settings, pages: Mapping[str, Document], compared: Sequence[Document]
) -> Iterator[Suggestion]:
    """Suggest links between similar pages that are not linked, each pair once."""
    done: set[frozenset[str]] = set()
    linked = _linked_documents(store, [page.id for page in compared])
    terms_cache: dict[str, dict[str, int]] = {}
    for page in compared:
        terms = _terms(store, page.id, terms_cache)
        if len(terms) < _MIN_TERMS:
            continue
        query = sorted(terms, key=lambda term: (-terms[term], term))[:_QUERY_TERMS]
        ranking = store.rank_lexical([Word((term,)) for term in query], _CANDIDATES, Filters(), settings.bm25)
        for other in dict.fromkeys(row.document for row in ranking):
            pair = frozenset((page.id, other))
            if other == page.id or other not in pages or other in linked[page.id] or pair in done:
                continue
            done.add(pair)
            similarity = _cosine(terms, _terms(store, other, terms_cache))
            if similarity >= settings.notebook.related_similarity:
                text, link = f"{similarity:.0%} similar", _markdown_link(page.id, other, pages[other].title)
                yield Suggestion(page.id, 1, other, pages[other].title, "similar", text, "", link)


def _terms(store: Store, id_: str, cache: dict[str, dict[str, int]]) -> dict[str, int]:
    if id_ not in cache:
        cache[id_] = count_terms("\n".join(chunk.text for chunk in store.chunks_of([id_]).get(id_, ())))
    return cache[id_]


def _cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the cosine similarity of two term frequency vectors."""
    dot_product = sum(count * other.get(term, 0) for term, count in one.items())
    squared_norms = sum(count**2 for count in one.values()) * sum(count**2 for count in other.values())
    return dot_product / squared_norms**0.5 if squared_norms else 0.0
