"""What a link as written in Markdown says: where to, of which kind, in which words."""

import re
from urllib.parse import unquote

from msgspec import Struct

from waymeet.ingest.binary import is_binary_name
from waymeet.ingest.parse.anchors import slug

KINDS = frozenset(
    """
    references depends_on implements extends conflicts_with
    supersedes caused enabled supports derived_from contradicts
    """.split()
)
"""Kinds of links that an author can name."""
EMBEDS = "embeds"
REFERENCES = "references"
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ELSEWHERE_WIKI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|//|mailto:")


class Meant(Struct, frozen=True):
    """The understood parts of a link."""

    target: str
    anchor: str = ""
    kind: str = REFERENCES
    shown: str | None = None
    """Words that stand for the link instead of those written in it."""


def wikilink(target: str, label: str | None, *, embedded: bool) -> Meant | None:
    """Understand `[[target#heading|label]]`; None if it leads nowhere in the project.

    >>> wikilink("Search#Ranking rules", None, embedded=False)
    Meant(target='Search', anchor='ranking-rules', kind='references', shown=None)
    >>> wikilink("core", "depends_on", embedded=False)
    Meant(target='core', anchor='', kind='depends_on', shown='core')
    """
    # Inside a table the bar is written \\|, and the backslash stays with the target.
    page, _, anchor = target.removesuffix("\\").partition("#")
    page = " ".join(page.replace("\\", "/").split())
    if not page or _ELSEWHERE_WIKI.match(page) or is_binary_name(page):
        return None
    kind = named_kind(label or "")
    anchor = slug(anchor.rpartition("#")[2])
    if embedded:
        return Meant(page, anchor, EMBEDS)
    return Meant(page, anchor, kind, page) if kind else Meant(page, anchor)


def inline(destination: str, title: str, *, embedded: bool) -> Meant | None:
    """Understand `[text](destination "title")`; None if it leads nowhere in the project.

    >>> inline("../a%20b.md#x", "implements", embedded=False)
    Meant(target='../a b.md', anchor='x', kind='implements', shown=None)
    >>> inline("https://example.org", "", embedded=False) is None
    True
    """
    if embedded or _ELSEWHERE.match(destination):
        return None
    path, _, anchor = destination.partition("#")
    path = unquote(path.partition("?")[0]).replace("\\", "/").strip()
    if not path or is_binary_name(path):
        return None
    kind = title.strip().lower()
    return Meant(path, unquote(anchor).lower(), kind if kind in KINDS else REFERENCES)


def named_kind(label: str) -> str:
    """Tell whether a label is the name of a kind of link rather than words to show.

    >>> named_kind("Depends_on"), named_kind("inspired_by"), named_kind("see here"), named_kind("here")
    ('depends_on', 'inspired_by', '', '')
    """
    word = label.strip()
    return word.lower() if word.lower() in KINDS or _IDENTIFIER.fullmatch(word) else ""
