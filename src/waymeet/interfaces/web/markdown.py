"""Render Markdown as sanitised HTML, block by block, with the line of each block."""

import re
from collections.abc import Callable, Iterator
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from markupsafe import Markup, escape

from waymeet.ingest.parse.markup.markdown_options import markdown_options, split_anchor
from waymeet.ingest.parse.references.anchors import Anchors
from waymeet.interfaces.web.blocks import Block, join_details
from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.source import colour_lines
from waymeet.interfaces.web.text_language import find_text_language

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["Block", "Locate", "Resolve", "locate_on_server", "render_blocks", "rewrite_link", "sanitise"]

_TAGS = frozenset(
    """
    a abbr b blockquote br caption cite code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i input ins kbd li mark ol
    p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead tr tt u ul var
    """.split()
)
_ATTRIBUTES = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "code": {"class"},
    "details": {"open"},
    "input": {"checked", "disabled", "type"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"class"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan"},
}
_CLASS = re.compile(r"[a-z][a-z0-9]{0,2}|image|footnote-reference|external")
"""Classes that may stay: the short ones of Pygments, and those that are set here."""
_WEB = ("http", "https", "mailto")
_LANGUAGE = re.compile(r"language-([\w+#.-]{1,40})")
_WRITTEN_ANCHOR = re.compile(r"\s*\{#[^{}<]*\}\s*(?=</h[1-6]>\s*$)")
"""An anchor behind a heading, which is not shown."""
_FOOTNOTE = re.compile(r"\[\^([^\]\n]{1,100})\]")

Resolve = Callable[[str], str]
"""Gives the address of a page for the name in a wiki link, or an empty text."""
Locate = Callable[[str], str]
"""Gives the address of the page of a file, or an empty text if there is none."""


def locate_on_server(document: str) -> str:
    """Give the address of a file on the server, which says if it has none."""
    return page_url(f"/read/{quote(document)}")


@join_details
def render_blocks(
    text: str, path: str, resolve: Resolve, first_line: int = 1, locate: Locate = locate_on_server
) -> Iterator[Block]:
    """Render the blocks of a Markdown text without its front matter.

    Links to files of the project lead to their pages. Images become links, so that a page loads nothing.
    """
    import pyromark

    definitions, anchors, raw = _definitions(text), Anchors(), text.encode()
    for name, value, start, end in _iterate_blocks(text):
        source = raw[start:end].decode("utf-8", "replace")
        context = definitions
        if name != "FootnoteDefinition":
            context += "".join(f"\n\n[^{label}]: _" for label in dict.fromkeys(_FOOTNOTE.findall(source)))
        html = pyromark.html(f"{_indentation(raw, start)}{source}\n\n{context}", options=markdown_options())
        line = first_line + raw.count(b"\n", 0, start)
        last = line + source.rstrip("\n").count("\n")
        clean = sanitise(_rewrite(html, path, resolve, locate, keep_footnotes=name == "FootnoteDefinition"))
        block = Block(line, last, clean, find_text_language(source))
        if name == "Heading":
            heading, explicit = split_anchor(" ".join(clean.striptags().split()))
            shown = Markup(_WRITTEN_ANCHOR.sub("", clean)) if explicit else clean  # noqa: S704 - a part of it
            block = block._replace(html=shown, anchor=anchors.next(explicit or heading), heading=heading)
            block = block._replace(level=int(value["level"][1]))
        elif name == "FootnoteDefinition":
            block = block._replace(anchor=f"footnote-{value}")
        elif name == "HtmlBlock":
            block = block._replace(raw=source)
        yield block


def sanitise(html: str) -> Markup:
    """Remove everything but plain markup of text.

    Scripts, styles, forms, frames, media, ids and handlers of events are removed.
    """
    import nh3

    clean = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=_filter_attribute,
        url_schemes=set(_WEB),
        link_rel="noopener noreferrer",
        strip_comments=True,
    )
    return Markup(clean)  # noqa: S704 - sanitised here


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    if name == "class":
        kept = [each for each in value.split() if _CLASS.fullmatch(each)]
        return " ".join(kept) or None
    if tag == "input" and name == "type":
        return "checkbox"
    if name == "tabindex":
        return "0"
    return value


def _definitions(text: str) -> str:
    """List the link definitions of a page, which each block needs."""
    import pyromark

    found = pyromark.reference_definitions(text, options=markdown_options())
    return "\n".join(
        f"[{name}]: <{definition['dest']}>"
        for name, definition in found.items()
        if not re.search(r"[<>\n]", definition["dest"])
    )


def _iterate_blocks(text: str) -> Iterator[tuple[str, Any, int, int]]:
    """Yield the name, attributes and range of bytes of each block at the top level."""
    import pyromark

    depth = 0
    for event, position in pyromark.events_with_range(text, options=markdown_options()):
        if event == "Rule" and not depth:
            yield "Rule", None, position["start"], position["end"]
        elif isinstance(event, dict) and "Start" in event:
            if not depth:
                start: Any = event["Start"]
                name, value = next(iter(start.items())) if isinstance(start, dict) else (start, None)
                yield name, value, position["start"], position["end"]
            depth += 1
        elif isinstance(event, dict) and "End" in event:
            depth -= 1


def _indentation(raw: bytes, start: int) -> str:
    """Give the spaces before a block, which are part of an indented code block."""
    before = raw[raw.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace")
    return before if not before.strip() else ""


def _rewrite(html: str, path: str, resolve: Resolve, locate: Locate, *, keep_footnotes: bool) -> str:
    """Rewrite links and images, and colour code."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    for node in [] if keep_footnotes else tree.css("div.footnote-definition"):
        node.decompose()
    for node in tree.css("sup.footnote-reference > a"):
        node.attrs["href"] = f"#footnote-{(node.attributes.get('href') or '').removeprefix('#')}"
    for node in tree.css("a[href]"):
        href = rewrite_link(node.attributes.get("href") or "", path, resolve, locate)
        if href:
            node.attrs["href"] = href
        elif "href" in node.attributes:  # else it is xlink:href of SVG, which is removed with its tag
            del node.attrs["href"]
    for node in tree.css("img"):
        _replace_image(node, path, resolve, locate)
    for node in tree.css("pre > code"):
        _colour_code(node)
    return tree.body.inner_html or "" if tree.body else ""


def _replace_image(node: "LexborNode", path: str, resolve: Resolve, locate: Locate) -> None:
    source = rewrite_link(node.attributes.get("src") or "", path, resolve, locate)
    text = node.attributes.get("alt") or "image"
    label = f'<span class="image">{escape(text)}</span>'
    _replace(node, f'<a href="{escape(source)}">{label}</a>' if source and not _is_inside_link(node) else label)


def _is_inside_link(node: "LexborNode") -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag == "a":
            return True
        parent = parent.parent
    return False


def _colour_code(node: "LexborNode") -> None:
    match = _LANGUAGE.search(node.attributes.get("class") or "")
    lines = colour_lines(node.text().removesuffix("\n"), "", match[1] if match else "text")
    if node.parent is not None:
        node.parent.attrs["tabindex"] = "0"  # so that wide code can be scrolled with keys
    _replace(node, "<code>" + "\n".join(lines) + "</code>")


def _replace(node: "LexborNode", html: str) -> None:
    """Replace a node by HTML."""
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(html).body
    if body is not None and body.child is not None:
        node.replace_with(body.child)


def rewrite_link(href: str, path: str, resolve: Resolve, locate: Locate = locate_on_server) -> str:
    """Give the address of a link's target, or an empty text for one that must not be followed.

    >>> found = {"Setup": "docs/setup.md"}.get
    >>> rewrite_link("../a%20b.md#one", "docs/c.md", lambda name: "")
    '/read/a%20b.md#h-one'
    >>> rewrite_link("#two", "docs/c.md", lambda name: ""), rewrite_link("javascript:x", "c.md", lambda name: "")
    ('#h-two', '')
    >>> rewrite_link("https://example.org/a", "c.md", lambda name: ""), rewrite_link("Setup", "c.md", found)
    ('https://example.org/a', '/read/docs/setup.md')
    """
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return ""
    if parts.scheme:
        return href if parts.scheme in _WEB else ""
    anchor = f"#h-{quote(unquote(parts.fragment))}" if parts.fragment else ""
    if re.fullmatch(r"L\d{1,9}(-L?\d{1,9})?", parts.fragment):
        anchor = f"#{parts.fragment.partition('-')[0]}"
    if parts.netloc:
        return ""
    if not parts.path:
        return anchor
    target = unquote(parts.path)
    inside = resolve(target) or normpath(target.lstrip("/") if target.startswith("/") else join(dirname(path), target))
    address = "" if inside.startswith("..") else locate(inside)
    return f"{address}{anchor}" if address else ""
