"""Render the pages of a site: the start page, and the pages of documents."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from waymeet.ingest.parse.markup.markdown import blank_modules
from waymeet.ingest.parse.metadata.frontmatter import parse_front_matter
from waymeet.interfaces.export.addresses import PAGE_LINES, START_PAGE, Addresses, relative
from waymeet.interfaces.export.documents import DocumentView, Viewed
from waymeet.interfaces.web.html import capitalize_first, format_number
from waymeet.interfaces.web.markdown import Block, render_blocks
from waymeet.interfaces.web.pages.read import RENDERED
from waymeet.interfaces.web.source import colour_lines
from waymeet.interfaces.web.text_language import find_text_language

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load: scripts, styles and data of the site itself, and nothing else."""
ASSETS = "assets"
_PLAIN_SPAN = re.compile(r'<span class="(?:n|p|o|w|nb|nn|bp|vc|vi|vg|no|nl|err|x|g|py)">([^<]*)</span>')
"""Words of a class that has no colour in `page.css`."""


class Page(NamedTuple):
    """A file of the site."""

    path: str
    html: str


class Outline(NamedTuple):
    """An entry of the outline."""

    text: str
    level: int
    url: str
    kind: str = ""


class Listed(NamedTuple):
    """A document in the list of the start page."""

    url: str
    title: str
    name: str


class Folder(NamedTuple):
    """A folder in the list of the start page."""

    name: str
    anchor: str
    documents: list[Listed]


@cache
def _environment() -> "Environment":
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loaders = [PackageLoader("waymeet.interfaces.export"), PackageLoader("waymeet.interfaces.web")]
    environment = Environment(
        loader=ChoiceLoader(loaders), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters.update(lang=find_text_language, number=format_number, capitalize_first=capitalize_first)
    return environment


def _render(template: str, page: str, values: dict[str, Any]) -> Page:
    root = relative(".", page)
    shared = {"policy": POLICY, "start": relative(START_PAGE, page), "assets": f"{root}/{ASSETS}"}
    return Page(page, _environment().get_template(template).render(shared | values))


def render_start(project: str, folders: Sequence[Folder], index: str, counts: tuple[int, int]) -> Page:
    """Render the start page: the search, and the list of all documents."""
    documents, sections = counts
    values = {"project": project, "folders": folders, "index": index, "documents": documents, "sections": sections}
    return _render("start.html", START_PAGE, values)


def list_folders(views: Sequence[tuple[str, DocumentView]], addresses: Addresses) -> list[Folder]:
    """Group documents, given by their ids, by folder."""
    folders: dict[str, Folder] = {}
    for id_, view in views:
        folder, (shown, _, name) = id_.rpartition("/")[0], view.document.id.rpartition("/")
        known = folders.setdefault(folder, Folder(shown and f"{shown}/", addresses.folders.get(f"{folder}/", ""), []))
        known.documents.append(Listed(relative(addresses.page(id_), START_PAGE), view.document.title, name))
    return [folders[folder] for folder in sorted(folders)]


def render_document(project: str, id_: str, viewed: Viewed, addresses: Addresses) -> Iterator[Page]:
    """Render the pages of a document, of which a long one has several."""
    view = viewed.view
    rows = view.text.split("\n")
    starts = range(1, max(len(rows), 1) + 1, PAGE_LINES)
    for start in starts:
        page = addresses.page(id_, start)
        blocks, lines = _render_text(
            viewed, "\n".join(rows[start - 1 : start - 1 + PAGE_LINES]), start, page, addresses
        )
        lang = find_text_language(view.text, view.document.properties.get("lang", ""))
        values = {
            "project": project,
            "view": view,
            "document": view.document,
            "blocks": blocks,
            "lines": lines,
            "start_line": start,
            "line_count": len(rows) if view.text else 0,
            "outline": _outline(view, blocks, addresses, id_, page),
            "folders": _folders(id_, view.document.id, addresses, page),
            "lang": lang,
            "has_title": any(block.level == 1 and block.heading == view.document.title for block in blocks),
            "previous": relative(addresses.page(id_, start - 1), page) if start > 1 else "",
            "next": relative(addresses.page(id_, start + PAGE_LINES), page) if start != starts[-1] else "",
        }
        yield _render("document.html", page, values)


def _render_text(
    viewed: Viewed, text: str, start: int, page: str, addresses: Addresses
) -> tuple[list[Block], Sequence[Any]]:
    """Render Markdown as blocks, everything else as lines."""
    document, skipped = viewed.view.document, 0
    if not text:
        return [], ()
    if document.language not in RENDERED:
        return [], [_drop_plain_spans(line) for line in colour_lines(text, document.id, document.language)]
    if start == 1:
        front = parse_front_matter(text)
        if not front.problem:
            text, skipped = text[front.end :], front.lines
    if document.id.endswith(".mdx"):
        text = blank_modules(text)

    def locate(target: str) -> str:
        return addresses.url(target, page)

    return list(render_blocks(text, document.id, viewed.resolve, start + skipped, locate)), ()


def _drop_plain_spans(line: Markup) -> Markup:
    """Remove the markup of words without a colour, which is most of a line."""
    return Markup(_PLAIN_SPAN.sub(r"\1", str(line)))  # noqa: S704 - only tags of Pygments are removed


def _outline(view: DocumentView, blocks: Sequence[Block], addresses: Addresses, id_: str, page: str) -> list[Outline]:
    """List the headings of this page, or all symbols of a source file."""
    if view.document.language in RENDERED:
        return [Outline(block.heading, block.level, f"#L{block.start}") for block in blocks if block.heading]
    symbols = (symbol for section in view.sections for symbol in section.symbols)
    return [
        Outline(symbol.name.partition("~")[0], 2, addresses.url(id_, page, symbol.start), symbol.kind)
        for symbol in symbols
    ]


def _folders(id_: str, shown: str, addresses: Addresses, page: str) -> list[tuple[str, str]]:
    """List the folders of a document with their addresses."""
    names, parts = shown.split("/")[:-1], id_.split("/")[:-1]
    return [(name, addresses.url("/".join(parts[: number + 1]) + "/", page)) for number, name in enumerate(names)]
