"""A collection as an index: every document takes the road that a file of its kind takes."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from waymeet.analysis import count_terms, title_key
from waymeet.analysis.keys import MENTION_PREFIX, short_title_key
from waymeet.errors import CollectionError, NotIndexedError
from waymeet.evaluate.collection import FEEDBACK, Collection, CollectionDocument, Place
from waymeet.evaluate.mining.read_project import read_in
from waymeet.ingest.build.entry import build_entry
from waymeet.ingest.read.decode import Decoded
from waymeet.ports import Progress, Store
from waymeet.search.feedback.votes import Feedback, Vote, add_votes
from waymeet.search.lookup.citation import documents_of_references, locate_reference
from waymeet.search.lookup.did_you_mean import not_indexed_error
from waymeet.settings import Chunking, Settings
from waymeet.types import Chunk, Fingerprint, IndexEntry, Link


def index_files(store: Store, collection: Collection, settings: Settings, progress: Progress | None = None) -> None:
    """Put the files of a collection into an empty store."""
    read_in(Path(collection.files), store, settings, progress)
    store.optimize()


def read_whole_documents(store: Store) -> tuple[CollectionDocument, ...]:
    """Give what a store holds as documents that are not cut."""
    whole = store.documents(sorted(store.fingerprints()))
    texts = {id_: _joined(chunks) for id_, chunks in store.chunks_of(list(whole)).items()}
    return tuple(CollectionDocument(id_, texts.get(id_, ""), each.title, id_) for id_, each in whole.items())


def _joined(chunks: Sequence[Chunk]) -> str:
    """Put sections together again; lines keep their numbers, for judgements may name them."""
    text, at = "", 1
    for chunk in chunks:
        text += ("\n" * (chunk.start - at) or " " * bool(text)) + chunk.text
        at = max(at, chunk.start) + chunk.text.count("\n")
    return text


def resolve_judgements(collection: Collection, store: Store) -> Collection:
    """Find in a store what the judgements of a collection of files name.

    Raises:
        CollectionError: a judgement names nothing that is there; says which.
    """
    judged = {each: query for query, found in collection.qrels.items() for each in found}
    whole = store.documents(list(judged))
    places = {}
    for each, query in judged.items():
        if each not in whole:
            try:
                places[each] = _place(store, each)
            except NotIndexedError as error:
                complaint = f"{collection.name} judges what is not there, for query {query!r}: {error.message}"
                raise CollectionError(complaint, error.hint) from error
    return replace(collection, documents=tuple(map(CollectionDocument, sorted(store.fingerprints()))), places=places)


def collect_feedback(collection: Collection, store: Store) -> Feedback:
    """Give what people said before the queries are asked, as `waymeet feedback` would keep it.

    Raises:
        CollectionError: they spoke of something that is not there.
    """
    votes: tuple[Vote, ...] = ()
    for told in collection.feedback:
        query = " ".join(told.query.split())
        found = documents_of_references((*told.right, *told.wrong), store.documents)
        missing = next((each for each in (*told.right, *told.wrong) if each not in found), None)
        if missing is not None:
            lacking = not_indexed_error(store, missing)
            raise CollectionError(f"{collection.name}/{FEEDBACK}: {lacking.message}", lacking.hint)
        votes = add_votes(votes, _votes(query, (found[each] for each in told.right), right=True))
        votes = add_votes(votes, _votes(query, (found[each] for each in told.wrong), right=False))
    return Feedback(votes)


def _votes(query: str, documents: Iterable[str], *, right: bool) -> Iterable[Vote]:
    return (Vote(query, document, right) for document in documents)


def _place(store: Store, judged: str) -> Place:
    """Find the lines that a judgement names: all of a section, however it was cut, or those of a symbol."""
    path, _, anchor = judged.rpartition("#")
    chunks = store.chunks_of([path]).get(path, ())
    symbol = next((each for chunk in chunks for each in chunk.symbols if each.name == anchor), None)
    if symbol:
        return Place(path, symbol.start, symbol.end)
    parts = [chunk for chunk in chunks if anchor in chunk.anchors]
    if parts:
        return Place(path, min(each.start for each in parts), max(each.end for each in parts))
    place = locate_reference(store, judged)
    if place.start > place.document.lines:
        raise NotIndexedError(f"{path} has {place.document.lines} lines.", "Name lines that are there.")
    return Place(place.document.id, place.start, place.end or place.document.lines)


_BATCH = 200
_LONGEST_SENTENCE = 400
_ENDLESS = 1_000_000_000
_DEFINITION = re.compile(
    r"\s*(?:@\w[^\n]*\n\s*)*"
    r"(?:(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[(:{]|(?:export\s+)?(?:async\s+)?function\b"
    r"|(?:public|private|protected|static)\s+\w|func\s+[\w(]|(?:pub\s+)?fn\s+\w|#!)"
)
_GIVEN = frozenset({"imports", "references", "embeds"})
"""Kinds of links that a collection lists itself, if it lists any."""


def index_documents(
    store: Store,
    collection: Collection,
    chunking: Chunking,
    progress: Progress | None = None,
    *,
    whole: bool = False,
) -> None:
    """Put the documents of a collection into an empty store; if they are to stay `whole`, each is one section."""
    batch: list[IndexEntry] = []
    for done, entry in enumerate(entries(collection, chunking, whole=whole), start=1):
        batch.append(entry)
        if len(batch) == _BATCH:
            store.put(batch)
            batch = []
        if progress:
            progress(done, len(collection.documents), entry.document.id)
    store.put(batch)
    store.optimize()


def entries(collection: Collection, chunking: Chunking, *, whole: bool = False) -> Iterator[IndexEntry]:
    """Make an entry of every document."""
    chunking = replace(chunking, max_chars=_ENDLESS) if whole else chunking
    titles = {document.id: document.title for document in collection.documents}
    given = any(document.links for document in collection.documents)
    for document in collection.documents:
        yield _entry(document, titles, chunking, given=given, whole=whole)


def _entry(
    document: CollectionDocument, titles: Mapping[str, str], chunking: Chunking, *, given: bool, whole: bool
) -> IndexEntry:
    path = document.path or document.id
    print_ = Fingerprint(document.id, len(document.text), 0)
    # Plain text has neither headings nor symbols to be cut at.
    made = build_entry(path, Decoded(document.text, "utf-8"), print_, chunking, plain=whole).entry
    title = document.title or (made.document.title if document.path else "")
    links = [link for link in made.links if not given or link.kind not in _GIVEN]
    kind = "imports" if made.document.kind == "code" else "references"
    links += [_link(document, to, titles.get(to, ""), kind) for to in document.links]
    sort = made.document.kind if document.path else _kind(document.text)
    known = (name for name in made.document.names if sort != "code" or not name.startswith(MENTION_PREFIX))
    terms = {**made.terms, "title": count_terms(title), "path": count_terms(document.path)}
    return IndexEntry(
        document=replace(
            made.document,
            id=document.id,
            kind=sort,
            title=title,
            names=(*known, _key(document.id), *filter(None, (title_key(title), short_title_key(title)))),
        ),
        chunks=tuple(
            replace(chunk, id=document.id + chunk.id.removeprefix(path), document=document.id) for chunk in made.chunks
        ),
        terms={field: found for field, found in terms.items() if found},
        chunk_terms=made.chunk_terms,
        links=tuple(links),
    )


def _kind(text: str) -> str:
    """Tell code from prose where no path does: by whether it begins with a definition.

    >>> _kind("def paste(xsel=False): pass"), _kind("def is short for definition")
    ('code', 'docs')
    """
    return "code" if _DEFINITION.match(text) else "docs"


def _key(document: str) -> str:
    return f"d:{document}"


def _link(source: CollectionDocument, target: str, title: str, kind: str) -> Link:
    """Make a link that says what a link in prose would: the source's title, the target's, and the sentence around."""
    sentence = _sentence(source.text, title)
    return Link(
        (_key(target),), kind, text=title, sentence=sentence, terms=count_terms(f"{source.title}\n{title}\n{sentence}")
    )


def _sentence(text: str, title: str) -> str:
    """Find the sentence that mentions a title; a text that is hardly longer than one is all there is to say."""
    at = text.find(title) if title else -1
    if at < 0:
        return text if len(text) <= _LONGEST_SENTENCE else ""
    start, end = text.rfind(". ", 0, at) + 1, text.find(". ", at)
    return text[start : end if end > 0 else len(text)][:_LONGEST_SENTENCE]
