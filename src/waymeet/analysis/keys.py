"""The keys under which documents are known by name: for links that look for one, and for queries that name one.

Keys depend neither on case nor on how a file system spells accents, but for those of symbols, which depend on both.
"""

from re import compile as pattern
from unicodedata import normalize

from waymeet.analysis.terms import plain

SYMBOL = "s:"
"""How the key of a symbol begins."""
TITLED = "t:"
"""How the key of a title or alias begins; in plain words it is the rest of the key."""
TRIGGERED = "c:"
"""How the key of a phrase begins that calls for a document."""
BRIEF = "b:"
"""How the key of a title begins that leaves out what tells it from others."""
MENTIONED = "e:"
"""How the key of a name begins that stands in a document's text; `m:` is that of modules."""

_APART = pattern(r"\s?[(（][^()（）]*[)）]\s*$")
"""What stands behind a title only to tell it from others."""


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
    return f"{TITLED}{words}" if words else ""


def briefly(title: str) -> str:
    """Give the key of a title without what tells it from others, empty if nothing does.

    >>> briefly("Mercury (planet)"), briefly("git-config(1)"), briefly("Mercury")
    ('b:mercury', 'b:git config', '')
    """
    words = plain(_APART.sub("", title))
    return f"{BRIEF}{words}" if words and _APART.search(title) else ""


def defined(name: str) -> str:
    """Give the key of something that a file defines. Case matters: `Store` and `store` are two things.

    >>> defined("Store.put")
    's:Store.put'
    """
    return f"{SYMBOL}{name}"


def triggered(phrase: str) -> str:
    """Give the key of a phrase that calls for a document, empty if it has no word.

    >>> triggered("Rotate the keys!")
    'c:rotate the keys'
    """
    words = plain(phrase)
    return f"{TRIGGERED}{words}" if words else ""


def shortened(acronym: str) -> str:
    """Give the key of an acronym that a document explains.

    >>> shortened("RRF")
    'a:rrf'
    """
    return f"a:{_folded(acronym)}"


def spelt_out(words: str) -> str:
    """Give the key of what an acronym that a document explains stands for.

    >>> spelt_out("Reciprocal Rank Fusion")
    'l:reciprocal rank fusion'
    """
    return f"l:{plain(words)}"


def mentioned(name: str) -> str:
    """Give the key of a person, place or thing that a document's text names.

    >>> mentioned("ada lovelace")
    'e:ada lovelace'
    """
    return f"{MENTIONED}{name}"


def having(key: str) -> str:
    """Give the key of a document whose front matter has a property.

    >>> having("Status")
    'f:status'
    """
    return f"f:{_folded(key)}"


def _folded(text: str) -> str:
    return normalize("NFC", text).casefold()
