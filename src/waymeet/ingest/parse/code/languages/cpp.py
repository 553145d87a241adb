"""C++: C with classes, namespaces and templates."""

from waymeet.ingest.parse.code.language import Language
from waymeet.ingest.parse.code.languages import c

QUERY = (
    c.SHARED
    + """
(namespace_definition name: (_) @name) @namespace
(template_declaration) @outer
(class_specifier name: (type_identifier) @name body: (_)) @class
(concept_definition name: (identifier) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name)
    (operator_name)] @name))
  (_ (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name)
    (operator_name)] @name)))]) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_)
  name: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name)] @name)))) @method
(function_definition declarator: [(function_declarator declarator: [(field_identifier) (destructor_name)
  (operator_name)] @name) (_ (function_declarator declarator: (field_identifier) @name))]) @method
(field_declaration declarator: [(function_declarator declarator: [(field_identifier) (operator_name)] @name) @declared
  (_ (function_declarator declarator: (field_identifier) @name) @declared)]) @method
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @function
(lambda_expression) @local
(base_class_clause [(type_identifier) (template_type) (qualified_identifier)] @extends)
(call_expression function: (qualified_identifier scope: (_) @on name: (identifier) @call))
(new_expression type: [(type_identifier) (qualified_identifier)] @call)
(parameter_declaration type: [(type_identifier) (qualified_identifier)] @type
  declarator: [(identifier) @var (_ (identifier) @var)])
(declaration type: [(type_identifier) (qualified_identifier)] @type
  declarator: [(identifier) @var (init_declarator declarator: (identifier) @var)])
(field_declaration type: [(type_identifier) (qualified_identifier)] @type declarator: (field_identifier) @var)
"""
)

LANGUAGE = Language(
    grammar="tree_sitter_cpp.language",
    query=QUERY,
    imports=c.imports,
    modules=c.modules,
    is_exported=c.is_exported,
    has_implicit_self=True,
    visibility="project",
    builtins=c.BUILTINS
    | frozenset(
        """
std string vector map unordered_map set pair tuple optional unique_ptr shared_ptr make_unique make_shared move forward
push_back emplace_back c_str to_string static_cast dynamic_cast begin end size what exception runtime_error get
""".split()
    ),
)
