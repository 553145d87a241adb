"""The words of an HTML page, line for line where the file has them, with its headings, lists and links as Markdown."""

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.analysis.languages import normalise_language
from waymeet.ingest.parse.markup import fallback, markdown
from waymeet.ingest.parse.parsed import Parsed
from waymeet.ingest.parse.references.anchors import slug
from waymeet.ingest.read.extract.escape import escape_line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


LONGEST = 400
DEEPEST = 1_000
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[A-Za-z/!?][^<>]*>", re.DOTALL)
_OPEN, _SHUT = "\ue000", "\ue001"
"""Characters of private use around the number of the line that the text behind them stands in."""
_MARK = re.compile(f"{_OPEN}(\\d+){_SHUT}")
_SILENT = frozenset("script style noscript template svg head iframe object canvas math".split())
_BLOCKS = frozenset(
    "p div section article main header footer li tr td th table ul ol dl dt dd blockquote pre br hr".split()
)
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_ANCHOR = re.compile(r"[\w:.-]{1,100}")
_GIVEN = re.compile(r" \{#[^{}]*\}")
_MOST_TITLES = 20


def marked(content: str) -> str:
    r"""Put the number of its line before each piece of text, so that it is still known when the tags are gone.

    >>> marked("<p>a\nb</p>").replace(_OPEN, "[").replace(_SHUT, "]")
    '<p>[1]a\n[2]b</p>'
    """
    content = content.replace(_OPEN, "").replace(_SHUT, "")
    parts: list[str] = []
    line, at = 1, 0
    for tag in _TAG.finditer(content):
        piece = content[at : tag.start()]
        parts += (_numbered(piece, line), tag.group())
        line += piece.count("\n") + tag.group().count("\n")
        at = tag.end()
    parts.append(_numbered(content[at:], line))
    return "".join(parts)


def _numbered(piece: str, line: int) -> str:
    if not piece.strip():
        return piece
    rows = piece.split("\n")
    return "\n".join(f"{_OPEN}{line + number}{_SHUT}{row}" if row.strip() else row for number, row in enumerate(rows))


class PageWords:
    """The words of a page, collected from its tree without recursion: a page may be nested as deeply as it likes."""

    def __init__(self, page: "LexborHTMLParser", lines: int) -> None:
        self.title = _title(page)
        self._lines: defaultdict[int, list[str]] = defaultdict(list)
        self._code: set[int] = set()
        self._begun: set[int] = set()
        """Lines that begin with a mark of ours, not with a word that looks like one."""
        self._headed: set[int] = set()
        """Lines that are a heading and nothing else."""
        self._heading = 0
        self._anchor = ""
        self._line = 1
        self._prefix = ""
        self._preformatted = 0
        self._space = False
        if page.root is not None:
            self._walk(page.root)
        self.text = "\n".join(self._row(number) for number in range(1, lines + 1))

    def _row(self, number: int) -> str:
        pieces = self._lines.get(number)
        if not pieces:
            return ""
        row = "".join(pieces)
        if number in self._code:
            return f"    {row}"
        return row.strip() if number in self._begun else escape_line(row)

    def _walk(self, root: "LexborNode") -> None:
        node: LexborNode | None = root
        depth = 0
        while node is not None:
            if self._enter(node) and depth < DEEPEST and node.child is not None:
                node = node.child
                depth += 1
                continue
            while node is not None and node.next is None and depth:
                node, depth = self._left(node), depth - 1
            if node is None or not depth:
                break
            self._leave(node)
            node = node.next

    def _left(self, node: "LexborNode") -> "LexborNode | None":
        self._leave(node)
        return node.parent

    def _enter(self, node: "LexborNode") -> bool:
        """Meet a node; tell whether to look inside."""
        tag = node.tag
        if tag == "-text":
            self._say(node.text_content or "")
            return False
        if tag in _SILENT or tag in {"_comment", "-comment", "!doctype", "-doctype"}:
            return False
        if tag in _HEADINGS:
            self._prefix = f"{'#' * int(tag[1])} "
            self._heading = -1
            self._anchor = node.attributes.get("id") or self._anchor
        elif tag == "section":
            self._anchor = node.attributes.get("id") or ""
        elif tag == "li":
            self._prefix = "- "
        elif tag == "pre":
            self._preformatted += 1
        elif tag == "code" and not self._preformatted:
            self._prefix += "`"
        elif tag == "a" and _local(node):
            self._prefix += "["
        if tag in _BLOCKS:
            self._space = True
        return True

    def _leave(self, node: "LexborNode") -> None:
        tag = node.tag
        if tag == "pre":
            self._preformatted -= 1
        elif tag == "code" and not self._preformatted:
            self._close("`", "`")
        elif tag == "a" and (target := _local(node)):
            self._close("[", f"](<{target}>)")
        elif tag in _HEADINGS:
            self._end_heading()
        elif tag == "li":
            self._prefix = ""
        if tag in _BLOCKS or tag in _HEADINGS:
            self._space = True

    def _end_heading(self) -> None:
        """Finish a heading, and write down by which name links know it if that cannot be told from its words."""
        if self._heading in self._begun:
            pieces = self._lines[self._heading]
            self._headed.add(self._heading)
            if _ANCHOR.fullmatch(self._anchor) and slug("".join(pieces).lstrip("# ")) != self._anchor:
                pieces.append(f" {{#{self._anchor}}}")
        self._prefix, self._heading, self._anchor = "", 0, ""

    def _close(self, opening: str, closing: str) -> None:
        """End what was begun, unless there was no text in it."""
        if self._prefix.endswith(opening):
            self._prefix = self._prefix.removesuffix(opening)
        elif self._lines[self._line]:
            self._lines[self._line][-1] = self._lines[self._line][-1].rstrip()
            self._lines[self._line].append(closing)

    def _say(self, said: str) -> None:
        """Take a text, each part of it in its line."""
        before, *rest = _MARK.split(said)
        if before and not before.strip():
            self._space = True
        for number, words in zip(rest[::2], rest[1::2], strict=True):
            if self._heading > 0:  # a heading is one line, however many the file gives it
                self._space = self._space or self._line != int(number)
                self._line = self._heading
            else:
                self._line = int(number)
            self._put(words)

    def _put(self, words: str) -> None:
        pieces = self._lines[self._line]
        if self._preformatted and (self._line in self._code or not pieces):
            self._code.add(self._line)
            pieces.append(words.rstrip("\n"))
            return
        spaced = " ".join(words.split())
        if not spaced:
            return
        if self._line in self._headed:  # not alone in its line, as in pages without line breaks: no heading
            self._headed.discard(self._line)
            self._begun.discard(self._line)
            pieces[:] = [_GIVEN.sub("", "".join(pieces)).lstrip("# ")]
        if pieces and (self._space or words[:1].isspace()):
            pieces.append(" ")
        if pieces and self._prefix.startswith(("#", "- ")):
            self._prefix = self._prefix.lstrip("#- ")  # in the middle of a line it would be none
        elif self._prefix.startswith(("#", "- ", "[", "`")):
            self._begun.add(self._line)
        self._heading = self._line if self._heading < 0 else self._heading
        pieces.append(self._prefix + spaced)
        self._prefix = ""
        self._space = words[-1:].isspace()


def _title(page: "LexborHTMLParser") -> str:
    """Call a page by its title, or by the heading that its title begins with; the rest names the site."""
    node = page.css_first("title")
    title = _words(node) if node else ""
    headings = [_words(heading) for heading in page.css("h1")[:_MOST_TITLES]]
    return next((each for each in headings if each and title.startswith(each)), title or next(iter(headings), ""))


def _words(node: "LexborNode") -> str:
    return " ".join(_MARK.sub("", node.text()).split())[:LONGEST]


def _local(node: "LexborNode") -> str:
    """Give where a link leads, if that is another file of the project."""
    target = _MARK.sub("", node.attributes.get("href") or "").strip()
    if not target or len(target) > LONGEST or _ELSEWHERE.match(target) or re.search(r"[<>\n]", target):
        return ""
    return target


MISSING = "read as plain text: to read it as a page, pip install 'waymeet[html]'"
_PAGE = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{%|\{\{|<%|<\?(?!xml)|\sv-if=|\s\*ngIf=|\sth:\w+=")
_HEAD = 5_000
_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
_UNCLOSED = frozenset(
    "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody option path".split()
)
"""Elements that have no end, or whose end is often left out."""


def parse(path: str, content: str, kind: str, language: str) -> Parsed:
    """Read an HTML file."""
    if not is_page(content):
        return fallback.parse(path, content, kind, language)
    try:
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - an extra
    except ImportError:
        return replace(fallback.parse(path, content, kind, language), kind="docs", warnings=(MISSING,))
    if deepest(content) > DEEPEST:  # the time to read it grows with the square of that
        return replace(
            fallback.parse(path, content, kind, language), warnings=("nested too deeply: read as plain text",)
        )
    page = LexborHTMLParser(marked(content))
    words = PageWords(page, content.count("\n") + 1)
    if not words.text.strip():
        return fallback.parse(path, content, kind, language)
    parsed = markdown.parse(path, words.text, "docs", language)
    return replace(
        parsed,
        title=words.title or parsed.title,
        kind="docs",
        text=words.text,
        properties={**_properties(page), **parsed.properties},
    )


def is_page(content: str) -> bool:
    """Tell a whole page, meant to be read, from a template.

    >>> is_page("<!DOCTYPE html><p>Hi"), is_page("<div>{{ name }}</div>"), is_page("<html>{% block %}</html>")
    (True, False, False)
    """
    head = content[:_HEAD]
    return _PAGE.search(head) is not None and _TEMPLATE.search(head) is None


def deepest(content: str) -> int:
    """Estimate how deeply the elements of a page are nested.

    >>> deepest("<div><div>a</div><p>b<p>c<br></div>")
    2
    """
    depth = most = 0
    for closing, name in _NAME.findall(content):
        if name.lower() not in _UNCLOSED:
            depth = max(depth - 1, 0) if closing else depth + 1
            most = max(most, depth)
    return most


def _properties(page: "LexborHTMLParser") -> dict[str, str]:
    """Read what a page says of itself."""
    found: dict[str, str] = {}
    root, described = page.css_first("html"), page.css_first('meta[name="description"]')
    if root is not None and (code := normalise_language((root.attributes.get("lang") or "").replace("_", "-")[:5])):
        found["lang"] = code
    if described is not None and (said := " ".join((described.attributes.get("content") or "").split())):
        found["description"] = said[:LONGEST]
    return found
