"""Markdown and MDX: front matter, headings, links, blocks of code and what they mention."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.markup.markdown_outline import MOST_LINKS, Outline
from waymeet.ingest.parse.metadata.frontmatter import FrontMatter, parse_front_matter
from waymeet.ingest.parse.metadata.properties import about
from waymeet.ingest.parse.metadata.relations import TRANSLATION
from waymeet.ingest.parse.metadata.translations import is_language_link
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.references.link_syntax import REFERENCES

__all__ = ["MOST_LINKS", "parse"]

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_MODULE_LINE = re.compile(r"(?:import|export)\b(?:[ \t]+|[ \t]*\{)")
_REMARK = re.compile(r"\{/\*.{0,2000}?\*/\}", re.DOTALL)


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Read a Markdown file."""
    front = parse_front_matter(text)
    body = text[front.end :]
    if path.lower().endswith(".mdx"):
        body = without_modules(body)
    outline = Outline("\n" * front.lines + body, path)
    said = about(front.values, path, kind, language, body)
    return Parsed(
        title=said.title or title_of(outline.headings, language, _first_line(body, front)) or stem(path),
        doc_type=said.doc_type,
        tags=said.tags,
        aliases=said.aliases,
        triggers=said.triggers,
        properties=said.properties,
        headings=tuple(outline.headings),
        unsplittable=tuple(outline.unbroken),
        body_line=1 if front.problem else front.lines + 1,
        links=(
            *said.links,
            *translating(outline.links, front.lines),
            *outline.blocks.links,
            *outline.mentioned.links,
        ),
        symbols=tuple(outline.blocks.symbols),
        warnings=tuple(_notes(front, outline)),
    )


def _notes(front: FrontMatter, outline: Outline) -> Iterator[str]:
    if front.problem:
        yield f"{front.problem}: it is searched as text"
    if outline.too_many_links:
        yield f"has more than {MOST_LINKS:,} links: the rest are not followed"


def title_of(headings: list[Heading], language: str, top: int) -> str:
    """Take the first heading of the first level, else one that heads the whole page: at its top, alone on its level.

    Where all headings are deeper, as where a site adds the title, the first one names but a part. In a PDF they only
    number the pages.
    """
    named = [heading for heading in headings if heading.text]
    first = next((heading for heading in named if heading.level == 1), None)
    if first is None and named and language != "pdf":
        others = (heading.level for heading in named[1:])
        first = named[0] if headings[0].line == top and named[0].level < min(others, default=9) else None
    return first.text if first else ""


def _first_line(body: str, front: FrontMatter) -> int:
    """Number the first line that says something, as headings are numbered."""
    return front.lines + 1 + body[: len(body) - len(body.lstrip())].count("\n")


def translating(links: list[RawLink], above: int = 0) -> Iterator[RawLink]:
    """Make the links at the top of a page that are called by a language's name lead to its translations."""
    for link in links:
        if link.kind == REFERENCES and is_language_link(link.text, link.line - above):
            yield replace(link, kind=TRANSLATION)
        else:
            yield link


def without_modules(text: str) -> str:
    r"""Blank what is JavaScript in an MDX file, keeping the lines where they are.

    >>> without_modules("import A from 'a'\nexport const b = {\n  c: 1,\n}\n\n# Title {/* remark */}\n")
    '\n\n\n\n\n# Title \n'
    """
    kept: list[str] = []
    fenced = module = False
    for line in _REMARK.sub(lambda found: "\n" * found.group().count("\n"), text).split("\n"):
        if _FENCE.match(line) and not module:
            fenced = not fenced
        elif not fenced:
            # A statement lasts until a blank line, as MDX has it.
            module = bool(line.strip()) and (module or _MODULE_LINE.match(line) is not None)
        kept.append("" if module else line)
    return "\n".join(kept)
