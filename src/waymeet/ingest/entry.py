"""One file → everything a store keeps of it."""

from collections.abc import Iterator

from msgspec import Struct

from waymeet.analysis import count
from waymeet.analysis.acronyms import pairs
from waymeet.analysis.names import having, shortened, spelt_out
from waymeet.ingest.chunk import chunks
from waymeet.ingest.decode import Decoded
from waymeet.ingest.kinds import sorted_in
from waymeet.ingest.link import links, names
from waymeet.ingest.parse import Parsed, format_of, parse
from waymeet.ingest.parse.codeblocks import CODE_BLOCK
from waymeet.settings import Authored, Chunking
from waymeet.types import Chunk, Document, Entry, Fingerprint, Terms

_USUAL = Authored()


class Made(Struct, frozen=True):
    """An entry, and what the user should know about its file."""

    entry: Entry
    notes: tuple[str, ...] = ()


def make(
    path: str,
    decoded: Decoded,
    fingerprint: Fingerprint,
    chunking: Chunking,
    authored: Authored = _USUAL,
    *,
    plain: bool = False,
) -> Made:
    """Parse, cut and analyse the text of one file, or take it for plain text."""
    parsed = sorted_in(path, parse(path, decoded.text, plain=plain), authored)
    text = decoded.text if parsed.text is None else parsed.text
    pieces = chunks(path, text, parsed, chunking)
    entry = Entry(
        document=_document(path, text, parsed, fingerprint),
        chunks=pieces,
        terms=_terms(path, parsed),
        chunk_terms=tuple(map(_chunk_terms, pieces)),
        links=tuple(links(path, parsed)),
    )
    damaged = (f"some bytes are not valid {decoded.encoding} and were replaced",) if decoded.replaced else ()
    return Made(entry, (*damaged, *filter(None, (decoded.note,)), *parsed.notes))


def _document(path: str, text: str, parsed: Parsed, fingerprint: Fingerprint) -> Document:
    form = format_of(path)
    return Document(
        id=path,
        kind=parsed.kind or form.kind,
        title=parsed.title,
        doc_type=parsed.doc_type,
        language=form.language,
        tags=parsed.tags,
        properties=parsed.properties,
        names=tuple(dict.fromkeys((*names(path, parsed), *_known_for(text, parsed)))),
        digest=fingerprint.digest,
        size=fingerprint.size,
        modified_ns=fingerprint.modified_ns,
        lines=text.count("\n") + (not text.endswith("\n") and text != ""),
    )


def _known_for(text: str, parsed: Parsed) -> Iterator[str]:
    """List the keys of the properties that a document has and of the acronyms that it explains."""
    yield from map(having, parsed.properties)
    for short, long in pairs(text).items():
        yield shortened(short)
        yield spelt_out(long)


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
    """Analyse a chunk's own fields; where symbols begin in it, their names are its headings."""
    named = [symbol.name.partition("~")[0] for symbol in chunk.symbols if symbol.kind != CODE_BLOCK]
    fields = {"headings": "\n".join(named or chunk.headings), "body": chunk.text}
    return {field: count(text) for field, text in fields.items() if text}
