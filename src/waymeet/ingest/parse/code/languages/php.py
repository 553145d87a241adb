"""PHP: classes, namespaces with `use`, and required files."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.analysis import file_name_key, path_key
from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import join_relative, symbol_import
from waymeet.ingest.parse.code.node_text import node_text, normalise_name

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(namespace_definition name: (namespace_name) @package)
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(const_declaration (const_element . (name) @name)) @constant
(property_element name: (variable_name (name) @field))
(property_promotion_parameter name: (variable_name (name) @field))
(enum_case name: (name) @field)
[(anonymous_function) (arrow_function)] @local
(class_declaration (base_clause (_) @extends))
(interface_declaration (base_clause (_) @extends))
(class_interface_clause (_) @implements)
(use_declaration (_) @extends)
(function_call_expression function: [(name) (qualified_name)] @call)
(member_call_expression object: (_) @on name: (name) @call)
(nullsafe_member_call_expression object: (_) @on name: (name) @call)
(scoped_call_expression scope: (_) @on name: (name) @call)
(object_creation_expression [(name) (qualified_name)] @call)
(simple_parameter type: (named_type) @type name: (variable_name) @var)
(property_promotion_parameter type: (named_type) @type name: (variable_name (name) @var))
(property_declaration type: (named_type) @type (property_element name: (variable_name (name) @var)))
(assignment_expression left: (variable_name) @var right: (object_creation_expression [(name) (qualified_name)] @type))
(assignment_expression left: (member_access_expression) @var
  right: (object_creation_expression [(name) (qualified_name)] @type))
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
(comment) @comment
"""
_OUTSIDE = frozenset("PHPUnit Psr Symfony Illuminate Doctrine Monolog GuzzleHttp Carbon Composer Twig Laminas".split())
_BUILTINS = frozenset(
    """
Exception RuntimeException InvalidArgumentException LogicException Throwable Countable IteratorAggregate ArrayAccess
JsonSerializable Stringable DateTime DateTimeImmutable ArrayIterator PDO Closure count strlen isset empty array_map
array_filter array_merge array_keys array_values array_key_exists array_push in_array implode explode sprintf printf
str_replace substr strpos trim is_array is_string is_null is_int json_encode json_decode file_get_contents
file_put_contents preg_match preg_replace str_contains str_starts_with array_sum usort sort var_dump assertEquals
assertSame assertTrue assertFalse parent
""".split()
)


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Parse a `use` of names, or a required file."""
    text = " ".join(node_text(node).split())
    if node.type != "namespace_use_declaration":
        yield from _parse_require(text, path)
        return
    text = text.removeprefix("use ").rstrip("; ").removeprefix("function ").removeprefix("const ")
    prefix, brace, names = text.partition("{")
    for item in names.partition("}")[0].split(",") if brace else text.split(","):
        name, _, alias = item.strip().partition(" as ")
        dotted = normalise_name(f"{prefix}{name}" if brace else name)
        if dotted:
            yield symbol_import(dotted, alias.strip(), _OUTSIDE)


def _parse_require(text: str, path: str) -> Iterator[Import]:
    quote = "'" if "'" in text else '"'
    parts = text.split(quote)
    target = parts[1].lstrip("/") if len(parts) == 3 else ""
    place = join_relative(path.rpartition("/")[0], target) if target else ""
    if place:
        yield Import("", (path_key(place), path_key(target.lstrip("./")), file_name_key(target.rpartition("/")[2])))


def _is_exported(definition: Definition) -> bool:
    return not {"private", "protected"} & set(definition.signature.split("(")[0].split())


LANGUAGE = Language(
    grammar="tree_sitter_php.language_php",
    query=QUERY,
    imports=imports,
    is_exported=_is_exported,
    selves=frozenset({"$this", "self", "static"}),
    parents=frozenset({"parent"}),
    constructors=frozenset({"__construct"}),
    visibility="package",
    builtins=_BUILTINS,
)
