"""C#: classes, interfaces and namespaces with `using`."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import package_import, symbol_import
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(property_declaration name: (identifier) @name) @property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @field)))
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @field)))
(enum_member_declaration name: (identifier) @field)
[(lambda_expression) (local_function_statement)] @local
(base_list [(identifier) (generic_name) (qualified_name)] @inherits)
(base_list (primary_constructor_base_type type: (_) @inherits))
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression expression: _ @on name: (identifier) @call))
(invocation_expression function: (conditional_access_expression condition: (_) @on
  (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: [(identifier) (generic_name) (qualified_name)] @make)
(parameter type: (_) @type name: (identifier) @var)
(variable_declaration type: [(identifier) (generic_name) (nullable_type)] @type
  (variable_declarator name: (identifier) @var))
(variable_declaration (variable_declarator name: (identifier) @var (object_creation_expression type: (_) @type)))
(property_declaration type: [(identifier) (generic_name)] @type name: (identifier) @var)
(using_directive) @import
(comment) @comment
"""
_OUTSIDE = frozenset("System Microsoft Newtonsoft Xunit NUnit Moq FluentAssertions Serilog Unity UnityEngine".split())
_BUILTINS = frozenset(
    """
Console Math String Object Exception ArgumentException InvalidOperationException ArgumentNullException Task List
Dictionary HashSet IEnumerable IDisposable IEquatable IComparable IList IDictionary Enumerable Convert Guid DateTime
TimeSpan StringBuilder Attribute EventArgs ToString Equals GetHashCode GetType WriteLine ReadLine ToList ToArray
FirstOrDefault SingleOrDefault Select Where Any All Count Sum OrderBy GroupBy TryGetValue ContainsKey ConfigureAwait
IsNullOrEmpty IsNullOrWhiteSpace nameof base Append Add Remove Contains
""".split()
)
_INTERFACE = re.compile(r"(?:.*\.)?I[A-Z]")


def imports(node: "Node", _path: str) -> Iterable[Import]:
    """Parse a `using` of a namespace, of a class's static members, or of an alias."""
    text = " ".join(node_text(node).rstrip("; ").split()).removeprefix("global ").removeprefix("using ")
    alias, equals, dotted = text.partition("=")
    if equals:
        yield symbol_import(dotted.strip(), alias.strip(), _OUTSIDE)
    elif text.startswith("static "):
        yield symbol_import(text.removeprefix("static ").strip(), "", _OUTSIDE)
    else:
        yield from package_import(text, _OUTSIDE)


def _inherits(heir: str, base: str, index: int) -> str:
    return "extends" if heir == "class" and not index and not _INTERFACE.match(base) else "implements"


def _is_exported(definition: Definition) -> bool:
    return "public" in definition.signature.split("(")[0].split() or definition.inside == "interface"


LANGUAGE = Language(
    grammar="tree_sitter_c_sharp.language",
    query=QUERY,
    imports=imports,
    is_exported=_is_exported,
    inherits=_inherits,
    parents=frozenset({"base"}),
    has_free_functions=False,
    has_implicit_self=True,
    visibility="package",
    builtins=_BUILTINS,
)
