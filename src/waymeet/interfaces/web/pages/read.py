"""The page of a document: its text, outline, links, staleness and translations."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import quote

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from waymeet.ingest.parse.markup.markdown import blank_modules
from waymeet.ingest.parse.metadata.frontmatter import parse_front_matter
from waymeet.interfaces.masked_paths import unmask_path
from waymeet.interfaces.requests.operations.describe import DescribeAnswer
from waymeet.interfaces.requests.operations.read import ReadAnswer
from waymeet.interfaces.requests.operations.related import RelatedAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.editor_links import make_editor_link
from waymeet.interfaces.web.frame import FRAME, page_url
from waymeet.interfaces.web.html import link, respond
from waymeet.interfaces.web.markdown import Block, Resolve, render_blocks
from waymeet.interfaces.web.source import colour_lines
from waymeet.interfaces.web.text_language import find_text_language
from waymeet.search.explore.graph import Connection

PAGE_LINES = 2000
"""Lines of a document on one page."""
RENDERED = frozenset({"markdown", "notebook", "pdf", "docx"})
"""Languages that are read as Markdown."""
_MAX_LINKS = 100
_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


class Outline(NamedTuple):
    """An entry of the outline."""

    text: str
    level: int
    line: int
    kind: str = ""


class Text(NamedTuple):
    """The rendered text of a document: blocks of a page, or lines of source."""

    blocks: Sequence[Block]
    lines: Sequence[Any]
    outline: Sequence[Outline]


class ShownLink(NamedTuple):
    """A link from or to a document."""

    connection: Connection
    number: int
    """Number of equal links."""
    has_path: bool
    """Whether the title alone does not tell which document it is."""


class _Version(NamedTuple):
    """A past version of a note, task or skill."""

    saved: str
    size: int
    version: str


async def show_document(asker: Asker, request: Request) -> Response:
    """Show a document, with some lines marked."""
    path = request.path_params["path"]
    marked = _parse_lines(request.query_params.get("lines", ""))
    first = _first_line(request.query_params.get("from", ""), marked)
    described: DescribeAnswer = await asker.ask("describe", id=path)
    excerpt: ReadAnswer = await asker.ask("read", id=path, start=first, lines=PAGE_LINES)
    related = [await asker.ask("related", id=path, depth=1, limit=_MAX_LINKS, direction=end) for end in ("out", "in")]
    text = await asyncio.to_thread(_render, excerpt, described, make_resolver(related[0].links))
    cited = f"{described.document}#L{marked[0]}-L{marked[1]}" if marked else described.document
    values = {
        "query": "",
        "document": described,
        "excerpt": excerpt,
        "text": text,
        "marked": marked,
        "citation": cited,
        "folders": _folders(described.document),
        "outgoing": _list_links(related[0], described.document),
        "incoming": _list_links(related[1], described.document),
        "lang": find_text_language(excerpt.text, described.lang) or described.lang,
        "previous": _page_url(described.document, excerpt.start - PAGE_LINES) if excerpt.start > 1 else "",
        "next": _page_url(described.document, excerpt.end + 1) if excerpt.end < excerpt.lines else "",
        "is_cut": any(answer.cut for answer in related),
        "has_title": any(block.level == 1 and block.heading == described.title for block in text.blocks),
        "versions": [_Version(_format_time(kept.kept_ns), kept.size, kept.version) for kept in described.past_versions],
        "editor": _editor_link(asker, described.document, marked[0] if marked else excerpt.start),
        "degraded": described.degraded,
    }
    return respond("read.html", values)


def _editor_link(asker: Asker, document: str, line: int) -> str:
    """Make the link to the user's editor.

    A path with a masked secret names no file, so it has none.
    """
    project = asker.project
    if FRAME.get().person:  # on another machine, perhaps
        return ""
    if unmask_path(project.root, document) != document:
        return ""
    return make_editor_link(project.settings.serve.editor, project.root, document, line)


def _format_time(nanoseconds: int) -> str:
    """Write a time.

    >>> _format_time(1_794_900_000_000_000_000)
    '2026-11-17 07:20 UTC'
    """
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _list_links(related: RelatedAnswer, document: str) -> list[ShownLink]:
    """List the links to other documents, without translations, which the head of the page has.

    Links that look the same are one with their number. A path tells documents of the same title apart.
    """
    counts: Counter[Connection] = Counter()
    titles: dict[str, set[str]] = {}
    for connection in related.links:
        other = connection.id.partition("#")[0]
        if connection.kind != "translation" and other != document:
            counts[replace(connection, line=0, section="", text="")] += 1
            titles.setdefault(connection.title, set()).add(other)
    return [
        ShownLink(connection, count, has_path=len(titles[connection.title]) > 1) for connection, count in counts.items()
    ]


def _parse_lines(text: str) -> tuple[int, int] | None:
    """Parse a range of lines.

    >>> _parse_lines("3-9"), _parse_lines("4"), _parse_lines("x"), _parse_lines("9-3")
    ((3, 9), (4, 4), None, (9, 9))
    """
    match = _LINES.fullmatch(text)
    if not match or not int(match[1]):
        return None
    start = int(match[1])
    return start, max(start, int(match[2] or start))


def _first_line(text: str, marked: tuple[int, int] | None) -> int:
    """Find the first line of the page that has the wanted or the marked lines."""
    wanted = _parse_lines(text)
    line = wanted[0] if wanted else marked[0] if marked else 1
    return line if wanted else (line - 1) // PAGE_LINES * PAGE_LINES + 1


def _page_url(path: str, line: int) -> str:
    return link(page_url(f"/read/{quote(path)}"), **{"from": max(line, 1)})


def _folders(document: str) -> list[tuple[str, str]]:
    """List the folders of a document with the filter that searches in each."""
    parts = document.split("/")[:-1]
    return [(name, "/".join(parts[: number + 1]) + "/") for number, name in enumerate(parts)]


def make_resolver(links: Sequence[Connection]) -> Resolve:
    """Make a function that finds the target of a wiki link among the links of a document."""
    names: dict[str, str] = {}
    for connection in links:
        if connection.direction == "out" and not connection.dangling:
            document = connection.id.partition("#")[0]
            names.setdefault(PurePosixPath(document).stem.casefold(), document)
            names.setdefault(connection.title.casefold(), document)

    def resolve(target: str) -> str:
        return "" if "/" in target else names.get(target.casefold().removesuffix(".md"), "")

    return resolve


def _render(excerpt: ReadAnswer, described: DescribeAnswer, resolve: Resolve) -> Text:
    """Render Markdown as blocks, everything else as lines."""
    if described.language not in RENDERED:
        symbols = [Outline(symbol.name, 2, symbol.line, symbol.kind) for symbol in described.symbols]
        return Text((), colour_lines(excerpt.text, described.document, described.language), symbols)
    text, skipped = excerpt.text, 0
    if excerpt.start == 1:
        front = parse_front_matter(text)
        if not front.problem:
            text, skipped = text[front.end :], front.lines
    if described.document.endswith(".mdx"):
        text = blank_modules(text)
    blocks = list(render_blocks(text, described.document, resolve, excerpt.start + skipped))
    entries = [entry for block in blocks for entry in (block, *block.inside) if entry.heading]
    headings = [Outline(entry.heading, entry.level, entry.start) for entry in entries]
    return Text(blocks, (), headings)
