"""Go: packages by folder, exported names by their capital, methods outside of their types."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import module_key
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(package_clause (package_identifier) @package)
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration name: (_)? type: [
  (type_identifier) @owner (pointer_type (type_identifier) @owner)
  (generic_type type: (type_identifier) @owner) (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
[(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)] @type
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @constant))
(interface_type (method_elem name: (field_identifier) @name) @method)
(type_spec type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @field))))
(type_spec name: (_) @owner type: (struct_type (field_declaration_list (field_declaration !name
  type: [(type_identifier) (qualified_type)] @extends))))
(type_spec name: (_) @owner type: (interface_type (type_elem . [(type_identifier) (qualified_type)] @extends .)))
(func_literal) @local
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @on field: (field_identifier) @call))
(composite_literal type: (type_identifier) @call)
(composite_literal type: (qualified_type package: (_) @on name: (_) @call))
(parameter_declaration name: (identifier) @var type: [(type_identifier) (pointer_type) (qualified_type)] @type)
(var_spec name: (identifier) @var type: [(type_identifier) (pointer_type) (qualified_type)] @type)
(field_declaration name: (field_identifier) @var type: [(type_identifier) (pointer_type) (qualified_type)] @type)
(short_var_declaration left: (expression_list . (identifier) @var .)
  right: (expression_list . [(composite_literal type: (_) @type)
  (unary_expression operand: (composite_literal type: (_) @type))] .))
(import_spec) @import
(comment) @comment
"""
_STANDARD = frozenset(
    """
archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash
html image index io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings
structs sync syscall testing text time unicode unique unsafe C weak
""".split()
)
_BUILTINS = frozenset(
    """
append cap clear close complex copy delete imag len make max min new panic print println real recover string bool byte
rune error int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 any Error String Errorf
Fatalf Printf Println Sprintf
""".split()
)


def imports(node: "Node", _path: str) -> Iterable[Import]:
    """Parse one line of an import. The used names decide which file of the package it is."""
    source, alias = node.child_by_field_name("path"), node.child_by_field_name("name")
    parts = node_text(source).strip('"`').split("/") if source else [""]
    name = parts[-1]
    if len(parts) > 1 and name[:1] == "v" and name[1:].isdigit():
        name = parts[-2]
    local = node_text(alias) if alias else name
    if parts[0] in _STANDARD:
        yield Import(local)
    else:
        ends = ("/".join(parts[start:]) for start in range(len(parts) - 1))
        yield Import(local, folders=tuple(module_key("go", end) for end in ends if end.count("/") < 5), package=name)


def modules(path: str) -> Iterator[str]:
    """List the ends of the folder's path, as an import covers all files of a package."""
    parts = path.split("/")[:-1]
    if not path.endswith("_test.go"):
        yield from (module_key("go", "/".join(parts[-length:])) for length in range(2, min(len(parts), 5) + 1))


def _is_exported(definition: Definition) -> bool:
    return definition.name[:1].isupper()


LANGUAGE = Language(
    grammar="tree_sitter_go.language",
    query=QUERY,
    imports=imports,
    modules=modules,
    is_exported=_is_exported,
    selves=frozenset(),
    visibility="package",
    builtins=_BUILTINS,
)
