"""TypeScript: JavaScript with types, interfaces, enums and namespaces."""

from msgspec.structs import replace

from waymeet.ingest.parse.code.language import Language
from waymeet.ingest.parse.code.languages import javascript

QUERY = javascript.SHARED + javascript.expand("""
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(type_alias_declaration name: (type_identifier) @name) @type
[(internal_module name: (_) @name) (module name: (identifier) @name)] @module
(function_signature name: (identifier) @name) @function @declared
(class_body (method_signature name: (_) @name) @method @declared)
(abstract_method_signature name: (_) @name) @method
(method_signature name: (_) @name) @method
(property_signature name: (property_identifier) @field)
(enum_body [(property_identifier) @field (enum_assignment name: (property_identifier) @field)])
(ambient_declaration (_ (variable_declarator name: (identifier) @field)))
(required_parameter (accessibility_modifier) pattern: (identifier) @field)
(required_parameter "readonly" pattern: (identifier) @field)
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: FUNCTION) @method
(class_body (public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @property)
(extends_clause value: [(identifier) (member_expression)] @extends)
(extends_type_clause type: [(type_identifier) (nested_type_identifier)] @extends)
(extends_type_clause type: (generic_type name: (_) @extends))
(implements_clause [(type_identifier) (nested_type_identifier)] @implements)
(implements_clause (generic_type name: (_) @implements))
(required_parameter pattern: (identifier) @var type: (type_annotation [(type_identifier) (generic_type)] @type))
(variable_declarator name: (identifier) @var type: (type_annotation [(type_identifier) (generic_type)] @type))
(class_body (public_field_definition name: (property_identifier) @var
  type: (type_annotation [(type_identifier) (generic_type)] @type)))
(class_body (public_field_definition name: (property_identifier) @var
  value: (new_expression constructor: (identifier) @type)))
""")

LANGUAGE = Language(
    grammar="tree_sitter_typescript.language_typescript",
    query=QUERY,
    imports=javascript.imports,
    modules=javascript.file_modules,
    is_exported=javascript.is_exported,
    constructors=frozenset({"constructor"}),
    builtins=javascript.BUILTINS
    | frozenset("Record Partial Required Readonly Pick Omit Exclude Extract ReturnType Awaited".split()),
)


TSX = replace(
    LANGUAGE,
    grammar="tree_sitter_typescript.language_tsx",
    query=QUERY
    + "[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]\n",
)
