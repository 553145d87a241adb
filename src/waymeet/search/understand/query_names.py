"""Names of symbols in a query."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_PART = r"\$?[^\W\d][\w$]*"
_NAME = re.compile(rf"[.#@]?(?P<name>{_PART}(?:(?:\.|::|#|->){_PART})*)(?P<call>\(.*)?")
_SEPARATORS = re.compile(r"::|#|->")
_JOINT = re.compile(r"[^\W_]_+[^\W_]|[^\W\d_A-Z][A-Z]|\.|::|#|->|\$")
"""Distinguishes a symbol from a word: an underscore, camel case, or a mark between its parts."""
_CAMEL_CASE = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_PLURAL = frozenset({"(s)", "(es)"})
_NO_NAMES = frozenset({"e.g", "i.e"})
_KINDS = frozenset("class def enum fn func function interface method module struct trait type".split())
"""Words that say which kind of symbol the other word of a query is."""
_MAX_QUERY_WORDS = 200
_MAX_NAMES = 5
"""Names of one query that are looked up."""
_MAX_LENGTH = 500
"""Characters of a name. A longer one is pasted text, and looking up all its endings would take seconds."""


class QueryName(NamedTuple):
    """A name of a symbol in a query."""

    name: str
    """Its parts separated by dots."""
    is_code: bool
    """Whether it is written like code: with marks between its parts, as a call or in backticks."""
    is_whole: bool
    """Whether the query consists of it, perhaps with the kind of symbol."""


def find_names(text: str) -> list[QueryName]:
    """List the names in a query that may be symbols: those like code, or the whole query.

    >>> [name.name for name in find_names("does `render` or url_for() call Store::put, e.g. for item(s)?")]
    ['render', 'url_for', 'Store.put']
    >>> find_names("class Blueprint"), find_names("Blueprint objects")
    ([QueryName(name='Blueprint', is_code=False, is_whole=True)], [])
    """
    tokens = text.split()[:_MAX_QUERY_WORDS]
    is_whole = len([token for token in tokens if token.lower() not in _KINDS] or tokens[-1:]) == 1 and len(tokens) < 3
    names: dict[str, QueryName] = {}
    for token in tokens:
        match = _NAME.fullmatch(_strip(token)) if len(token) <= _MAX_LENGTH else None
        if match is None or match["name"].lower() in _NO_NAMES or match["call"] in _PLURAL:
            continue
        if is_whole and token.lower() in _KINDS and len(tokens) > 1:
            continue
        is_quoted = token.startswith("`") and "`" in token[1:]
        is_code = bool(_JOINT.search(match["name"]) or match["call"] or is_quoted)
        if is_code or is_whole:
            name = _SEPARATORS.sub(".", match["name"])
            names.setdefault(name, QueryName(name, is_code, is_whole))
    return list(names.values())[:_MAX_NAMES]


def _strip(token: str) -> str:
    """Remove quotes and punctuation around a token, and brackets that are not a call's."""
    token = token.strip("`'\"“”„[]{}<>,;:!?").lstrip("(").rstrip(".")
    return token if "(" in token else token.rstrip("`'\"”),;:!?.")


def is_code_like(name: str) -> bool:
    """Return whether a name has marks that distinguish it from a word.

    >>> is_code_like("get_user"), is_code_like("getUser"), is_code_like("Store.put"), is_code_like("Store")
    (True, True, True, False)
    """
    return _JOINT.search(name) is not None


def naming_styles(name: str) -> Iterator[str]:
    """Write a symbol in snake case, camel case and Pascal case, its own style first.

    >>> list(naming_styles("Store.recipeNamed")), list(naming_styles("recipe_named"))
    (['Store.recipeNamed', 'Store.recipe_named', 'Store.RecipeNamed'], ['recipe_named', 'recipeNamed', 'RecipeNamed'])
    """
    scope, dot, last = name.rpartition(".")
    words = [word.lower() for word in _CAMEL_CASE.sub("_", last).split("_") if word]
    capitals = [word.capitalize() for word in words]
    styles = (last, "_".join(words), "".join((*words[:1], *capitals[1:])), "".join(capitals))
    yield from (f"{scope}{dot}{style}" for style in dict.fromkeys(styles) if style)


def has_name(symbol: str, name: str) -> bool:
    """Return whether a symbol has a name, with or without its scope.

    Symbols of one name in a file differ by a suffix behind `~`, which is ignored.

    >>> has_name("Store.put~2", "put"), has_name("Store.put", "Store.put"), has_name("Store.input", "put")
    (True, True, False)
    """
    symbol_name = symbol.partition("~")[0]
    return symbol_name == name or symbol_name.endswith(f".{name}")
