"""Indexing a test collection: each document is parsed and split like a file of its kind."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from waymeet.analysis import count_terms, normalise_text, title_key
from waymeet.analysis.keys import MENTION_PREFIX, short_title_key
from waymeet.errors import CollectionError, NotIndexedError
from waymeet.evaluate.collection import FEEDBACK, Collection, CollectionDocument, Place
from waymeet.evaluate.mining.read_project import index_folder
from waymeet.ingest.build.entry import build_entry
from waymeet.ingest.read.decode import Decoded
from waymeet.ports import Progress, Store
from waymeet.search.feedback.votes import Feedback, Vote, add_votes
from waymeet.search.lookup.citation import documents_of_references, locate_reference
from waymeet.search.lookup.did_you_mean import not_indexed_error
from waymeet.settings import Chunking, Settings
from waymeet.types import Chunk, Fingerprint, IndexEntry, Link

_BATCH = 200
_MAX_SENTENCE_CHARS = 400
_UNLIMITED = 1_000_000_000
_PARSE_SECONDS = 600.0
"""Processor time for a file of a collection."""
_DEFINITION = re.compile(
    r"\s*(?:@\w[^\n]*\n\s*)*"
    r"(?:(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[(:{]|(?:export\s+)?(?:async\s+)?function\b"
    r"|(?:public|private|protected|static)\s+\w|func\s+[\w(]|(?:pub\s+)?fn\s+\w|#!)"
)
_LISTED_LINKS = frozenset({"imports", "references", "embeds"})
"""Kinds of links that come from the collection's `links`, if it has any, and not from the text."""


def index_files(store: Store, collection: Collection, settings: Settings, progress: Progress | None = None) -> None:
    """Index the files of a collection in an empty store.

    A large file may take as long as it needs: with the usual limit, a busy machine would index only a part of it, and
    judgements of its other lines would not be found.
    """
    patient = replace(settings, ingest=replace(settings.ingest, parse_seconds=_PARSE_SECONDS))
    index_folder(Path(collection.files), store, patient, progress)
    store.optimize()


def read_whole_documents(store: Store) -> tuple[CollectionDocument, ...]:
    """Read the documents of a store, each with the text of all its sections."""
    documents = store.documents(sorted(store.fingerprints()))
    texts = {id_: _join_sections(chunks) for id_, chunks in store.chunks_of(list(documents)).items()}
    return tuple(
        CollectionDocument(id_, texts.get(id_, ""), document.title, id_) for id_, document in documents.items()
    )


def _join_sections(chunks: Sequence[Chunk]) -> str:
    """Join sections into one text, with the line numbers of the file for judged lines."""
    text, line = "", 1
    for chunk in chunks:
        text += ("\n" * (chunk.start - line) or " " * bool(text)) + chunk.text
        line = max(line, chunk.start) + chunk.text.count("\n")
    return text


def resolve_judgements(collection: Collection, store: Store) -> Collection:
    """Look up the documents and places that the judgements of a collection of files name.

    Raises:
        CollectionError: a judgement names something that is not indexed.
    """
    judged = {item: query for query, judgements in collection.qrels.items() for item in judgements}
    documents = store.documents(list(judged))
    places = {}
    for item, query in judged.items():
        if item not in documents:
            try:
                places[item] = _find_place(store, item)
            except NotIndexedError as error:
                message = f"{collection.name}: a judgement of query {query!r} is not indexed. {error.message}"
                raise CollectionError(message, error.hint) from error
    return replace(collection, documents=tuple(map(CollectionDocument, sorted(store.fingerprints()))), places=places)


def collect_feedback(collection: Collection, store: Store) -> Feedback:
    """Make votes of the feedback of a collection, as `waymeet feedback` stores them.

    Raises:
        CollectionError: the feedback names something that is not indexed.
    """
    votes: tuple[Vote, ...] = ()
    for feedback in collection.feedback:
        query = " ".join(feedback.query.split())
        references = (*feedback.right, *feedback.wrong)
        documents = documents_of_references(references, store.documents)
        missing = next((reference for reference in references if reference not in documents), None)
        if missing is not None:
            error = not_indexed_error(store, missing)
            raise CollectionError(f"{collection.name}/{FEEDBACK}: {error.message}", error.hint)
        votes = add_votes(votes, _make_votes(query, (documents[each] for each in feedback.right), right=True))
        votes = add_votes(votes, _make_votes(query, (documents[each] for each in feedback.wrong), right=False))
    return Feedback(votes)


def _make_votes(query: str, documents: Iterable[str], *, right: bool) -> Iterable[Vote]:
    return (Vote(query, document, right) for document in documents)


def _find_place(store: Store, reference: str) -> Place:
    """Find the lines of a judged symbol, section (of all its chunks) or line range."""
    path, _, anchor = reference.rpartition("#")
    chunks = store.chunks_of([path]).get(path, ())
    symbol = next((each for chunk in chunks for each in chunk.symbols if each.name == anchor), None)
    if symbol:
        return Place(path, symbol.start, symbol.end)
    names = {anchor, normalise_text(anchor).replace(" ", "-")}
    parts = [chunk for chunk in chunks if names.intersection(chunk.anchors)]
    if parts:
        return Place(path, min(chunk.start for chunk in parts), max(chunk.end for chunk in parts))
    location = locate_reference(store, reference)
    lines = location.document.lines
    if location.start > lines:
        raise NotIndexedError(f"{path} has {lines} lines.", "Name lines of the file.")
    return Place(location.document.id, location.start, location.end or lines)


def index_documents(
    store: Store,
    collection: Collection,
    chunking: Chunking,
    progress: Progress | None = None,
    *,
    whole: bool = False,
) -> None:
    """Index the documents of a collection in an empty store, with `whole` each as one section."""
    batch: list[IndexEntry] = []
    for done, entry in enumerate(build_entries(collection, chunking, whole=whole), start=1):
        batch.append(entry)
        if len(batch) == _BATCH:
            store.put(batch)
            batch = []
        if progress:
            progress(done, len(collection.documents), entry.document.id)
    store.put(batch)
    store.optimize()


def build_entries(collection: Collection, chunking: Chunking, *, whole: bool = False) -> Iterator[IndexEntry]:
    """Build the index entry of every document of a collection."""
    chunking = replace(chunking, max_chars=_UNLIMITED) if whole else chunking
    titles = {document.id: document.title for document in collection.documents}
    has_links = any(document.links for document in collection.documents)
    for document in collection.documents:
        yield _build_entry(document, titles, chunking, has_links=has_links, whole=whole)


def _build_entry(
    document: CollectionDocument, titles: Mapping[str, str], chunking: Chunking, *, has_links: bool, whole: bool
) -> IndexEntry:
    path = document.path or document.id
    fingerprint = Fingerprint(document.id, len(document.text), 0)
    # Plain text has neither headings nor symbols to be split at.
    built = build_entry(path, Decoded(document.text, "utf-8"), fingerprint, chunking, plain=whole).entry
    title = document.title or (built.document.title if document.path else "")
    links = [link for link in built.links if not has_links or link.kind not in _LISTED_LINKS]
    link_kind = "imports" if built.document.kind == "code" else "references"
    links += [_make_link(document, target, titles.get(target, ""), link_kind) for target in document.links]
    kind = built.document.kind if document.path else _guess_kind(document.text)
    names = (name for name in built.document.names if kind != "code" or not name.startswith(MENTION_PREFIX))
    terms = {**built.terms, "title": count_terms(title), "path": count_terms(document.path)}
    return IndexEntry(
        document=replace(
            built.document,
            id=document.id,
            kind=kind,
            title=title,
            role=built.document.role if document.path else "",
            names=(*names, _document_key(document.id), *filter(None, (title_key(title), short_title_key(title)))),
        ),
        chunks=tuple(
            replace(chunk, id=document.id + chunk.id.removeprefix(path), document=document.id) for chunk in built.chunks
        ),
        terms={field: counts for field, counts in terms.items() if counts},
        chunk_terms=built.chunk_terms,
        links=tuple(links),
    )


def _guess_kind(text: str) -> str:
    """Guess whether a text without a path is code, by whether it begins with a definition.

    >>> _guess_kind("def paste(xsel=False): pass"), _guess_kind("def is short for definition")
    ('code', 'docs')
    """
    return "code" if _DEFINITION.match(text) else "docs"


def _document_key(document: str) -> str:
    return f"d:{document}"


def _make_link(source: CollectionDocument, target: str, title: str, kind: str) -> Link:
    """Make a link with the texts of a link in prose: both titles and the sentence around it."""
    sentence = _find_sentence(source.text, title)
    return Link(
        (_document_key(target),),
        kind,
        text=title,
        sentence=sentence,
        terms=count_terms(f"{source.title}\n{title}\n{sentence}"),
    )


def _find_sentence(text: str, title: str) -> str:
    """Find the sentence that mentions a title, or take a short text as a whole."""
    position = text.find(title) if title else -1
    if position < 0:
        return text if len(text) <= _MAX_SENTENCE_CHARS else ""
    start, end = text.rfind(". ", 0, position) + 1, text.find(". ", position)
    return text[start : end if end > 0 else len(text)][:_MAX_SENTENCE_CHARS]
