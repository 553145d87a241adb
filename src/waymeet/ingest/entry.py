"""One file → everything a store keeps of it."""

from msgspec import Struct

from waymeet.analysis import count
from waymeet.ingest.chunk import chunks
from waymeet.ingest.decode import Decoded
from waymeet.ingest.link import links, names
from waymeet.ingest.parse import Parsed, format_of, parse
from waymeet.settings import Chunking
from waymeet.types import Chunk, Document, Entry, Fingerprint, Terms


class Made(Struct, frozen=True):
    """An entry, and what the user should know about its file."""

    entry: Entry
    notes: tuple[str, ...] = ()


def make(path: str, decoded: Decoded, fingerprint: Fingerprint, chunking: Chunking) -> Made:
    """Parse, cut and analyse the text of one file."""
    parsed = parse(path, decoded.text)
    pieces = chunks(path, decoded.text, parsed, chunking)
    entry = Entry(
        document=_document(path, decoded.text, parsed, fingerprint),
        chunks=pieces,
        terms=_terms(path, parsed),
        chunk_terms=tuple(map(_chunk_terms, pieces)),
        links=tuple(links(path, parsed)),
    )
    damaged = (f"some bytes are not valid {decoded.encoding} and were replaced",) if decoded.replaced else ()
    return Made(entry, (*damaged, *parsed.notes))


def _document(path: str, text: str, parsed: Parsed, fingerprint: Fingerprint) -> Document:
    form = format_of(path)
    return Document(
        id=path,
        kind=form.kind,
        title=parsed.title,
        doc_type=parsed.doc_type,
        language=form.language,
        tags=parsed.tags,
        properties=parsed.properties,
        names=names(path, parsed),
        digest=fingerprint.digest,
        size=fingerprint.size,
        modified_ns=fingerprint.modified_ns,
        lines=text.count("\n") + (not text.endswith("\n") and text != ""),
    )


def _terms(path: str, parsed: Parsed) -> dict[str, Terms]:
    """Analyse the document's own fields; its other names count as its title."""
    fields = {
        "title": "\n".join((parsed.title, *parsed.aliases)),
        "path": path,
        "tags": "\n".join(parsed.tags),
        "properties": "\n".join(parsed.properties.values()),
        "triggers": "\n".join(parsed.triggers),
    }
    return {field: count(text) for field, text in fields.items() if text}


def _chunk_terms(chunk: Chunk) -> dict[str, Terms]:
    fields = {"headings": "\n".join(chunk.headings), "body": chunk.text}
    return {field: count(text) for field, text in fields.items() if text}
