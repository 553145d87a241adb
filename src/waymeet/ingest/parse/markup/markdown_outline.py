"""The outline of a Markdown text: headings, links, mentions of code and blocks of code, collected in one pass."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.ingest.parse.markup.code_blocks import Blocks
from waymeet.ingest.parse.parsed import Heading, RawLink
from waymeet.ingest.parse.references.anchors import Anchors
from waymeet.ingest.parse.references.link_syntax import Meant, inline, wikilink
from waymeet.ingest.parse.references.mentions import Mentioned
from waymeet.ingest.parse.references.sentence import around

if TYPE_CHECKING:
    from pyromark import Options
    from pyromark.event import Event, Range

MOST_LINKS = 5_000
"""Links that are followed of one file. One with more is generated, or made to exhaust whoever reads it."""
_CONTAINERS = frozenset({"BlockQuote", "List", "FootnoteDefinition"})
_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough"})
_LINKS = frozenset({"Link", "Image"})
_GIVEN_ANCHOR = re.compile(r"\s*\{#([\w:.-]+)[^{}]*\}\s*$")


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


class Outline:
    """What a text holds beside its words."""

    def __init__(self, text: str, path: str) -> None:
        self.headings: list[Heading] = []
        self.links: list[RawLink] = []
        self.too_many_links = False
        self.unbroken: list[tuple[int, int]] = []
        self.mentioned = Mentioned(path)
        self.blocks = Blocks(path)
        self._anchors = Anchors()
        self._section = ""
        self._nested = 0
        self._fence: str | None = None
        self._in_code = False
        self._code: list[str] = []
        self._words: list[str] = []
        self._length = 0
        self._first = 0
        self._open: list[_Open] = []
        self._closed: list[_Closed] = []
        self._spans: list[tuple[int, int, int]] = []
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
        elif self._in_code:
            if name == "Text":
                self._code.append(value)
        elif name == "Text":
            self._first = self._first or self._line(place["start"])
            self._say(value)
        elif name == "Code":
            self._spans.append((self._length, self._length + len(value), place["start"]))
            self._say(value)

    def _say(self, words: str) -> None:
        self._words.append(words)
        self._length += len(words)

    def _start(self, name: str, value: Any, place: "Range") -> None:  # noqa: ANN401 - as the parser gives it
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
                self._fence = value.get("Fenced") if isinstance(value, dict) else None

    def _end(self, name: str, value: str, place: "Range") -> None:
        if name in _LINKS:
            self._close(self._open.pop())
        elif name == "Heading":
            self._heading(int(value[1]), place)
        elif name == "CodeBlock":
            self._end_of_code(self._line(place["start"]), self._line(max(place["end"] - 1, place["start"])))
        elif name not in _INLINE and name != "TableCell":
            self._finish_block()
            self._nested -= name in _CONTAINERS

    def _end_of_code(self, first: int, last: int) -> None:
        """Take in a block of code; only one between fences is worth a name."""
        self._in_code = False
        self.unbroken.append((first, last))
        if self._fence is not None:
            code = "".join(self._code)
            language = self.blocks.add(self._fence, self._section, first, last)
            self.mentioned.in_code(language, code, first, self._section)
        self._code = []

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
        self._spans = [span for span in self._spans if span[0] < link.start]  # the link says where it leads
        self._closed.append(_Closed(meant, link.line, link.start, self._length))

    def _finish_block(self) -> None:
        """Give the links and mentions of a paragraph, heading, item or row their sentences."""
        if self._words or self._closed:
            text = "".join(self._words)
            self.links.extend(_raw(link, text, self._section) for link in self._closed)
            spans = [(start, end, self._line(byte)) for start, end, byte in self._spans]
            linked = [(link.start, link.end) for link in self._closed]
            self.mentioned.in_text(text, spans, linked, self._first, self._section)
            self._words = []
            self._length = 0
        self._first = 0
        self._closed = []
        self._spans = []

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
