"""Parser of link syntax: target, anchor, kind and label of Markdown links and wikilinks."""

import re
from urllib.parse import unquote

from msgspec import Struct

from waymeet.ingest.filetypes import is_binary_name
from waymeet.ingest.parse.references.anchors import slug

KINDS = frozenset(
    """
    references depends_on implements extends conflicts_with
    supersedes caused enabled supports derived_from contradicts
    """.split()
)
"""Kinds of links that an author can give as the label of a link."""
EMBEDS = "embeds"
REFERENCES = "references"
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+")
_WORD = re.compile(r"[^\W\d_][\w-]{0,63}")
_EXPLICIT_KIND = re.compile(r"(?:type|kind|rel)\s*[:=]\s*(?P<kind>.+)", re.IGNORECASE)
_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_EXTERNAL_WIKI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|//|mailto:")


class ParsedLink(Struct, frozen=True):
    """The parts of a link."""

    target: str
    anchor: str = ""
    kind: str = REFERENCES
    label: str | None = None
    """Text to show in place of the one in the link, which gives the kind."""


def parse_wikilink(target: str, label: str | None, *, embedded: bool) -> ParsedLink | None:
    """Parse `[[target#heading|label]]`, or return None if it leads out of the project.

    >>> parse_wikilink("Search#Ranking rules", None, embedded=False)
    ParsedLink(target='Search', anchor='ranking-rules', kind='references', label=None)
    >>> parse_wikilink("core", "depends_on", embedded=False)
    ParsedLink(target='core', anchor='', kind='depends_on', label='core')
    >>> parse_wikilink("core", "the core|Inspires", embedded=False)
    ParsedLink(target='core', anchor='', kind='inspires', label='the core')
    """
    # Inside a table the bar is written \\|, and the backslash stays with the target.
    page, _, anchor = target.removesuffix("\\").partition("#")
    page = " ".join(page.replace("\\", "/").split())
    if not page or _EXTERNAL_WIKI.match(page) or is_binary_name(page):
        return None
    anchor = slug(anchor.rpartition("#")[2])
    if embedded:
        return ParsedLink(page, anchor, EMBEDS)
    words, bar, last = (label or "").rpartition("|")
    kind = normalise_kind(last) if bar else parse_kind(last)
    if not kind:
        return ParsedLink(page, anchor)
    return ParsedLink(page, anchor, kind, words.strip() or page)


def parse_inline_link(destination: str, title: str, *, embedded: bool) -> ParsedLink | None:
    """Parse `[text](destination "title")`, or return None if it leads out of the project.

    >>> parse_inline_link("../a%20b.md#x", "implements", embedded=False)
    ParsedLink(target='../a b.md', anchor='x', kind='implements', label=None)
    >>> parse_inline_link("https://example.org", "", embedded=False) is None
    True
    """
    if embedded or _EXTERNAL.match(destination):
        return None
    path, _, anchor = destination.partition("#")
    path = unquote(path.partition("?")[0]).replace("\\", "/").strip()
    if not path or is_binary_name(path):
        return None
    return ParsedLink(path, unquote(anchor).lower(), parse_kind(title) or REFERENCES)


def parse_kind(label: str) -> str:
    """Return the kind of a link that a label gives, empty if it is text to show.

    A label gives a kind if it is one of `KINDS`, an identifier with underscores, or explicit (`type: inspires`). Any
    other single word is more likely text.

    >>> parse_kind("Depends_on"), parse_kind("inspired_by"), parse_kind("see here"), parse_kind("here")
    ('depends_on', 'inspired_by', '', '')
    >>> parse_kind("type: inspires")
    'inspires'
    """
    word = label.strip()
    if explicit := _EXPLICIT_KIND.fullmatch(word):
        return normalise_kind(explicit["kind"])
    return word.lower() if word.lower() in KINDS or _IDENTIFIER.fullmatch(word) else ""


def normalise_kind(word: str) -> str:
    """Normalise the name of a kind, empty if it is not one word.

    >>> normalise_kind("Depends-On"), normalise_kind("see also"), normalise_kind("two, three")
    ('depends_on', 'see_also', '')
    """
    spelled = "_".join(word.split()).replace("-", "_").lower()
    return spelled if _WORD.fullmatch(spelled) else ""
