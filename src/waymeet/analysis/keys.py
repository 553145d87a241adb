"""The keys under which documents are known by name: for links that look for one, and for queries that name one.

Keys depend neither on case nor on how a file system spells accents, but for those of symbols, which depend on both.
"""

from re import compile as pattern
from unicodedata import normalize

from waymeet.analysis.terms import normalise_text

SYMBOL_PREFIX = "s:"
"""How the key of a symbol begins."""
TITLE_PREFIX = "t:"
"""How the key of a title or alias begins; in plain words it is the rest of the key."""
TRIGGER_PREFIX = "c:"
"""How the key of a phrase begins that calls for a document."""
SHORT_TITLE_PREFIX = "b:"
"""How the key of a title begins that leaves out what tells it from others."""
MENTION_PREFIX = "e:"
"""How the key of a name begins that stands in a document's text; `m:` is that of modules."""

_APART = pattern(r"\s?[(（][^()（）]*[)）]\s*$")
"""What stands behind a title only to tell it from others."""


def path_key(path: str) -> str:
    """Give the key of a path below the root.

    >>> path_key("Docs/Setup.md")
    'p:docs/setup.md'
    """
    return f"p:{_folded(path)}"


def file_name_key(name: str) -> str:
    """Give the key of a file name.

    >>> file_name_key("Setup.md")
    'n:setup.md'
    """
    return f"n:{_folded(name)}"


def title_key(title: str) -> str:
    """Give the key of a title or alias, empty if it has no word.

    >>> title_key("Getting started!"), title_key("…")
    ('t:getting started', '')
    """
    words = normalise_text(title)
    return f"{TITLE_PREFIX}{words}" if words else ""


def short_title_key(title: str) -> str:
    """Give the key of a title without what tells it from others, empty if nothing does.

    >>> short_title_key("Mercury (planet)"), short_title_key("git-config(1)"), short_title_key("Mercury")
    ('b:mercury', 'b:git config', '')
    """
    words = normalise_text(_APART.sub("", title))
    return f"{SHORT_TITLE_PREFIX}{words}" if words and _APART.search(title) else ""


def symbol_key(name: str) -> str:
    """Give the key of something that a file defines. Case matters: `Store` and `store` are two things.

    >>> symbol_key("Store.put")
    's:Store.put'
    """
    return f"{SYMBOL_PREFIX}{name}"


def trigger_key(phrase: str) -> str:
    """Give the key of a phrase that calls for a document, empty if it has no word.

    >>> trigger_key("Rotate the keys!")
    'c:rotate the keys'
    """
    words = normalise_text(phrase)
    return f"{TRIGGER_PREFIX}{words}" if words else ""


def acronym_key(acronym: str) -> str:
    """Give the key of an acronym that a document explains.

    >>> acronym_key("RRF")
    'a:rrf'
    """
    return f"a:{_folded(acronym)}"


def long_form_key(words: str) -> str:
    """Give the key of what an acronym that a document explains stands for.

    >>> long_form_key("Reciprocal Rank Fusion")
    'l:reciprocal rank fusion'
    """
    return f"l:{normalise_text(words)}"


def mention_key(name: str) -> str:
    """Give the key of a person, place or thing that a document's text names.

    >>> mention_key("ada lovelace")
    'e:ada lovelace'
    """
    return f"{MENTION_PREFIX}{name}"


def property_key(key: str) -> str:
    """Give the key of a document whose front matter has a property.

    >>> property_key("Status")
    'f:status'
    """
    return f"f:{_folded(key)}"


def _folded(text: str) -> str:
    return normalize("NFC", text).casefold()
