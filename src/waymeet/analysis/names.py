"""The keys under which documents are known by name: for links that look for one, and for queries that name one.

Keys depend neither on case nor on how a file system spells accents.
"""

from unicodedata import normalize

from waymeet.analysis.terms import plain


def located(path: str) -> str:
    """Give the key of a path below the root.

    >>> located("Docs/Setup.md")
    'p:docs/setup.md'
    """
    return f"p:{_folded(path)}"


def called(name: str) -> str:
    """Give the key of a file name.

    >>> called("Setup.md")
    'n:setup.md'
    """
    return f"n:{_folded(name)}"


def titled(title: str) -> str:
    """Give the key of a title or alias, empty if it has no word.

    >>> titled("Getting started!"), titled("…")
    ('t:getting started', '')
    """
    words = plain(title)
    return f"t:{words}" if words else ""


def _folded(text: str) -> str:
    return normalize("NFC", text).casefold()
