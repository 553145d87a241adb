"""Java: classes, interfaces and packages."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import member_import, package_import, symbol_import
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(package_declaration (_) @package)
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(compact_constructor_declaration name: (identifier) @name) @constructor
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @constant
(interface_body (constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant)
(field_declaration declarator: (variable_declarator name: (identifier) @field))
(enum_constant name: (identifier) @field)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @field)))
(lambda_expression) @local
(superclass (_) @extends)
(super_interfaces (type_list (_) @implements))
(extends_interfaces (type_list (_) @extends))
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @on name: (identifier) @call)
(object_creation_expression type: (_) @make)
(formal_parameter type: (_) @type name: (identifier) @var)
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @var))
(local_variable_declaration type: (type_identifier) @type declarator: (variable_declarator name: (identifier) @var))
(import_declaration) @import
[(line_comment) (block_comment)] @comment
"""
OUTSIDE = frozenset(
    """
java javax jdk sun android androidx kotlin kotlinx scala akka org.junit org.mockito org.slf4j org.springframework
org.apache org.hamcrest com.google com.fasterxml jakarta lombok io.netty reactor
""".split()
)
BUILTINS = frozenset(
    """
String Object Integer Long Double Float Boolean Character Byte Short Math System Thread Exception RuntimeException Error
Throwable IllegalArgumentException IllegalStateException NullPointerException UnsupportedOperationException Iterable
Comparable Runnable AutoCloseable Cloneable Record Enum Override StringBuilder Class List Map Set ArrayList HashMap
HashSet Optional Collections Arrays Objects equals hashCode toString getClass compareTo valueOf isEmpty containsKey
getOrDefault putIfAbsent computeIfAbsent entrySet keySet getKey getValue printStackTrace getMessage startsWith endsWith
indexOf charAt toLowerCase toUpperCase parseInt forEach orElse orElseThrow isPresent assertEquals assertTrue assertFalse
assertNull assertNotNull assertThrows assertThat super this
""".split()
)


def imports(node: "Node", _path: str) -> Iterable[Import]:
    """Parse an import of a type, of a static member, or of a whole package."""
    words = node_text(node).replace(";", " ").split()
    dotted = "".join(words[2 if "static" in words[:2] else 1 :])
    if dotted.endswith(".*"):
        yield from package_import(dotted[:-2], OUTSIDE)
    elif "static" in words[:2]:
        yield member_import(dotted, "", OUTSIDE)
    else:
        yield symbol_import(dotted, "", OUTSIDE)


def _is_exported(definition: Definition) -> bool:
    return "public" in definition.signature.split("(")[0].split() or definition.inside == "interface"


LANGUAGE = Language(
    grammar="tree_sitter_java.language",
    query=QUERY,
    imports=imports,
    is_exported=_is_exported,
    has_free_functions=False,
    has_implicit_self=True,
    visibility="package",
    builtins=BUILTINS,
)
