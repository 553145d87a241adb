"""A collection as an index: every document takes the road that a file of its kind takes."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from waymeet.analysis import count, titled
from waymeet.evaluate.collection import Collection, Judged
from waymeet.ingest.decode import Decoded
from waymeet.ingest.entry import make
from waymeet.ports import Progress, Store
from waymeet.settings import Chunking
from waymeet.types import Entry, Fingerprint, Link

_BATCH = 200
_LONGEST_SENTENCE = 400
_GIVEN = frozenset({"imports", "references", "embeds"})
"""Kinds of links that a collection lists itself, if it lists any."""


def fill(store: Store, collection: Collection, chunking: Chunking, progress: Progress | None = None) -> None:
    """Put the documents of a collection into an empty store."""
    batch: list[Entry] = []
    for done, entry in enumerate(entries(collection, chunking), start=1):
        batch.append(entry)
        if len(batch) == _BATCH:
            store.put(batch)
            batch = []
        if progress:
            progress(done, len(collection.documents), entry.document.id)
    store.put(batch)
    store.tidy()


def entries(collection: Collection, chunking: Chunking) -> Iterator[Entry]:
    """Make an entry of every document."""
    titles = {document.id: document.title for document in collection.documents}
    given = any(document.links for document in collection.documents)
    for document in collection.documents:
        yield _entry(document, titles, chunking, given=given)


def _entry(document: Judged, titles: Mapping[str, str], chunking: Chunking, *, given: bool) -> Entry:
    path = document.path or document.id
    made = make(path, Decoded(document.text, "utf-8"), Fingerprint(document.id, len(document.text), 0), chunking).entry
    title = document.title or (made.document.title if document.path else "")
    links = [link for link in made.links if not given or link.kind not in _GIVEN]
    kind = "imports" if made.document.kind == "code" else "references"
    links += [_link(document, to, titles.get(to, ""), kind) for to in document.links]
    terms = {**made.terms, "title": count(title), "path": count(document.path)}
    return Entry(
        document=replace(
            made.document,
            id=document.id,
            title=title,
            names=(*made.document.names, _key(document.id), *filter(None, (titled(title),))),
        ),
        chunks=tuple(
            replace(chunk, id=document.id + chunk.id.removeprefix(path), document=document.id) for chunk in made.chunks
        ),
        terms={field: found for field, found in terms.items() if found},
        chunk_terms=made.chunk_terms,
        links=tuple(links),
    )


def _key(document: str) -> str:
    return f"d:{document}"


def _link(source: Judged, target: str, title: str, kind: str) -> Link:
    """Make a link that says what a link in prose would: the source's title, the target's, and the sentence around."""
    sentence = _sentence(source.text, title)
    return Link(
        (_key(target),), kind, text=title, sentence=sentence, terms=count(f"{source.title}\n{title}\n{sentence}")
    )


def _sentence(text: str, title: str) -> str:
    """Find the sentence that mentions a title."""
    at = text.find(title) if title else -1
    if at < 0:
        return ""
    start, end = text.rfind(". ", 0, at) + 1, text.find(". ", at)
    return text[start : end if end > 0 else len(text)][:_LONGEST_SENTENCE]
