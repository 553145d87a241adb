"""Suggest links: where a page names another page or a symbol, and between similar pages.

Only links that can be written are suggested: in the syntax of the page's markup language, none in code or in formats
without links. The work is bounded: pages are read in order until there are enough suggestions.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from msgspec import Struct

from waymeet.analysis import count_terms, symbol_key
from waymeet.ports import Store
from waymeet.search.explore.link_writing import LinkStyle, can_link, detect_style, write_code, write_link
from waymeet.search.explore.page_titles import Titles, page_language
from waymeet.search.explore.prose import blank_non_prose, cut_sentence
from waymeet.settings import Settings
from waymeet.staleness.scope import DESCRIBED, batches
from waymeet.types import Chunk, Document, Filters, Word

_SYMBOL = re.compile(r"\b(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\(\))?")
_SYMBOL_FORM = re.compile(r".*(?:_[A-Za-z0-9]|[a-z0-9][A-Z]|\(\)$|\w\.\w).*")
"""Distinguishes a symbol from a word: an underscore, camel case, parentheses or a dot."""
_SYMBOL_HINT = re.compile(r"_[A-Za-z0-9]|[a-z0-9][A-Z]|\w\(\)|\w\.\w")
"""Occurs in every text that has a symbol. Most texts have none."""
_MAX_COMPARED = 200
"""Pages that are compared with others. Each comparison is a query to the index."""
_QUERY_TERMS = 16
"""Most frequent terms of a page, by which similar pages are retrieved."""
_MIN_TERMS = 8
"""Different terms of the shortest page that is compared."""
_MAX_SYMBOL_LENGTH = 200
_CANDIDATES = 12
_MAX_SECTIONS = 100_000
"""Sections that are searched for names in one call."""
_STYLE_PAGES = 200
"""Pages from which the syntax of links is detected."""
_PORTION = 100
"""Pages that are read from the store at a time."""


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
    """Suggest links for one document or for all: those that name their target first.

    Among these, links to pages in the language of the source come first.
    """
    with store.snapshot():
        pages = _pages(store)
        sources = [page for page in pages.values() if (not only or page.id == only) and can_link(page.language)]
        search = _PageSearch(store, pages, _detect_style(store, pages))
        found = list(islice(search.find_named(sources), limit + 1))
        found.sort(key=lambda each: (_is_foreign(pages, each), each.document, each.line, each.target))
        compared = sources[:_MAX_COMPARED] if len(found) < limit else []
        found.extend(islice(search.find_similar(settings, compared), limit + 1 - len(found)))
    notes = list(search.notes)
    if only and only in pages and not sources:
        notes.append(f"{only}: links cannot be written in this format")
    if len(found) <= limit and len(compared) < len(sources):
        notes.append(f"only the first {_MAX_COMPARED} of {len(sources)} pages were compared with others")
    if len(found) > limit:
        notes.append("there are more suggestions: name one page, or raise --limit")
    return Suggestions(tuple(found[:limit]), tuple(notes))


def _is_foreign(pages: Mapping[str, Document], suggestion: Suggestion) -> bool:
    """Return whether a suggested link leads to a page in another language."""
    target = pages.get(suggestion.target)
    return target is not None and page_language(target) != page_language(pages[suggestion.document])


def _pages(store: Store) -> dict[str, Document]:
    pages: dict[str, Document] = {}
    for batch in batches(store.fingerprints()):
        documents = store.documents(batch)
        pages.update({id_: document for id_, document in documents.items() if document.kind not in DESCRIBED})
    return pages


def _detect_style(store: Store, pages: Collection[str]) -> LinkStyle:
    """Detect how links are written from pages spread evenly over the project."""
    step = max(len(pages) // _STYLE_PAGES, 1)
    chunks = store.chunks_of(sorted(pages)[::step])
    return detect_style(chunk for page_chunks in chunks.values() for chunk in page_chunks)


def _linked_documents(store: Store, documents: Collection[str]) -> dict[str, set[str]]:
    """Map each document to those that it is linked with, in either direction."""
    return {id_: {link.document for link in links} for id_, links in store.neighbours(documents).items()}


class _Prose(NamedTuple):
    """A section and its text without code, links and headings."""

    chunk: Chunk
    text: str


class _PageSearch:
    """Searches pages for names of others, and for similar ones."""

    def __init__(self, store: Store, pages: Mapping[str, Document], style: LinkStyle) -> None:
        self._store = store
        self._pages = pages
        self._style = style
        self.notes: list[str] = []

    def find_named(self, sources: Sequence[Document]) -> Iterator[Suggestion]:
        """Yield links where pages name other pages or symbols, page by page."""
        titles, examined = Titles(self._pages.values()), 0
        for start in range(0, len(sources), _PORTION):
            portion = sources[start : start + _PORTION]
            if examined >= _MAX_SECTIONS:
                self.notes.append(f"only the first {start} of {len(sources)} pages were searched for names")
                return
            ids = [page.id for page in portion]
            chunks, linked = self._store.chunks_of(ids), _linked_documents(self._store, ids)
            examined += sum(map(len, chunks.values()))
            for page in portion:
                prose = [_Prose(chunk, blank_non_prose(chunk.text, page.language)) for chunk in chunks[page.id]]
                known = {page.id, *linked[page.id]}
                yield from self._find_pages(page, prose, titles, known)
                yield from self._find_symbols(page, prose, known)

    def _find_pages(
        self, page: Document, prose: Sequence[_Prose], titles: Titles, linked: Collection[str]
    ) -> Iterator[Suggestion]:
        """Yield a link at the first mention of each page that is not linked yet."""
        done = set(linked)
        for chunk, text in prose:
            for start, end, target in titles.find_mentions(text, page_language(page)):
                if target not in done:
                    done.add(target)
                    link = self._write(page, target, chunk.text[start:end])
                    yield _suggestion(chunk, (start, end), _Target(target, self._pages[target].title, "title"), link)

    def _find_symbols(self, page: Document, prose: Sequence[_Prose], linked: Collection[str]) -> Iterator[Suggestion]:
        """Yield code markup for symbols that exactly one file defines."""
        places: dict[str, tuple[Chunk, tuple[int, int]]] = {}
        for chunk, text in prose:
            for match in _SYMBOL.finditer(text) if _SYMBOL_HINT.search(text) else ():
                if match.end() - match.start() <= _MAX_SYMBOL_LENGTH and _SYMBOL_FORM.fullmatch(match.group()):
                    places.setdefault(match.group().removesuffix("()"), (chunk, match.span()))
        definitions = self._store.documents_by_key([symbol_key(name) for name in places]) if places else {}
        for name, (chunk, span) in places.items():
            documents = definitions.get(symbol_key(name), ())
            if len(documents) == 1 and documents[0] not in linked:
                code = write_code(page.language, chunk.text[slice(*span)])
                yield _suggestion(chunk, span, _Target(f"{documents[0]}#{name}", name, "symbol"), code)

    def find_similar(self, settings: Settings, compared: Sequence[Document]) -> Iterator[Suggestion]:
        """Yield links between similar pages that are not linked, each pair once."""
        done: set[frozenset[str]] = set()
        linked = _linked_documents(self._store, [page.id for page in compared])
        terms_cache: dict[str, dict[str, int]] = {}
        for page in compared:
            terms = _terms(self._store, page.id, terms_cache)
            if len(terms) < _MIN_TERMS:
                continue
            query = sorted(terms, key=lambda term: (-terms[term], term))[:_QUERY_TERMS]
            words = [Word((term,)) for term in query]
            ranking = self._store.rank_lexical(words, _CANDIDATES, Filters(), settings.bm25)
            for other in dict.fromkeys(row.document for row in ranking):
                pair = frozenset((page.id, other))
                if other == page.id or other not in self._pages or other in linked[page.id] or pair in done:
                    continue
                done.add(pair)
                similarity = _cosine(terms, _terms(self._store, other, terms_cache))
                if similarity >= settings.notebook.related_similarity:
                    yield self._suggest_similar(page, other, similarity)

    def _suggest_similar(self, page: Document, other: str, similarity: float) -> Suggestion:
        title = self._pages[other].title
        link = self._write(page, other, title or other)
        return Suggestion(page.id, 1, other, title, "similar", f"{similarity:.0%} similar", "", link)

    def _write(self, page: Document, target: str, text: str) -> str:
        return write_link(page.language, page.id, target, text, self._style)


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


def _terms(store: Store, id_: str, cache: dict[str, dict[str, int]]) -> dict[str, int]:
    if id_ not in cache:
        cache[id_] = count_terms("\n".join(chunk.text for chunk in store.chunks_of([id_]).get(id_, ())))
    return cache[id_]


def _cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the cosine similarity of two term frequency vectors."""
    dot_product = sum(count * other.get(term, 0) for term, count in one.items())
    squared_norms = sum(count**2 for count in one.values()) * sum(count**2 for count in other.values())
    return dot_product / squared_norms**0.5 if squared_norms else 0.0
