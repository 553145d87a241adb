"""Outline of a Markdown text, from the events of the Markdown parser."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from html import unescape
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.ingest.parse.markup.markdown_options import markdown_options, split_anchor
from waymeet.ingest.parse.markup.outline import MAX_LINKS, Outline
from waymeet.ingest.parse.parsed import Heading, RawLink
from waymeet.ingest.parse.references.link_syntax import ParsedLink, parse_inline_link, parse_wikilink
from waymeet.ingest.parse.references.sentence import extract_sentence

if TYPE_CHECKING:
    from pyromark.event import Event, Range

_CONTAINERS = frozenset({"BlockQuote", "List", "FootnoteDefinition"})
_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough"})
_LINKS = frozenset({"Link", "Image"})
_HTML_HEADING = re.compile(r"<h([1-6])\b([^<>]{0,300})>(.{0,1000}?)</h\1>", re.DOTALL | re.IGNORECASE)
_HTML_ANCHOR = re.compile(r"""\b(?:id|name)=["']?([\w:.-]+)""", re.IGNORECASE)
_HTML_TAG = re.compile(r"<[^<>]*>")


class _OpenLink(NamedTuple):
    """A link whose end event has not come yet."""

    attributes: Mapping[str, Any]
    is_embedded: bool
    line: int
    start: int
    """Its first character in the text of the block."""
    word_index: int
    """Its first entry in the words of the block."""


class _ClosedLink(NamedTuple):
    """A complete link in a block that is not complete."""

    parsed: ParsedLink
    line: int
    start: int
    end: int


class MarkdownOutline(Outline):
    """Outline of a Markdown text."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(path)
        self.has_too_many_links = False
        self._container_depth = 0
        self._fence: str | None = None
        self._in_code = False
        self._code: list[str] = []
        self._html: list[str] = []
        # The text of the current block, its length and first line.
        self._words: list[str] = []
        self._length = 0
        self._first_line = 0
        self._open: list[_OpenLink] = []
        self._closed: list[_ClosedLink] = []
        self._code_spans: list[tuple[int, int, int]] = []
        # Ranges count bytes, so lines are looked up by the byte at which each begins.
        self._line_starts = [0, *(match.end() for match in re.finditer(b"\n", text.encode()))]
        for event, position in _events(text):
            self._handle(event, position)
        self._finish_block()

    def _handle(self, event: "Event", position: "Range") -> None:
        if isinstance(event, str):
            self._append(" ")
            return
        name, value = _split_event(event)
        if name == "Start":
            self._start(*_split_event(value), position)
        elif name == "End":
            self._end(*_split_event(value), position)
        elif self._in_code:
            if name == "Text":
                self._code.append(value)
        elif name == "Text":
            self._first_line = self._first_line or self._line(position["start"])
            self._append(value)
        elif name == "Html":
            self._html.append(value)
        elif name == "Code":
            self._code_spans.append((self._length, self._length + len(value), position["start"]))
            self._append(value)

    def _append(self, words: str) -> None:
        self._words.append(words)
        self._length += len(words)

    def _start(self, name: str, value: Any, position: "Range") -> None:  # noqa: ANN401 - as the parser gives it
        if name in _LINKS:
            line = self._line(position["start"])
            self._open.append(_OpenLink(value, name == "Image", line, self._length, len(self._words)))
        elif name == "TableCell":
            self._append(" ")
        elif name not in _INLINE:
            self._finish_block()
            self._container_depth += name in _CONTAINERS
            if name == "CodeBlock":
                self._in_code = True
                self._fence = value.get("Fenced") if isinstance(value, dict) else None

    def _end(self, name: str, value: str, position: "Range") -> None:
        if name in _LINKS:
            self._close_link(self._open.pop())
        elif name == "Heading":
            self._add_heading(int(value[1]), position)
        elif name == "CodeBlock":
            self._add_code(self._line(position["start"]), self._line(max(position["end"] - 1, position["start"])))
        elif name == "HtmlBlock":
            self._add_html_headings(self._line(position["start"]))
        elif name not in _INLINE and name != "TableCell":
            self._finish_block()
            self._container_depth -= name in _CONTAINERS

    def _add_code(self, first: int, last: int) -> None:
        """Add a code block. Only a fenced one becomes a symbol."""
        self._in_code = False
        self.unsplittable.append((first, last))
        if self._fence is not None:
            code = "".join(self._code)
            language = self.code_blocks.add(self._fence, self._section, first, last)
            self.mentions.add_code(language, code, first, self._section)
        self._code = []

    def _add_heading(self, level: int, position: "Range") -> None:
        """Begin a section, unless the heading is inside of a quotation or a list."""
        text = " ".join("".join(self._words).split())
        if not self._container_depth:
            text, explicit = split_anchor(text)
            self._section = self._anchors.next(explicit or text)
            self.headings.append(Heading(level, text, self._section, self._line(position["start"])))
        self._finish_block()

    def _add_html_headings(self, first_line: int) -> None:
        """Begin a section at each heading in a block of HTML, such as `<h3>Setup</h3>`."""
        html, self._html = "".join(self._html), []
        for match in _HTML_HEADING.finditer(html) if not self._container_depth else ():
            text = " ".join(unescape(_HTML_TAG.sub("", match[3])).split())
            if text:
                anchor = _HTML_ANCHOR.search(match[2])
                self._section = self._anchors.next(anchor[1] if anchor else text)
                line = first_line + html.count("\n", 0, match.start())
                self.headings.append(Heading(int(match[1]), text, self._section, line))

    def _close_link(self, link: _OpenLink) -> None:
        """Parse a link at its end, and replace its text in the sentence if it only gives the kind."""
        if len(self.links) + len(self._closed) >= MAX_LINKS:
            self.has_too_many_links = True
            return
        link_type, destination = link.attributes["link_type"], link.attributes["dest_url"]
        parsed = None
        if isinstance(link_type, dict):
            label = "".join(self._words[link.word_index :]) if link_type["WikiLink"]["has_pothole"] else None
            parsed = parse_wikilink(destination, label, embedded=link.is_embedded)
        elif link_type not in ("Autolink", "Email"):
            parsed = parse_inline_link(destination, link.attributes["title"], embedded=link.is_embedded)
        if parsed is None:
            return
        if parsed.label is not None:
            del self._words[link.word_index :]
            self._length = link.start
            self._append(parsed.label)
        # Code in a link is no mention of its own: the link has a target.
        self._code_spans = [span for span in self._code_spans if span[0] < link.start]
        self._closed.append(_ClosedLink(parsed, link.line, link.start, self._length))

    def _finish_block(self) -> None:
        """Add the links and mentions of a paragraph, heading, item or row with their sentences."""
        if self._words or self._closed:
            text = "".join(self._words)
            self.links.extend(_to_raw_link(link, text, self._section) for link in self._closed)
            spans = [(start, end, self._line(byte)) for start, end, byte in self._code_spans]
            linked = [(link.start, link.end) for link in self._closed]
            self.mentions.add_text(text, spans, linked, self._first_line, self._section)
            self._words = []
            self._length = 0
        self._first_line = 0
        self._closed = []
        self._code_spans = []

    def _line(self, byte: int) -> int:
        return bisect_right(self._line_starts, byte)


def _split_event(event: str | Mapping[str, Any]) -> tuple[str, Any]:
    """Split an event or tag into its name and its value."""
    if isinstance(event, str):
        return event, None
    return next(iter(event.items()))


def _to_raw_link(link: _ClosedLink, text: str, section: str) -> RawLink:
    return RawLink(
        target=link.parsed.target,
        anchor=link.parsed.anchor,
        kind=link.parsed.kind,
        text=" ".join(text[link.start : link.end].split()),
        sentence=extract_sentence(text, link.start, link.end),
        line=link.line,
        section=section,
    )


def _events(text: str) -> "Iterator[tuple[Event, Range]]":
    import pyromark  # noqa: PLC0415 - a search that finds nothing changed never parses

    return pyromark.events_with_range(text, options=markdown_options())
