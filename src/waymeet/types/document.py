"""What is searched: documents, the chunks they are cut into, and what ingestion hands to a store."""

from collections.abc import Mapping

from msgspec import Struct

from waymeet.types.graph import Link

Terms = Mapping[str, int]
"""Terms of a text with how often each occurs."""

DOCUMENT_FIELDS = ("title", "path", "tags", "properties", "triggers", "inbound")
"""Fields that a document lends to each of its chunks. `inbound` is the text of the links that lead to it."""

CHUNK_FIELDS = ("headings", "body")
"""Fields that a chunk has by itself."""

FIELDS = DOCUMENT_FIELDS + CHUNK_FIELDS


class Document(Struct, frozen=True):
    """One file of the project as a whole."""

    id: str
    """Its path below the project's root, with forward slashes."""
    kind: str
    """What sort of knowledge it is: `docs`, `code`, `notes`, `tasks`, `skills`, `files` or `folders`."""
    title: str
    doc_type: str = "other"
    language: str = ""
    tags: tuple[str, ...] = ()
    properties: Mapping[str, str] = {}
    """Front matter that no other attribute holds, as text."""
    names: tuple[str, ...] = ()
    """The keys under which a link can name it (see `waymeet.ingest.build.link_keys`)."""
    digest: str = ""
    size: int = 0
    modified_ns: int = 0
    lines: int = 0
    namespace: str = ""
    """The package, submodule or extra folder it belongs to; empty for the project itself."""


class Symbol(Struct, frozen=True):
    """Something with a name that a file defines: a function, a class, a fenced block of code."""

    name: str
    """Its name with those it lies in, as in `Store.put`; unique within its document, and its anchor."""
    kind: str
    """`class`, `function`, `method`, `code_block` and so on."""
    start: int
    end: int
    """First and last line of the whole definition, with its comment, counted from 1, both included."""
    signature: str = ""
    """How it is declared, on one line; for a block of code, its language."""
    doc: str = ""
    """The first paragraph of its comment."""
    exported: bool = True


class Chunk(Struct, frozen=True):
    """A section, or a piece of a file: the unit that is found and cited."""

    id: str
    """Citable: `path#L10-L24`."""
    document: str
    ordinal: int
    """Its place among the chunks of its document, from 0."""
    start: int
    end: int
    """First and last line, counted from 1, both included."""
    text: str
    headings: tuple[str, ...] = ()
    """The headings above it, outermost first, its own last."""
    anchors: tuple[str, ...] = ()
    """What a link may write behind `#` to lead here: one for each heading or symbol in it, or that of what goes on."""
    symbols: tuple[Symbol, ...] = ()
    """The symbols that begin in it."""


class IndexEntry(Struct, frozen=True):
    """Everything a store keeps of one document; putting it replaces what was there under the same id."""

    document: Document
    chunks: tuple[Chunk, ...]
    terms: Mapping[str, Terms]
    """Terms of the document fields, by field; `inbound` is not among them, for it belongs to the linking documents."""
    chunk_terms: tuple[Mapping[str, Terms], ...]
    """Terms of the chunk fields, by field, one mapping for each chunk."""
    links: tuple[Link, ...] = ()


class Fingerprint(Struct, frozen=True):
    """What tells an unchanged file from a changed one."""

    digest: str
    size: int
    modified_ns: int
