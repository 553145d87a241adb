"""What a parser finds in a file."""

from collections.abc import Mapping

from msgspec import Struct

from waymeet.types import Symbol


class Heading(Struct, frozen=True):
    """A heading, which begins a section that lasts until the next one."""

    level: int
    text: str
    anchor: str
    """What a link writes behind `#`; unique within the document."""
    line: int


class RawLink(Struct, frozen=True):
    """A link as written, before anybody asks where it leads."""

    target: str
    """Path, name or title, without the part behind `#`."""
    anchor: str
    kind: str
    text: str
    sentence: str
    line: int
    section: str
    """The anchor of the section or symbol that holds it."""
    refs: tuple[str, ...] = ()
    """Keys to look for, where the parser knows better than the target's text tells (see `waymeet.types.Link`)."""


class Parsed(Struct, frozen=True):
    """A file's text, understood."""

    title: str
    doc_type: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    """Phrases that call for this document when a question contains one."""
    properties: Mapping[str, str] = {}
    headings: tuple[Heading, ...] = ()
    unsplittable: tuple[tuple[int, int], ...] = ()
    """First and last lines of blocks that hold together in spite of blank lines, such as fenced code."""
    body_line: int = 1
    """The line at which the text begins, behind any front matter."""
    links: tuple[RawLink, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    """What it defines, in the order of the lines."""
    keys: tuple[str, ...] = ()
    """More keys under which links find it, beside those of its path, names and title."""
    text: str | None = None
    """What is searched and shown instead of the file's text, line for line, where markup makes that hard to read."""
    kind: str = ""
    """The kind of knowledge, where the parser knows better than the file's ending tells."""
    warnings: tuple[str, ...] = ()
    """What was wrong with the file without making it unreadable."""
