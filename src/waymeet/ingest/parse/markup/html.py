"""Parser of HTML pages, by conversion to Markdown with the same line numbers."""

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


_MAX_TEXT_CHARS = 400
_MAX_DEPTH = 1_000
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[A-Za-z/!?][^<>]*>", re.DOTALL)
_MARK_START, _MARK_END = "\ue000", "\ue001"
"""Private use characters around the line number of the text that follows."""
_LINE_MARK = re.compile(f"{_MARK_START}(\\d+){_MARK_END}")
_SKIPPED = frozenset("script style noscript template svg head iframe object canvas math".split())
_BLOCKS = frozenset(
    "p div section article main header footer li tr td th table ul ol dl dt dd blockquote pre br hr".split()
)
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_ANCHOR = re.compile(r"[\w:.-]{1,100}")
_EXPLICIT_ANCHOR = re.compile(r" \{#[^{}]*\}")
_MAX_TITLES = 20


def mark_lines(content: str) -> str:
    r"""Put its line number before each piece of text, as the HTML parser drops line numbers.

    >>> mark_lines("<p>a\nb</p>").replace(_MARK_START, "[").replace(_MARK_END, "]")
    '<p>[1]a\n[2]b</p>'
    """
    content = content.replace(_MARK_START, "").replace(_MARK_END, "")
    parts: list[str] = []
    line, start = 1, 0
    for tag in _TAG.finditer(content):
        piece = content[start : tag.start()]
        parts += (_number_rows(piece, line), tag.group())
        line += piece.count("\n") + tag.group().count("\n")
        start = tag.end()
    parts.append(_number_rows(content[start:], line))
    return "".join(parts)


def _number_rows(piece: str, line: int) -> str:
    if not piece.strip():
        return piece
    rows = piece.split("\n")
    return "\n".join(
        f"{_MARK_START}{line + number}{_MARK_END}{row}" if row.strip() else row for number, row in enumerate(rows)
    )


class _PageText:
    """Text of a page as Markdown, collected from its tree without recursion (it may be deep)."""

    def __init__(self, page: "LexborHTMLParser", lines: int) -> None:
        self.title = _find_title(page)
        self._lines: defaultdict[int, list[str]] = defaultdict(list)
        self._code: set[int] = set()
        self._unescaped: set[int] = set()
        """Lines that begin with Markdown written here, not with text that needs escaping."""
        self._heading_lines: set[int] = set()
        """Lines that consist of a heading."""
        self._heading = 0
        """Line of the current heading; -1 before its text, 0 outside of headings."""
        self._anchor = ""
        self._line = 1
        self._prefix = ""
        self._pre_depth = 0
        self._needs_space = False
        if page.root is not None:
            self._walk(page.root)
        self.text = "\n".join(self._render_line(number) for number in range(1, lines + 1))

    def _render_line(self, number: int) -> str:
        pieces = self._lines.get(number)
        if not pieces:
            return ""
        row = "".join(pieces)
        if number in self._code:
            return f"    {row}"
        return row.strip() if number in self._unescaped else escape_line(row)

    def _walk(self, root: "LexborNode") -> None:
        node: LexborNode | None = root
        depth = 0
        while node is not None:
            if self._enter(node) and depth < _MAX_DEPTH and node.child is not None:
                node = node.child
                depth += 1
                continue
            while node is not None and node.next is None and depth:
                node, depth = self._leave_to_parent(node), depth - 1
            if node is None or not depth:
                break
            self._leave(node)
            node = node.next

    def _leave_to_parent(self, node: "LexborNode") -> "LexborNode | None":
        self._leave(node)
        return node.parent

    def _enter(self, node: "LexborNode") -> bool:
        """Handle the start of a node, and return whether to visit its children."""
        tag = node.tag
        if tag == "-text":
            self._add_text(node.text_content or "")
            return False
        if tag in _SKIPPED or tag in {"_comment", "-comment", "!doctype", "-doctype"}:
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
            self._pre_depth += 1
        elif tag == "code" and not self._pre_depth:
            self._prefix += "`"
        elif tag == "a" and _local_target(node):
            self._prefix += "["
        if tag in _BLOCKS:
            self._needs_space = True
        return True

    def _leave(self, node: "LexborNode") -> None:
        tag = node.tag
        if tag == "pre":
            self._pre_depth -= 1
        elif tag == "code" and not self._pre_depth:
            self._close_inline("`", "`")
        elif tag == "a" and (target := _local_target(node)):
            self._close_inline("[", f"](<{target}>)")
        elif tag in _HEADINGS:
            self._end_heading()
        elif tag == "li":
            self._prefix = ""
        if tag in _BLOCKS or tag in _HEADINGS:
            self._needs_space = True

    def _end_heading(self) -> None:
        """Finish a heading, with an explicit anchor if its id is not the slug of its text."""
        if self._heading in self._unescaped:
            pieces = self._lines[self._heading]
            self._heading_lines.add(self._heading)
            if _ANCHOR.fullmatch(self._anchor) and slug("".join(pieces).lstrip("# ")) != self._anchor:
                pieces.append(f" {{#{self._anchor}}}")
        self._prefix, self._heading, self._anchor = "", 0, ""

    def _close_inline(self, opening: str, closing: str) -> None:
        """Close code or a link, or drop its opening if it has no text."""
        if self._prefix.endswith(opening):
            self._prefix = self._prefix.removesuffix(opening)
        elif self._lines[self._line]:
            self._lines[self._line][-1] = self._lines[self._line][-1].rstrip()
            self._lines[self._line].append(closing)

    def _add_text(self, text: str) -> None:
        """Add each part of a text to its line."""
        before, *parts = _LINE_MARK.split(text)
        if before and not before.strip():
            self._needs_space = True
        for number, words in zip(parts[::2], parts[1::2], strict=True):
            if self._heading > 0:  # a heading is one line, even if the file has it on several
                self._needs_space = self._needs_space or self._line != int(number)
                self._line = self._heading
            else:
                self._line = int(number)
            self._add_words(words)

    def _add_words(self, words: str) -> None:
        pieces = self._lines[self._line]
        if self._pre_depth and (self._line in self._code or not pieces):
            self._code.add(self._line)
            pieces.append(words.rstrip("\n"))
            return
        spaced = " ".join(words.split())
        if not spaced:
            return
        if self._line in self._heading_lines:  # other text in the same line, as in minified pages: no heading
            self._heading_lines.discard(self._line)
            self._unescaped.discard(self._line)
            pieces[:] = [_EXPLICIT_ANCHOR.sub("", "".join(pieces)).lstrip("# ")]
        if pieces and (self._needs_space or words[:1].isspace()):
            pieces.append(" ")
        if pieces and self._prefix.startswith(("#", "- ")):
            self._prefix = self._prefix.lstrip("#- ")  # no heading or list item in the middle of a line
        elif self._prefix.startswith(("#", "- ", "[", "`")):
            self._unescaped.add(self._line)
        self._heading = self._line if self._heading < 0 else self._heading
        pieces.append(self._prefix + spaced)
        self._prefix = ""
        self._needs_space = words[-1:].isspace()


def _find_title(page: "LexborHTMLParser") -> str:
    """Return the heading with which the title of a page begins, otherwise the title.

    The rest of such a title is the name of the site.
    """
    node = page.css_first("title")
    title = _node_text(node) if node else ""
    headings = [_node_text(heading) for heading in page.css("h1")[:_MAX_TITLES]]
    return next((each for each in headings if each and title.startswith(each)), title or next(iter(headings), ""))


def _node_text(node: "LexborNode") -> str:
    return " ".join(_LINE_MARK.sub("", node.text()).split())[:_MAX_TEXT_CHARS]


def _local_target(node: "LexborNode") -> str:
    """Return the target of a link, empty if that is not another file of the project."""
    target = _LINE_MARK.sub("", node.attributes.get("href") or "").strip()
    if not target or len(target) > _MAX_TEXT_CHARS or _EXTERNAL.match(target) or re.search(r"[<>\n]", target):
        return ""
    return target


_PAGE = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{%|\{\{|<%|<\?(?!xml)|\sv-if=|\s\*ngIf=|\sth:\w+=")
_HEAD_CHARS = 5_000
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
_UNCLOSED = frozenset(
    "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody option path".split()
)
"""Elements without an end tag, or whose end tag is often omitted."""


def parse(path: str, content: str, kind: str, language: str) -> Parsed:
    """Parse an HTML file."""
    if not is_page(content):
        return fallback.parse(path, content, kind, language)
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - loaded with the first page

    if estimate_depth(content) > _MAX_DEPTH:  # parsing time is quadratic in the depth
        return replace(
            fallback.parse(path, content, kind, language),
            warnings=("elements are nested too deeply; searched as plain text",),
        )
    page = LexborHTMLParser(mark_lines(content))
    converted = _PageText(page, content.count("\n") + 1)
    if not converted.text.strip():
        return fallback.parse(path, content, kind, language)
    parsed = markdown.parse(path, converted.text, "docs", language)
    return replace(
        parsed,
        title=converted.title or parsed.title,
        kind="docs",
        text=converted.text,
        properties={**_read_properties(page), **parsed.properties},
    )


def is_page(content: str) -> bool:
    """Check whether a file is a whole page, not a fragment or template.

    >>> is_page("<!DOCTYPE html><p>Hi"), is_page("<div>{{ name }}</div>"), is_page("<html>{% block %}</html>")
    (True, False, False)
    """
    head = content[:_HEAD_CHARS]
    return _PAGE.search(head) is not None and _TEMPLATE.search(head) is None


def estimate_depth(content: str) -> int:
    """Estimate the nesting depth of the elements of a page.

    >>> estimate_depth("<div><div>a</div><p>b<p>c<br></div>")
    2
    """
    depth = max_depth = 0
    for closing, name in _TAG_NAME.findall(content):
        if name.lower() not in _UNCLOSED:
            depth = max(depth - 1, 0) if closing else depth + 1
            max_depth = max(max_depth, depth)
    return max_depth


def _read_properties(page: "LexborHTMLParser") -> dict[str, str]:
    """Read the language and description of a page."""
    properties: dict[str, str] = {}
    root, description = page.css_first("html"), page.css_first('meta[name="description"]')
    if root is not None and (code := normalise_language((root.attributes.get("lang") or "").replace("_", "-")[:5])):
        properties["lang"] = code
    if description is not None and (text := " ".join((description.attributes.get("content") or "").split())):
        properties["description"] = text[:_MAX_TEXT_CHARS]
    return properties
