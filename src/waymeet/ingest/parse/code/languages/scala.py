"""Scala: packages, classes, traits and objects."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.languages.java import BUILTINS, OUTSIDE
from waymeet.ingest.parse.code.modules import package_import, symbol_import
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(package_clause name: (_) @package)
(class_definition name: (identifier) @name) @class
(trait_definition name: (identifier) @name) @trait
(object_definition name: (identifier) @name) @object
(enum_definition name: (identifier) @name) @enum
[(function_definition name: (identifier) @name) (function_declaration name: (identifier) @name)] @function
(type_definition name: (type_identifier) @name) @type
(template_body [(val_definition pattern: (identifier) @name) (val_declaration name: (identifier) @name)] @property)
(compilation_unit (val_definition pattern: (identifier) @name) @constant)
(template_body [(var_definition pattern: (identifier) @field) (var_declaration name: (identifier) @field)])
(class_parameter name: (identifier) @field)
(simple_enum_case name: (identifier) @field)
(lambda_expression) @local
(extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @inherits)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @on field: (identifier) @call))
(instance_expression . (type_identifier) @call)
(parameter name: (identifier) @var type: (_) @type)
(class_parameter name: (identifier) @var type: (_) @type)
(val_definition pattern: (identifier) @var type: (type_identifier) @type)
(val_definition pattern: (identifier) @var value: (instance_expression . (type_identifier) @type))
(import_declaration) @import
[(comment) (block_comment)] @comment
"""
_BUILTINS = BUILTINS | frozenset(
    """
Seq Vector Nil Some None Option Either Left Right Future Try Success Failure Int Unit Any AnyRef AnyVal Nothing println
print require assert getOrElse foldLeft foldRight toList toMap toSet mkString headOption lastOption groupBy sortBy
Iterator Product Serializable
""".split()
)


def imports(node: "Node", _path: str) -> Iterable[Import]:
    """Parse an import with all its selectors."""
    text = "".join(node_text(node).removeprefix("import").split(" "))
    prefix, brace, selectors = text.partition("{")
    names = selectors.partition("}")[0].split(",") if brace else [prefix.rpartition(".")[2]]
    package = prefix.rstrip(".") if brace else prefix.rpartition(".")[0]
    for selector in names:
        name, _, alias = selector.strip().partition("=>")
        if name in {"_", "*", "given"}:
            yield from package_import(package, OUTSIDE)
        elif name:
            yield symbol_import(f"{package}.{name}", alias, OUTSIDE)


def _inherits(_heir: str, _base: str, index: int) -> str:
    return "implements" if index else "extends"


def _is_exported(definition: Definition) -> bool:
    return not any(word.startswith(("private", "protected")) for word in definition.signature.split("(")[0].split())


LANGUAGE = Language(
    grammar="tree_sitter_scala.language",
    query=QUERY,
    imports=imports,
    is_exported=_is_exported,
    inherits=_inherits,
    has_implicit_self=True,
    visibility="package",
    builtins=_BUILTINS,
)
