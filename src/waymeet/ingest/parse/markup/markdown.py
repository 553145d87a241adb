"""Parser of Markdown and MDX: front matter, headings, links, code blocks and mentions."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.markup.markdown_outline import MarkdownOutline
from waymeet.ingest.parse.markup.outline import MAX_LINKS
from waymeet.ingest.parse.metadata.frontmatter import FrontMatter, parse_front_matter
from waymeet.ingest.parse.metadata.properties import read_metadata
from waymeet.ingest.parse.metadata.relations import TRANSLATION
from waymeet.ingest.parse.metadata.translations import is_language_link
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.references.link_syntax import REFERENCES

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_MODULE_LINE = re.compile(r"(?:import|export)\b(?:[ \t]+|[ \t]*\{)")
_MDX_COMMENT = re.compile(r"\{/\*.{0,2000}?\*/\}", re.DOTALL)


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Parse a Markdown file."""
    front = parse_front_matter(text)
    body = text[front.end :]
    if path.lower().endswith(".mdx"):
        body = blank_modules(body)
    outline = MarkdownOutline("\n" * front.lines + body, path)
    outline.links = list(_mark_translations(outline.links, front.lines))
    return outline.to_parsed(
        read_metadata(front.values, path, kind, language, body),
        choose_title(outline.headings, language, _first_text_line(body, front)) or stem(path),
        body_line=1 if front.problem else front.lines + 1,
        warnings=_list_warnings(front, outline),
    )


def _list_warnings(front: FrontMatter, outline: MarkdownOutline) -> Iterator[str]:
    if front.problem:
        yield f"{front.problem}; it is searched as text"
    if outline.has_too_many_links:
        yield f"more than {MAX_LINKS:,} links; the rest are ignored"


def choose_title(headings: list[Heading], language: str, first_line: int) -> str:
    """Choose the heading that is the title of a page, or return an empty text.

    It is the first heading of level 1, or one at the top of the page that is alone on its level. If all headings are
    deeper, as where a site generator adds the title, the first one is only the title of a section. In a PDF headings
    only number the pages.
    """
    named = [heading for heading in headings if heading.text]
    first = next((heading for heading in named if heading.level == 1), None)
    if first is None and named and language != "pdf":
        others = (heading.level for heading in named[1:])
        first = named[0] if headings[0].line == first_line and named[0].level < min(others, default=9) else None
    return first.text if first else ""


def _first_text_line(body: str, front: FrontMatter) -> int:
    """Return the number of the first line of the file that is neither front matter nor empty."""
    return front.lines + 1 + body[: len(body) - len(body.lstrip())].count("\n")


def _mark_translations(links: list[RawLink], front_lines: int) -> Iterator[RawLink]:
    """Yield all links, those named after a language at the top of the page as translations."""
    for link in links:
        if link.kind == REFERENCES and is_language_link(link.text, link.line - front_lines):
            yield replace(link, kind=TRANSLATION)
        else:
            yield link


def blank_modules(text: str) -> str:
    r"""Blank the JavaScript of an MDX file, without changing the line numbers.

    >>> blank_modules("import A from 'a'\nexport const b = {\n  c: 1,\n}\n\n# Title {/* remark */}\n")
    '\n\n\n\n\n# Title \n'
    """
    lines: list[str] = []
    in_fence = in_module = False
    for line in _MDX_COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text).split("\n"):
        if _FENCE.match(line) and not in_module:
            in_fence = not in_fence
        elif not in_fence:
            # In MDX, a statement lasts until a blank line.
            in_module = bool(line.strip()) and (in_module or _MODULE_LINE.match(line) is not None)
        lines.append("" if in_module else line)
    return "\n".join(lines)
