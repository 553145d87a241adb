"""Swift: classes, protocols and functions, visible in all files of a module."""

from waymeet.ingest.parse.code.language import Definition, Language

QUERY = """
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @enum
(class_declaration declaration_kind: "extension" name: (user_type) @name) @scope
(protocol_declaration name: (type_identifier) @name) @interface
[(function_declaration name: (simple_identifier) @name) (protocol_function_declaration name: (simple_identifier) @name)]
  @function
(init_declaration name: _ @name) @constructor
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @constant)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property)
(enum_entry name: (simple_identifier) @field)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @field))
(typealias_declaration name: (type_identifier) @name) @type
(lambda_literal) @local
(class_declaration declaration_kind: "extension" name: (user_type) @owner
  (inheritance_specifier inherits_from: (user_type) @implements))
(class_declaration name: (type_identifier) @owner (inheritance_specifier inherits_from: (user_type) @inherits))
(protocol_declaration name: (type_identifier) @owner (inheritance_specifier inherits_from: (user_type) @inherits))
(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression target: (_) @on suffix: (navigation_suffix suffix:
  (simple_identifier) @call)))
(parameter name: (simple_identifier) @var (user_type) @type)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @var)
  (type_annotation (user_type) @type))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @var)
  value: (call_expression . (simple_identifier) @type))
[(comment) (multiline_comment)] @comment
"""
_BUILTINS = frozenset(
    """
String Int Double Float Bool Array Dictionary Set Optional Character Error Codable Encodable Decodable Equatable
Hashable
Comparable Identifiable CustomStringConvertible Sendable CaseIterable RawRepresentable ObservableObject View AnyObject
NSObject UIView UIViewController XCTestCase Sequence Collection IteratorProtocol print fatalError precondition assert
min
max abs zip stride type debugPrint append insert remove removeAll map filter reduce compactMap flatMap forEach sorted
contains joined enumerated first last super Date Data URL UUID XCTAssertEqual XCTAssertTrue XCTAssertNil
""".split()
)


def _is_exported(definition: Definition) -> bool:
    return not {"private", "fileprivate"} & set(definition.signature.split("(")[0].split())


def _inherits(heir: str, base: str, index: int) -> str:
    return (
        "extends" if heir == "class" and not index and not base.endswith(("able", "ing", "Protocol")) else "implements"
    )


LANGUAGE = Language(
    grammar="tree_sitter_swift.language",
    query=QUERY,
    is_exported=_is_exported,
    inherits=_inherits,
    selves=frozenset({"self", "Self"}),
    constructors=frozenset({"init"}),
    has_implicit_self=True,
    visibility="project",
    builtins=_BUILTINS,
)
