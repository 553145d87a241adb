"""Grammars and queries, loaded when the first file of a language needs them."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query, Tree

    from waymeet.ingest.parse.code.language import Language

DEEPEST = 400
"""How deep a tree is looked into: no reader goes so far, and each step costs more the deeper it lies."""
_MOST_RUBBLE = 5_000
"""Pieces that a text may fall into of which a grammar can make nothing at all."""


def matches(language: "Language", text: bytes) -> "tuple[Tree, list[dict[str, list[Node]]]]":
    """Parse some source code and find everything that the language's query marks.

    The tree is handed over as well: its nodes do not keep it.
    """
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a search that finds nothing changed never parses

    parser, query = _loaded(language.grammar, language.query)
    tree = parser.parse(text)
    if tree.root_node.type == "ERROR" and tree.root_node.child_count > _MOST_RUBBLE:
        return tree, []
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(DEEPEST)
    return tree, [captured for _, captured in cursor.matches(tree.root_node)]


@cache
def _loaded(grammar: str, query: str) -> "tuple[Parser, Query]":
    from tree_sitter import Language as Grammar  # noqa: PLC0415 - as above
    from tree_sitter import Parser, Query  # noqa: PLC0415 - as above

    module, _, function = grammar.rpartition(".")
    loaded = Grammar(getattr(import_module(module), function)())
    return Parser(loaded), Query(loaded, query)
