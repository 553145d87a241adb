"""Documents, their chunks, and the entries that ingestion writes to a store."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from waymeet.types.graph import Link

Terms = Mapping[str, int]
"""The terms of a text and their frequencies."""

DOCUMENT_FIELDS = ("title", "path", "tags", "properties", "triggers", "inbound")
"""Fields of a document that count for each of its chunks. `inbound` is the text of the links to it."""

CHUNK_FIELDS = ("headings", "body")
"""Fields of a chunk."""

FIELDS = DOCUMENT_FIELDS + CHUNK_FIELDS


class Document(Struct, frozen=True):
    """A file of the project."""

    id: str
    """Path relative to the project's root, with forward slashes."""
    kind: str
    """`docs`, `code`, `notes`, `tasks`, `skills`, `files`, `folders` or `proxies`.

    A proxy represents a document of another index. Links may lead through it, but it is never a result.
    """
    title: str
    doc_type: str = "other"
    language: str = ""
    tags: tuple[str, ...] = ()
    properties: Mapping[str, str] = {}
    """Front matter that has no attribute of its own, as text."""
    names: tuple[str, ...] = ()
    """Keys by which links refer to it (see `waymeet.ingest.build.link_keys`)."""
    digest: str = ""
    size: int = 0
    modified_ns: int = 0
    lines: int = 0
    namespace: str = ""
    """Package, submodule or extra folder; empty for the project itself."""
    role: str = ""
    """Role of the file in the project (see `waymeet.analysis.file_roles`); empty for folders."""
    changed_ns: int = 0
    """Date for recency and filters, in nanoseconds since 1970: from front matter, else of the last commit that changed
    the content, else the time of the file."""
    changed_by: Literal["front matter", "commit", "file"] = "file"
    """Origin of `changed_ns`."""


class Symbol(Struct, frozen=True):
    """A named definition in a file: a function, a class, a fenced code block."""

    name: str
    """Qualified name, such as `Store.put`; unique within the document, used as anchor."""
    kind: str
    """`class`, `function`, `method`, `code_block` and so on."""
    start: int
    end: int
    """First and last line of the definition with its comment, counted from 1, both included."""
    signature: str = ""
    """Declaration on one line; for a code block, its language."""
    doc: str = ""
    """First paragraph of its comment."""
    exported: bool = True


class Chunk(Struct, frozen=True):
    """A section of a file: the unit of retrieval and citation."""

    id: str
    """`path#L10-L24`."""
    document: str
    ordinal: int
    """Position among the chunks of the document, from 0."""
    start: int
    end: int
    """First and last line, counted from 1, both included."""
    text: str
    headings: tuple[str, ...] = ()
    """Headings above it, the outermost first, its own last."""
    anchors: tuple[str, ...] = ()
    """Anchors for links (`#anchor`): one for each heading, symbol or field in it, or that of a continued section."""
    symbols: tuple[Symbol, ...] = ()
    """Symbols that begin in it."""
    is_embedded: bool = True
    """Whether it gets a vector: not if the role of its file or its text has no meaning to embed."""


class IndexEntry(Struct, frozen=True):
    """All data of one document in a store. Writing it replaces the entry of the same id."""

    document: Document
    chunks: tuple[Chunk, ...]
    terms: Mapping[str, Terms]
    """Terms of the document fields, by field, except `inbound`, which comes from the linking documents."""
    chunk_terms: tuple[Mapping[str, Terms], ...]
    """Terms of the chunk fields, by field, one mapping per chunk."""
    links: tuple[Link, ...] = ()


class Fingerprint(Struct, frozen=True):
    """Data for detecting changes of a file."""

    digest: str
    size: int
    modified_ns: int
