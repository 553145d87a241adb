"""Building of a file's index entry: document, chunks, terms and links."""

from collections.abc import Callable, Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import count_terms
from waymeet.analysis.acronyms import find_acronyms
from waymeet.analysis.file_roles import ROLES, find_role, is_data_text
from waymeet.analysis.identifiers import documented_name
from waymeet.analysis.keys import (
    acronym_key,
    documented_key,
    long_form_key,
    mention_key,
    name_endings,
    property_key,
)
from waymeet.analysis.proper_names import find_proper_names
from waymeet.ingest.build.link_keys import build_links, document_keys
from waymeet.ingest.chunk import split_chunks
from waymeet.ingest.discover.entry_kind import SKILL_PAGE, entry_kind
from waymeet.ingest.filetypes import file_type
from waymeet.ingest.parse import Parsed, parse
from waymeet.ingest.parse.markup.code_blocks import CODE_BLOCK
from waymeet.ingest.parse.metadata.dates import read_date
from waymeet.ingest.read.decode import Decoded
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.settings import Chunking, NotebookSettings
from waymeet.types import Chunk, Document, Fingerprint, IndexEntry, Terms

_NOT_PARSED = Parsed("", "other")
_DEFAULT_NOTEBOOK = NotebookSettings()
_MAX_DOCUMENTED = 1_000
"""Names that are headings and become keys of a document."""
_MAX_NAMES = 40
"""Proper names in its text that become keys of a document."""


class BuiltEntry(Struct, frozen=True):
    """An entry with warnings about its file."""

    entry: IndexEntry
    warnings: tuple[str, ...] = ()


def build_entry(
    path: str,
    decoded: Decoded,
    fingerprint: Fingerprint,
    chunking: Chunking,
    notebook: NotebookSettings = _DEFAULT_NOTEBOOK,
    *,
    plain: bool = False,
    mask: bool = True,
) -> BuiltEntry:
    """Parse, chunk and analyse the text of one file, with `plain` as plain text."""
    parsed = _set_kind(path, parse(path, decoded.text, plain=plain), notebook)
    parsed = _mask_parsed(path, parsed) if mask else parsed
    text = decoded.text if parsed.text is None else parsed.text
    document = _document(path, decoded.text, text, parsed, fingerprint)
    chunks = _mark_embedded(split_chunks(path, text, parsed, chunking), document.role)
    entry = IndexEntry(
        document=document,
        chunks=chunks,
        terms=_document_terms(path, parsed),
        chunk_terms=tuple(map(_chunk_terms, chunks)),
        links=tuple(build_links(path, parsed)),
    )
    replaced = (f"some bytes are not valid {decoded.encoding} and were replaced",) if decoded.replaced else ()
    return BuiltEntry(entry, (*replaced, *filter(None, (decoded.warning,)), *parsed.warnings))


def build_path_entry(path: str, fingerprint: Fingerprint, role: str = "") -> IndexEntry:
    """Build the entry of a file of which only path, size and time are indexed.

    The role is that of its content, if that is known.
    """
    name = path.rpartition("/")[2]
    role = role or find_role(path, *file_type(path))
    chunk = Chunk(f"{path}#L1-L1", path, 0, 1, 1, "", is_embedded=ROLES[role].is_embedded)
    return IndexEntry(
        document=Document(
            id=path,
            kind="files",
            title=name,
            names=path_keys(path),
            digest=fingerprint.digest,
            size=fingerprint.size,
            modified_ns=fingerprint.modified_ns,
            role=role,
            changed_ns=fingerprint.modified_ns,
        ),
        chunks=(chunk,),
        terms={"title": count_terms(name), "path": count_terms(path)},
        chunk_terms=({},),
    )


def set_folder_role(entry: IndexEntry, role: str) -> IndexEntry:
    """Give a file the role of its folder, such as build output, unless its own is stronger."""
    document = entry.document
    if not role or not document.role or ROLES[document.role].is_strong:
        return entry
    chunks = tuple(replace(chunk, is_embedded=ROLES[role].is_embedded) for chunk in entry.chunks)
    return replace(entry, document=replace(document, role=role), chunks=chunks)


def _mark_embedded(chunks: tuple[Chunk, ...], role: str) -> tuple[Chunk, ...]:
    """Mark the chunks that get no vector, by the role of their file or their own text."""
    if not ROLES[role].is_embedded:
        return tuple(replace(chunk, is_embedded=False) for chunk in chunks)
    return tuple(replace(chunk, is_embedded=False) if is_data_text(chunk.text) else chunk for chunk in chunks)


def path_keys(path: str) -> tuple[str, ...]:
    """List the keys that a file has by its path alone.

    >>> path_keys("docs/Setup.md"), path_keys("img/Logo.png")
    (('p:docs/setup.md', 'n:setup.md', 'n:setup'), ('p:img/logo.png', 'n:logo.png'))
    """
    return document_keys(path, _NOT_PARSED)


def _set_kind(path: str, parsed: Parsed, folders: NotebookSettings) -> Parsed:
    """Set the kind of notes, tasks and skills.

    The title of a SKILL.md is the name in its front matter.
    """
    kind = entry_kind(path, folders)
    if not kind:
        return parsed
    name = parsed.properties.get("name", "") if path.endswith(SKILL_PAGE) else ""
    if not name or name == parsed.title:
        return replace(parsed, kind=kind)
    return replace(parsed, kind=kind, title=name, aliases=(*parsed.aliases, parsed.title))


def _mask_parsed(path: str, parsed: Parsed) -> Parsed:
    """Mask secrets that appear only in parsed texts, after markup was removed.

    These are rare, so all texts are checked together before each is masked by itself.
    """
    if not mask_secrets("\n".join(dict.fromkeys(_list_texts(parsed))), path).number:
        return parsed
    return _map_texts(parsed, lambda text: mask_secrets(text, path).text)


def _list_texts(parsed: Parsed) -> list[str]:
    """List every text of a parsed file."""
    texts = [parsed.title, *parsed.tags, *parsed.aliases, *parsed.triggers]
    texts += [f"{name}: {value}" for name, value in parsed.properties.items()]
    texts += [heading.text for heading in parsed.headings]
    texts += [text for link in parsed.links for text in (link.target, link.text, link.sentence)]
    texts += [text for symbol in parsed.symbols for text in (symbol.signature, symbol.doc)]
    return texts if parsed.text is None else [*texts, parsed.text]


def _map_texts(parsed: Parsed, change: Callable[[str], str]) -> Parsed:
    """Apply a function to every text of a parsed file."""
    return replace(
        parsed,
        title=change(parsed.title),
        tags=tuple(map(change, parsed.tags)),
        aliases=tuple(map(change, parsed.aliases)),
        triggers=tuple(map(change, parsed.triggers)),
        properties={name: _change_value(name, value, change) for name, value in parsed.properties.items()},
        headings=tuple(replace(heading, text=change(heading.text)) for heading in parsed.headings),
        links=tuple(
            replace(link, target=change(link.target), text=change(link.text), sentence=change(link.sentence))
            for link in parsed.links
        ),
        symbols=tuple(
            replace(symbol, signature=change(symbol.signature), doc=change(symbol.doc)) for symbol in parsed.symbols
        ),
        text=None if parsed.text is None else change(parsed.text),
    )


def _change_value(name: str, value: str, change: Callable[[str], str]) -> str:
    """Apply a function to the value of a property with its name, such as `password`, before it."""
    return change(f"{name}: {value}").removeprefix(f"{name}: ")


def _document(path: str, raw_text: str, text: str, parsed: Parsed, fingerprint: Fingerprint) -> Document:
    type_ = file_type(path)
    kind = parsed.kind or type_.kind
    own_date = read_date(parsed.properties)
    return Document(
        id=path,
        kind=kind,
        title=parsed.title,
        doc_type=parsed.doc_type,
        language=type_.language,
        tags=parsed.tags,
        properties=parsed.properties,
        names=tuple(dict.fromkeys((*document_keys(path, parsed), *_content_keys(text, parsed, kind)))),
        digest=fingerprint.digest,
        size=fingerprint.size,
        modified_ns=fingerprint.modified_ns,
        lines=text.count("\n") + (not text.endswith("\n") and text != ""),
        role=find_role(path, kind, type_.language, raw_text),
        changed_ns=own_date or fingerprint.modified_ns,
        changed_by="front matter" if own_date else "file",
    )


def _content_keys(text: str, parsed: Parsed, kind: str) -> Iterator[str]:
    """Yield the keys of a document's properties, defined acronyms and proper names in prose."""
    yield from map(property_key, parsed.properties)
    for short, long in find_acronyms(text).items():
        yield acronym_key(short)
        yield long_form_key(long)
    if kind != "code":
        yield from islice(_documented_keys(parsed), _MAX_DOCUMENTED)
        yield from map(mention_key, islice(find_proper_names(f"{parsed.title}\n{text}"), _MAX_NAMES))


def _documented_keys(parsed: Parsed) -> Iterator[str]:
    """Yield the keys of the names that are headings, with and without their scopes."""
    for heading in parsed.headings:
        name = documented_name(heading.text)
        yield from map(documented_key, name_endings(name) if name else ())


def _document_terms(path: str, parsed: Parsed) -> dict[str, Terms]:
    """Count the terms of the document's own fields, with aliases as part of the title."""
    fields = {
        "title": "\n".join((parsed.title, *parsed.aliases)),
        "path": path,
        "tags": "\n".join(parsed.tags),
        "properties": "\n".join(parsed.properties.values()),
        "triggers": "\n".join(parsed.triggers),
    }
    return {field: count_terms(text) for field, text in fields.items() if text}


def _chunk_terms(chunk: Chunk) -> dict[str, Terms]:
    """Count the terms of a chunk's fields, with the names of its symbols in place of headings."""
    symbols = [symbol.name.partition("~")[0] for symbol in chunk.symbols if symbol.kind != CODE_BLOCK]
    fields = {"headings": "\n".join(symbols or chunk.headings), "body": chunk.text}
    return {field: count_terms(text) for field, text in fields.items() if text}
