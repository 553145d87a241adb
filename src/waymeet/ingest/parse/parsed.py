"""Result of parsing a file."""

from collections.abc import Mapping

from msgspec import Struct

from waymeet.types import Symbol


class Heading(Struct, frozen=True):
    """A heading, which begins a section that ends at the next heading."""

    level: int
    text: str
    anchor: str
    """The part of a link after `#`; unique within the document."""
    line: int
    labels: int = 0
    """Number of lines above it that belong to its section, with labels by which other pages refer to it."""

    @property
    def start(self) -> int:
        """The first line of its section."""
        return self.line - self.labels


class Field(Struct, frozen=True):
    """A class attribute, field, enum member or similar name that is too small to be a symbol."""

    name: str
    """Qualified name, such as `Store.limit`."""
    line: int


class RawLink(Struct, frozen=True):
    """A link as written, before its target is resolved."""

    target: str
    """Path, name or title, without the part after `#`."""
    anchor: str
    kind: str
    text: str
    sentence: str
    line: int
    section: str
    """The anchor of the section or symbol that contains it."""
    refs: tuple[str, ...] = ()
    """Keys to look up, if the parser knows them; otherwise they come from `target` (see `waymeet.types.Link`)."""


class Parsed(Struct, frozen=True):
    """The parsed content of a file."""

    title: str
    doc_type: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    """Trigger phrases: a query that contains one should find this document."""
    properties: Mapping[str, str] = {}
    headings: tuple[Heading, ...] = ()
    unsplittable: tuple[tuple[int, int], ...] = ()
    """First and last lines of blocks that are not split at blank lines, such as fenced code."""
    body_line: int = 1
    """The first line after the front matter."""
    links: tuple[RawLink, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    """The symbols that it defines, in the order of lines."""
    fields: tuple[Field, ...] = ()
    """The fields that it defines, in the order of lines. They are names of the chunk that contains them."""
    keys: tuple[str, ...] = ()
    """Keys for links in addition to those of its path, names and title."""
    text: str | None = None
    """Text to index and show instead of the file's own, with the same lines, if that is hard to read."""
    kind: str = ""
    """The kind of document, if it differs from that of the file extension."""
    warnings: tuple[str, ...] = ()
    """Problems that did not prevent parsing."""
