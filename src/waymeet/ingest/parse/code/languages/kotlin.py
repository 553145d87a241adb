"""Kotlin: packages as in Java, with functions outside of classes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.languages.java import BUILTINS, OUTSIDE
from waymeet.ingest.parse.code.modules import package_import, symbol_import
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(package_header (qualified_identifier) @package)
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @enum
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @object
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @constructor
(source_file (property_declaration (variable_declaration . (identifier) @name)) @constant)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @property)
(class_parameter ["val" "var"] (identifier) @field)
(enum_entry (identifier) @field)
(type_alias type: (identifier) @name) @type
[(lambda_literal) (anonymous_function)] @local
(delegation_specifier (constructor_invocation (user_type) @extends))
(delegation_specifier (user_type) @inherits)
(call_expression . (identifier) @call)
(call_expression . (navigation_expression . (_) @on (identifier) @call .))
(class_parameter (identifier) @var (user_type) @type)
(parameter (identifier) @var (user_type) @type)
(variable_declaration (identifier) @var (user_type) @type)
(property_declaration (variable_declaration . (identifier) @var .) (call_expression . (identifier) @type))
(import) @import
[(line_comment) (block_comment)] @comment
"""
_BUILTINS = BUILTINS | frozenset(
    """
listOf mutableListOf mapOf mutableMapOf setOf mutableSetOf arrayOf emptyList emptyMap println print require check error
requireNotNull checkNotNull let run apply also with lazy to Int Long Any Unit Nothing Array Pair Triple Result Sequence
firstOrNull lastOrNull mapNotNull filterNotNull joinToString sumOf groupBy sortedBy associateBy toList toMap toSet
withContext runBlocking TODO
""".split()
)


def imports(node: "Node", _path: str) -> Iterable[Import]:
    """Parse an import of a symbol, with or without an alias, or of a whole package."""
    text = " ".join(node_text(node).removeprefix("import").split())
    dotted, _, alias = text.partition(" as ")
    if dotted.endswith(".*"):
        yield from package_import(dotted[:-2], OUTSIDE)
    else:
        yield symbol_import(dotted.strip("` "), alias.strip(), OUTSIDE)


def _inherits(_heir: str, _base: str, _index: int) -> str:
    return "implements"


def _is_exported(definition: Definition) -> bool:
    return not {"private", "internal", "protected"} & set(definition.signature.split("(")[0].split())


LANGUAGE = Language(
    grammar="tree_sitter_kotlin.language",
    query=QUERY,
    imports=imports,
    is_exported=_is_exported,
    inherits=_inherits,
    has_implicit_self=True,
    visibility="package",
    builtins=_BUILTINS,
)
