"""What a link as written in Markdown says: where to, of which kind, in which words."""

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
"""Kinds of links that an author can name by one word in the place of words to show."""
EMBEDS = "embeds"
REFERENCES = "references"
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+")
_WORD = re.compile(r"[^\W\d_][\w-]{0,63}")
_STATED = re.compile(r"(?:type|kind|rel)\s*[:=]\s*(?P<kind>.+)", re.IGNORECASE)
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
    >>> wikilink("core", "the core|Inspires", embedded=False)
    Meant(target='core', anchor='', kind='inspires', shown='the core')
    """
    # Inside a table the bar is written \\|, and the backslash stays with the target.
    page, _, anchor = target.removesuffix("\\").partition("#")
    page = " ".join(page.replace("\\", "/").split())
    if not page or _ELSEWHERE_WIKI.match(page) or is_binary_name(page):
        return None
    anchor = slug(anchor.rpartition("#")[2])
    if embedded:
        return Meant(page, anchor, EMBEDS)
    words, bar, last = (label or "").rpartition("|")
    kind = any_kind(last) if bar else named_kind(last)
    if not kind:
        return Meant(page, anchor)
    return Meant(page, anchor, kind, words.strip() or page)


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
    return Meant(path, unquote(anchor).lower(), named_kind(title) or REFERENCES)


def named_kind(label: str) -> str:
    """Tell whether a label is the name of a kind of link rather than words to show.

    It is if it is one of ours, if it is spelled as names in programs are, or if it says so (`type: inspires`): any
    other single word is more likely meant to be read.

    >>> named_kind("Depends_on"), named_kind("inspired_by"), named_kind("see here"), named_kind("here")
    ('depends_on', 'inspired_by', '', '')
    >>> named_kind("type: inspires")
    'inspires'
    """
    word = label.strip()
    if stated := _STATED.fullmatch(word):
        return any_kind(stated["kind"])
    return word.lower() if word.lower() in KINDS or _IDENTIFIER.fullmatch(word) else ""


def any_kind(word: str) -> str:
    """Spell a word that stands where only a kind can stand; empty if it is not one word.

    >>> any_kind("Depends-On"), any_kind("see also"), any_kind("two, three")
    ('depends_on', 'see_also', '')
    """
    spelled = "_".join(word.split()).replace("-", "_").lower()
    return spelled if _WORD.fullmatch(spelled) else ""
