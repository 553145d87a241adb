"""Tree-sitter grammars and queries, loaded with the first file of a language."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query, Tree

    from waymeet.ingest.parse.code.language import Language

MAX_DEPTH = 400
"""Depth to which a tree is searched. Matching gets slower with depth, and no readable code is deeper."""
_MAX_ERROR_NODES = 5_000
"""Children of the root up to which a text that does not parse at all is searched."""


def match_query(language: "Language", text: bytes) -> "tuple[Tree, list[dict[str, list[Node]]]]":
    """Parse source code and return the matches of the language's query.

    The tree is returned as well, because its nodes do not keep it alive.
    """
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a search that finds nothing changed never parses

    parser, query = _load(language.grammar, language.query)
    tree = parser.parse(text)
    if tree.root_node.type == "ERROR" and tree.root_node.child_count > _MAX_ERROR_NODES:
        return tree, []
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(MAX_DEPTH)
    return tree, [captures for _, captures in cursor.matches(tree.root_node)]


@cache
def _load(grammar: str, query: str) -> "tuple[Parser, Query]":
    from tree_sitter import Language as Grammar  # noqa: PLC0415 - as above
    from tree_sitter import Parser, Query  # noqa: PLC0415 - as above

    module, _, function = grammar.rpartition(".")
    loaded = Grammar(getattr(import_module(module), function)())
    return Parser(loaded), Query(loaded, query)
