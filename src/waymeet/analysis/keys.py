"""Keys of document names, used to resolve links and to find documents named in a query.

Keys depend neither on case nor on the Unicode form of accents. Those of symbols depend on both.
"""

from collections.abc import Iterator
from re import compile as pattern
from unicodedata import normalize

from waymeet.analysis.terms import normalise_text

SYMBOL_PREFIX = "s:"
"""Prefix of the key of a symbol."""
TITLE_PREFIX = "t:"
"""Prefix of the key of a title or alias; the rest of the key is its normalised text."""
TRIGGER_PREFIX = "c:"
"""Prefix of the key of a trigger phrase."""
SHORT_TITLE_PREFIX = "b:"
"""Prefix of the key of a title without its qualifier in brackets."""
FIELD_PREFIX = "d:"
"""Prefix of the key of a class attribute, field or enum member that is no symbol of its own."""
DOCUMENTED_PREFIX = "h:"
"""Prefix of the key of a name that a document describes below a heading or directive of its own."""
MENTION_PREFIX = "e:"
"""Prefix of the key of a proper name in a document's text; `m:` is that of modules."""

_QUALIFIER = pattern(r"\s?[(（][^()（）]*[)）]\s*$")
"""Qualifier in brackets at the end of a title."""


def path_key(path: str) -> str:
    """Build the key of a path below the root.

    >>> path_key("Docs/Setup.md")
    'p:docs/setup.md'
    """
    return f"p:{_fold(path)}"


def file_name_key(name: str) -> str:
    """Build the key of a file name.

    >>> file_name_key("Setup.md")
    'n:setup.md'
    """
    return f"n:{_fold(name)}"


def title_key(title: str) -> str:
    """Build the key of a title or alias, empty if it has no word.

    >>> title_key("Getting started!"), title_key("…")
    ('t:getting started', '')
    """
    words = normalise_text(title)
    return f"{TITLE_PREFIX}{words}" if words else ""


def short_title_key(title: str) -> str:
    """Build the key of a title without its qualifier, empty if it has none.

    >>> short_title_key("Mercury (planet)"), short_title_key("git-config(1)"), short_title_key("Mercury")
    ('b:mercury', 'b:git config', '')
    """
    words = normalise_text(_QUALIFIER.sub("", title))
    return f"{SHORT_TITLE_PREFIX}{words}" if words and _QUALIFIER.search(title) else ""


def symbol_key(name: str) -> str:
    """Build the key of a symbol that a file defines.

    Case matters: `Store` and `store` are two symbols.

    >>> symbol_key("Store.put")
    's:Store.put'
    """
    return f"{SYMBOL_PREFIX}{name}"


def field_key(name: str) -> str:
    """Build the key of a field that a file defines. Case matters.

    >>> field_key("Store.limit")
    'd:Store.limit'
    """
    return f"{FIELD_PREFIX}{name}"


def documented_key(name: str) -> str:
    """Build the key of a name that a document describes. Case matters.

    >>> documented_key("Store.limit")
    'h:Store.limit'
    """
    return f"{DOCUMENTED_PREFIX}{name}"


def name_endings(name: str) -> Iterator[str]:
    """Yield a dotted name without its first parts, the last part first.

    >>> list(name_endings("shop.Store.put"))
    ['put', 'Store.put', 'shop.Store.put']
    """
    parts = name.split(".")
    yield from (".".join(parts[start:]) for start in range(len(parts) - 1, -1, -1))


def trigger_key(phrase: str) -> str:
    """Build the key of a trigger phrase of a document, empty if it has no word.

    >>> trigger_key("Rotate the keys!")
    'c:rotate the keys'
    """
    words = normalise_text(phrase)
    return f"{TRIGGER_PREFIX}{words}" if words else ""


def acronym_key(acronym: str) -> str:
    """Build the key of an acronym that a document explains.

    >>> acronym_key("RRF")
    'a:rrf'
    """
    return f"a:{_fold(acronym)}"


def long_form_key(words: str) -> str:
    """Build the key of the long form of an acronym that a document explains.

    >>> long_form_key("Reciprocal Rank Fusion")
    'l:reciprocal rank fusion'
    """
    return f"l:{normalise_text(words)}"


def mention_key(name: str) -> str:
    """Build the key of a proper name in a document's text.

    >>> mention_key("ada lovelace")
    'e:ada lovelace'
    """
    return f"{MENTION_PREFIX}{name}"


def property_key(key: str) -> str:
    """Build the key of a front matter property.

    >>> property_key("Status")
    'f:status'
    """
    return f"f:{_fold(key)}"


def _fold(text: str) -> str:
    return normalize("NFC", text).casefold()
