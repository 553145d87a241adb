"""HTML pages: whether a file is one, and what it says of itself.

Only whole pages are read as such. A template or a piece of a page is source code to whoever looks for it, and stays so.
"""

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.analysis.languages import tongue
from waymeet.ingest.parse.markup import fallback, markdown
from waymeet.ingest.parse.markup.html import DEEPEST, LONGEST, PageWords, marked
from waymeet.ingest.parse.parsed import Parsed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

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
        return replace(fallback.parse(path, content, kind, language), kind="docs", notes=(MISSING,))
    if deepest(content) > DEEPEST:  # the time to read it grows with the square of that
        return replace(fallback.parse(path, content, kind, language), notes=("nested too deeply: read as plain text",))
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
    if root is not None and (code := tongue((root.attributes.get("lang") or "").replace("_", "-")[:5])):
        found["lang"] = code
    if described is not None and (said := " ".join((described.attributes.get("content") or "").split())):
        found["description"] = said[:LONGEST]
    return found
