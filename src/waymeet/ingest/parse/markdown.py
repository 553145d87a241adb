"""Markdown: front matter, headings and links."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.ingest.parse.anchors import Anchors
from waymeet.ingest.parse.doctype import guessed, stated
from waymeet.ingest.parse.frontmatter import Front, flattened, front_matter, listed, texts, unique
from waymeet.ingest.parse.links import Meant, inline, wikilink
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.sentence import around
from waymeet.ingest.parse.text import stem

if TYPE_CHECKING:
    from pyromark import Options
    from pyromark.event import Event, Range

MOST_LINKS = 5_000
"""Links that are followed of one file. One with more is generated, or made to exhaust whoever reads it."""
_CONTAINERS = frozenset({"BlockQuote", "List", "FootnoteDefinition"})
_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough"})
_LINKS = frozenset({"Link", "Image"})
_SPOKEN = frozenset({"Text", "Code"})
_GIVEN_ANCHOR = re.compile(r"\s*\{#([\w:.-]+)[^{}]*\}\s*$")


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Read a Markdown file."""
    front = front_matter(text)
    outline = _Outline("\n" * front.lines + text[front.end :])
    known = {key.lower(): value for key, value in front.values.items()}
    doc_type = next(texts(known.get("doc_type", known.get("type"))), "")
    return Parsed(
        title=next(texts(known.get("title")), "") or _title(outline.headings) or stem(path),
        doc_type=stated(doc_type) if doc_type else guessed(path, kind, language),
        tags=unique(
            tag.lstrip("#") for key in ("tags", "keywords") for tag in listed(known.get(key)) if tag.strip("#")
        ),
        aliases=unique((*texts(known.get("aliases")), *texts(known.get("alias")))),
        triggers=unique((*texts(known.get("trigger_phrases")), *texts(known.get("triggers")))),
        properties=dict(_properties(front)),
        headings=tuple(outline.headings),
        unbroken=tuple(outline.unbroken),
        body=1 if front.problem else front.lines + 1,
        links=tuple(outline.links),
        notes=tuple(_notes(front, outline)),
    )


def _notes(front: Front, outline: "_Outline") -> Iterator[str]:
    if front.problem:
        yield f"{front.problem}: it is searched as text"
    if outline.too_many_links:
        yield f"has more than {MOST_LINKS:,} links: the rest are not followed"


def _title(headings: list[Heading]) -> str:
    """Take the first heading of the first level, else the first heading."""
    named = [heading for heading in headings if heading.text]
    return next((heading.text for heading in named if heading.level == 1), named[0].text if named else "")


def _properties(front: Front) -> Iterator[tuple[str, str]]:
    """Give what no attribute of the document says, as flat text."""
    taken = {"title", "tags", "keywords", "aliases", "alias", "trigger_phrases", "triggers"}
    lower = {key.lower() for key in front.values}
    taken.add("doc_type" if "doc_type" in lower else "type")
    yield from flattened({key: value for key, value in front.values.items() if key.lower() not in taken})


class _Open(NamedTuple):
    """A link whose end has not been met."""

    written: Mapping[str, Any]
    embedded: bool
    line: int
    start: int
    """The character of its block at which it begins."""
    piece: int
    """The piece of its block at which it begins."""


class _Closed(NamedTuple):
    """A link whose sentence is not complete."""

    meant: Meant
    line: int
    start: int
    end: int


class _Outline:
    """Headings, links and unbroken blocks, collected from the parser's events in one pass."""

    def __init__(self, text: str) -> None:
        self.headings: list[Heading] = []
        self.links: list[RawLink] = []
        self.too_many_links = False
        self.unbroken: list[tuple[int, int]] = []
        self._anchors = Anchors()
        self._section = ""
        self._nested = 0
        self._in_code = False
        self._words: list[str] = []
        self._length = 0
        self._open: list[_Open] = []
        self._closed: list[_Closed] = []
        # Ranges count bytes, so lines are looked up by the byte at which each begins.
        self._lines = [0, *(match.end() for match in re.finditer(b"\n", text.encode()))]
        for event, place in _events(text):
            self._take(event, place)
        self._finish_block()

    def _take(self, event: "Event", place: "Range") -> None:
        if isinstance(event, str):
            self._say(" ")
            return
        name, value = _named(event)
        if name == "Start":
            self._start(*_named(value), place)
        elif name == "End":
            self._end(*_named(value), place)
        elif name in _SPOKEN and not self._in_code:
            self._say(value)

    def _say(self, words: str) -> None:
        self._words.append(words)
        self._length += len(words)

    def _start(self, name: str, value: Mapping[str, Any], place: "Range") -> None:
        if name in _LINKS:
            line = self._line(place["start"])
            self._open.append(_Open(value, name == "Image", line, self._length, len(self._words)))
        elif name == "TableCell":
            self._say(" ")
        elif name not in _INLINE:
            self._finish_block()
            self._nested += name in _CONTAINERS
            if name == "CodeBlock":
                self._in_code = True

    def _end(self, name: str, value: str, place: "Range") -> None:
        if name in _LINKS:
            self._close(self._open.pop())
        elif name == "Heading":
            self._heading(int(value[1]), place)
        elif name == "CodeBlock":
            self._in_code = False
            self.unbroken.append((self._line(place["start"]), self._line(max(place["end"] - 1, place["start"]))))
        elif name not in _INLINE and name != "TableCell":
            self._finish_block()
            self._nested -= name in _CONTAINERS

    def _heading(self, level: int, place: "Range") -> None:
        """Begin a section, unless the heading stands inside a quotation or a list."""
        text = " ".join("".join(self._words).split())
        if not self._nested:
            given = _GIVEN_ANCHOR.search(text)
            text = text[: given.start()] if given else text
            self._section = self._anchors.next(given[1] if given else text)
            self.headings.append(Heading(level, text, self._section, self._line(place["start"])))
        self._finish_block()

    def _close(self, link: _Open) -> None:
        """Understand a link at its end, and let it stand in its sentence by the words that are shown for it."""
        if len(self.links) + len(self._closed) >= MOST_LINKS:
            self.too_many_links = True
            return
        link_type, destination = link.written["link_type"], link.written["dest_url"]
        meant = None
        if isinstance(link_type, dict):
            label = "".join(self._words[link.piece :]) if link_type["WikiLink"]["has_pothole"] else None
            meant = wikilink(destination, label, embedded=link.embedded)
        elif link_type not in ("Autolink", "Email"):
            meant = inline(destination, link.written["title"], embedded=link.embedded)
        if meant is None:
            return
        if meant.shown is not None:
            del self._words[link.piece :]
            self._length = link.start
            self._say(meant.shown)
        self._closed.append(_Closed(meant, link.line, link.start, self._length))

    def _finish_block(self) -> None:
        """Give the links of a paragraph, heading, item or row their sentences."""
        if self._closed:
            text = "".join(self._words)
            self.links.extend(_raw(link, text, self._section) for link in self._closed)
            self._closed = []
        if self._words:
            self._words = []
            self._length = 0

    def _line(self, byte: int) -> int:
        return bisect_right(self._lines, byte)


def _named(event: str | Mapping[str, Any]) -> tuple[str, Any]:
    """Take an event or tag apart into its name and what it carries."""
    if isinstance(event, str):
        return event, None
    return next(iter(event.items()))


def _raw(link: _Closed, text: str, section: str) -> RawLink:
    return RawLink(
        target=link.meant.target,
        anchor=link.meant.anchor,
        kind=link.meant.kind,
        text=" ".join(text[link.start : link.end].split()),
        sentence=around(text, link.start, link.end),
        line=link.line,
        section=section,
    )


def _events(text: str) -> "Iterator[tuple[Event, Range]]":
    import pyromark  # noqa: PLC0415 - a search that finds nothing changed never parses

    return pyromark.events_with_range(text, options=_options())


def _options() -> "Options":
    from pyromark import Options  # noqa: PLC0415 - as above

    return (
        Options.ENABLE_WIKILINKS
        | Options.ENABLE_TABLES
        | Options.ENABLE_FOOTNOTES
        | Options.ENABLE_STRIKETHROUGH
        | Options.ENABLE_TASKLISTS
    )
