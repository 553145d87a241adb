"""One file → everything a store keeps of it."""

from collections.abc import Callable, Iterator
from itertools import islice
from msgspec import Struct
from msgspec.structs import replace
from waymeet.analysis import count_terms
from waymeet.analysis.acronyms import find_acronyms
from waymeet.analysis.keys import property_key, mention_key, acronym_key, long_form_key
from waymeet.analysis.proper_names import find_proper_names
from waymeet.ingest.chunk import chunks
from waymeet.ingest.read.decode import Decoded
from waymeet.ingest.discover.entry_kind import sorted_in
from waymeet.ingest.build.link_keys import links, names
from waymeet.ingest.parse import Parsed, format_of, parse
from waymeet.ingest.parse.markup.code_blocks import CODE_BLOCK
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.settings import NotebookSettings, Chunking
from waymeet.types import Chunk, Document, IndexEntry, Fingerprint, Terms
from waymeet.ingest.build.link_keys import names
from waymeet.ingest.parse import Parsed
from waymeet.types import Chunk, Document, IndexEntry, Fingerprint


_NOTHING = Parsed("", "other")


def bare(path: str, fingerprint: Fingerprint) -> IndexEntry:
    """Make the entry of a file of which nothing but its path, size and time is known."""
    name = path.rpartition("/")[2]
    return IndexEntry(
        document=Document(
            id=path,
            kind="files",
            title=name,
            names=path_keys(path),
            digest=fingerprint.digest,
            size=fingerprint.size,
            modified_ns=fingerprint.modified_ns,
        ),
        chunks=(Chunk(f"{path}#L1-L1", path, 0, 1, 1, ""),),
        terms={"title": count_terms(name), "path": count_terms(path)},
        chunk_terms=({},),
    )


def path_keys(path: str) -> tuple[str, ...]:
    """List the keys that a file has by its path alone.

    >>> path_keys("docs/Setup.md"), path_keys("img/Logo.png")
    (('p:docs/setup.md', 'n:setup.md', 'n:setup'), ('p:img/logo.png', 'n:logo.png'))
    """
    return names(path, _NOTHING)


_USUAL = NotebookSettings()
_MOST_NAMES = 40
"""Names in its text that a document is known by."""


class BuiltEntry(Struct, frozen=True):
    """An entry, and what the user should know about its file."""

    entry: IndexEntry
    notes: tuple[str, ...] = ()


def build_entry(
    path: str,
    decoded: Decoded,
    fingerprint: Fingerprint,
    chunking: Chunking,
    authored: NotebookSettings = _USUAL,
    *,
    plain: bool = False,
    mask: bool = True,
) -> BuiltEntry:
    """Parse, cut and analyse the text of one file, or take it for plain text."""
    parsed = sorted_in(path, parse(path, decoded.text, plain=plain), authored)
    parsed = _without_secrets(path, parsed) if mask else parsed
    text = decoded.text if parsed.text is None else parsed.text
    pieces = chunks(path, text, parsed, chunking)
    entry = IndexEntry(
        document=_document(path, text, parsed, fingerprint),
        chunks=pieces,
        terms=_terms(path, parsed),
        chunk_terms=tuple(map(_chunk_terms, pieces)),
        links=tuple(links(path, parsed)),
    )
    damaged = (f"some bytes are not valid {decoded.encoding} and were replaced",) if decoded.replaced else ()
    return BuiltEntry(entry, (*damaged, *filter(None, (decoded.note,)), *parsed.warnings))


def _without_secrets(path: str, parsed: Parsed) -> Parsed:
    """Mask what became a secret only when markup was taken away, which is rare: all is looked at together first."""
    found: list[str] = []

    def noted(text: str) -> str:
        found.append(text)
        return text

    _each(parsed, noted)
    if not mask_secrets("\n".join(found), path).number:
        return parsed
    return _each(parsed, lambda text: mask_secrets(text, path).text)


def _each(parsed: Parsed, change: Callable[[str], str]) -> Parsed:
    """Change every text that a parser found."""
    return replace(
        parsed,
        title=change(parsed.title),
        tags=tuple(map(change, parsed.tags)),
        aliases=tuple(map(change, parsed.aliases)),
        triggers=tuple(map(change, parsed.triggers)),
        properties={name: _value(name, value, change) for name, value in parsed.properties.items()},
        headings=tuple(replace(each, text=change(each.text)) for each in parsed.headings),
        links=tuple(
            replace(each, target=change(each.target), text=change(each.text), sentence=change(each.sentence))
            for each in parsed.links
        ),
        symbols=tuple(replace(each, signature=change(each.signature), doc=change(each.doc)) for each in parsed.symbols),
        text=None if parsed.text is None else change(parsed.text),
    )


def _value(name: str, value: str, change: Callable[[str], str]) -> str:
    """Change the value of a property; its name may tell that it is a secret."""
    return change(f"{name}: {value}").removeprefix(f"{name}: ")


def _document(path: str, text: str, parsed: Parsed, fingerprint: Fingerprint) -> Document:
    form = format_of(path)
    kind = parsed.kind or form.kind
    return Document(
        id=path,
        kind=kind,
        title=parsed.title,
        doc_type=parsed.doc_type,
        language=form.language,
        tags=parsed.tags,
        properties=parsed.properties,
        names=tuple(dict.fromkeys((*names(path, parsed), *_known_for(text, parsed, kind)))),
        digest=fingerprint.digest,
        size=fingerprint.size,
        modified_ns=fingerprint.modified_ns,
        lines=text.count("\n") + (not text.endswith("\n") and text != ""),
    )


def _known_for(text: str, parsed: Parsed, kind: str) -> Iterator[str]:
    """List the keys of a document's properties, of the acronyms it explains, and of names that stand in prose."""
    yield from map(property_key, parsed.properties)
    for short, long in find_acronyms(text).items():
        yield acronym_key(short)
        yield long_form_key(long)
    if kind != "code":
        yield from map(mention_key, islice(find_proper_names(f"{parsed.title}\n{text}"), _MOST_NAMES))


def _terms(path: str, parsed: Parsed) -> dict[str, Terms]:
    """Analyse the document's own fields; its other names count as its title."""
    fields = {
        "title": "\n".join((parsed.title, *parsed.aliases)),
        "path": path,
        "tags": "\n".join(parsed.tags),
        "properties": "\n".join(parsed.properties.values()),
        "triggers": "\n".join(parsed.triggers),
    }
    return {field: count_terms(text) for field, text in fields.items() if text}


def _chunk_terms(chunk: Chunk) -> dict[str, Terms]:
    """Analyse a chunk's own fields; where symbols begin in it, their names are its headings."""
    named = [symbol.name.partition("~")[0] for symbol in chunk.symbols if symbol.kind != CODE_BLOCK]
    fields = {"headings": "\n".join(named or chunk.headings), "body": chunk.text}
    return {field: count_terms(text) for field, text in fields.items() if text}
