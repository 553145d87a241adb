"""JavaScript and JSX, extended by TypeScript."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import join_relative, list_module_keys, module_key, stem
from waymeet.ingest.parse.code.node_text import node_text
from waymeet.ingest.parse.references.paths import parent_folders

if TYPE_CHECKING:
    from tree_sitter import Node

_MACROS = {
    "FUNCTION": "[(arrow_function body: (_) @body) (function_expression body: (_) @body)]",
    "IS_EXPORTS": '(#any-of? @_exports "exports" "module.exports")',
    "EXPORTS": "[(identifier) (member_expression)] @_exports",
}
"""Abbreviations in the patterns below, replaced in this order."""


def expand(patterns: str) -> str:
    """Replace the abbreviations in patterns."""
    for name, pattern in _MACROS.items():
        patterns = patterns.replace(name, pattern)
    return patterns


SHARED = expand("""
(export_statement) @outer
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @method
(program [(lexical_declaration (variable_declarator name: (identifier) @name value: FUNCTION) @function)
  (variable_declaration (variable_declarator name: (identifier) @name value: FUNCTION) @function)
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: FUNCTION) @function))])
(program [(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class)
  (variable_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class)
  (export_statement
    (lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class))])
(program [(lexical_declaration (variable_declarator name: (identifier) @name value: (_) @value) @constant)
  (variable_declaration (variable_declarator name: (identifier) @name value: (_) @value) @constant)
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (_) @value) @constant))])
(program [(lexical_declaration (variable_declarator value: (object (pair key: (property_identifier) @field))))
  (variable_declaration (variable_declarator value: (object (pair key: (property_identifier) @field))))
  (export_statement
    (lexical_declaration (variable_declarator value: (object (pair key: (property_identifier) @field)))))])
[(arrow_function) (function_expression)] @local
(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @on
  property: [(property_identifier) (private_property_identifier)] @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @on property: (property_identifier) @call))
(variable_declarator name: (identifier) @var value: (new_expression constructor: (identifier) @type))
(assignment_expression left: (member_expression) @var right: (new_expression constructor: (identifier) @type))
(assignment_expression left: (member_expression) @var right: (identifier) @type)
(import_statement) @import
(export_statement source: (_)) @import
(export_specifier name: (identifier) @exported)
(export_statement value: (identifier) @exported)
(call_expression function: [(identifier) @_require (import) @_require] arguments: (arguments . (string))
  (#any-of? @_require "require" "import")) @import
(variable_declarator name: [(identifier) (object_pattern)] value: [
  (call_expression function: (identifier) @_require)
  (member_expression object: (call_expression function: (identifier) @_require))
  (await_expression (call_expression function: (import) @_require))]
  (#any-of? @_require "require" "import")) @import
(comment) @comment
""")
"""Patterns of JavaScript and TypeScript."""
_COMMONJS = expand("""
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: FUNCTION) @method) (#not-match? @owner "^(exports|module)$"))
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @name) @method
  right: (assignment_expression right: FUNCTION))) (#not-match? @owner "^(exports|module)$"))
(program (expression_statement (assignment_expression right: (assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: FUNCTION) @method)) (#not-match? @owner "^(exports|module)$"))
(program (expression_statement (assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: FUNCTION) @method) (#eq? @_prototype "prototype"))
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
  right: (object [
    (method_definition name: (property_identifier) @name) @method
    (pair key: (property_identifier) @name value: FUNCTION) @method])) (#eq? @_prototype "prototype")))
(program (expression_statement (assignment_expression
  left: (member_expression object: EXPORTS property: (property_identifier) @name)
  right: FUNCTION) @function) IS_EXPORTS)
(program (expression_statement (assignment_expression
  left: (member_expression object: EXPORTS property: (property_identifier) @name)
  right: (class body: (_) @body)) @class) IS_EXPORTS)
(program (expression_statement (assignment_expression
  left: (member_expression object: EXPORTS property: (property_identifier) @name) right: (_) @_value) @constant)
  IS_EXPORTS (#not-eq? @name @_value) (#not-eq? @name "exports"))
(program (expression_statement (assignment_expression
  left: (member_expression object: EXPORTS property: (property_identifier) @exported)) IS_EXPORTS))
(program (expression_statement (assignment_expression left: (member_expression) @_all
  right: (function_expression name: (identifier) @name @exported body: (_) @body) @function)
  (#eq? @_all "module.exports")))
(program (expression_statement (assignment_expression left: (member_expression) @name @exported
  right: [(function_expression !name body: (_) @body) (arrow_function body: (_) @body)]) @function)
  (#eq? @name "module.exports"))
(program (expression_statement (assignment_expression left: (member_expression) @_all
  right: (class name: (identifier) @name @exported) @class) (#eq? @_all "module.exports")))
(program (expression_statement (assignment_expression left: (member_expression) @_all
  right: (identifier) @exported) (#eq? @_all "module.exports")))
(program (expression_statement (assignment_expression left: (_)
  right: (assignment_expression left: (member_expression) @_all right: (identifier) @exported))
  (#eq? @_all "module.exports")))
(program (_ (variable_declarator name: (identifier) @exported value: (assignment_expression) @_chain))
  (#match? @_chain "^(exports *= *)?module[.]exports *="))
(program (expression_statement (assignment_expression left: (member_expression) @_all
  right: (object (pair key: (property_identifier) @name value: FUNCTION) @function)) (#eq? @_all "module.exports")))
(program (expression_statement (assignment_expression left: (member_expression) @_all
  right: (object (pair key: (property_identifier) @name value: (_) @_value) @constant))
  (#eq? @_all "module.exports") (#not-eq? @name @_value)))
(program (expression_statement (assignment_expression left: (member_expression) @_all
  right: (object [(shorthand_property_identifier) @exported (method_definition name: (_) @exported)
    (pair key: (property_identifier) @exported) (pair value: (identifier) @exported)])) (#eq? @_all "module.exports")))
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @field))
  (#not-match? @owner "^(exports|module)$")))
(class_body (field_definition property: [(property_identifier) (private_property_identifier)] @name) @property)
""")
"""Patterns of CommonJS modules, of functions assigned to objects and prototypes, and of class fields."""
QUERY = (
    SHARED
    + _COMMONJS
    + expand("""
(class_declaration name: (identifier) @name) @class
(class_declaration (class_heritage [(identifier) (member_expression)] @extends))
(field_definition property: [(property_identifier) (private_property_identifier)] @name value: FUNCTION) @method
[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]
""")
)
BUILTINS = frozenset(
    """
Array Boolean Date Error TypeError RangeError SyntaxError Function JSON Map Math Number Object Promise Proxy Reflect
RegExp Set String Symbol WeakMap WeakSet BigInt Intl console document window globalThis process module exports require
parseInt parseFloat isNaN isFinite setTimeout setInterval clearTimeout clearInterval queueMicrotask fetch super import
describe it test expect beforeEach afterEach beforeAll afterAll jest vi URL Buffer Event Request Response Headers
addEventListener removeEventListener querySelector querySelectorAll getElementById createElement appendChild
getAttribute setAttribute preventDefault stopPropagation toString valueOf hasOwnProperty toLowerCase toUpperCase
indexOf lastIndexOf findIndex forEach flatMap reduceRight charAt charCodeAt codePointAt startsWith endsWith padStart
padEnd trimStart trimEnd replaceAll matchAll toFixed getTime toISOString defineProperty getOwnPropertyNames fromEntries
isArray stringify toBe toEqual toThrow toContain toHaveBeenCalled toHaveBeenCalledWith toMatchSnapshot toBeUndefined
toStrictEqual toHaveLength useState useEffect useRef useMemo useCallback useContext useReducer
""".split()
)
_FAMILY = "js"
_EXTENSIONS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Parse an import, a reexport or a call of `require`."""
    if node.type == "variable_declarator":
        yield from _bound_imports(node, path)
        return
    if node.type == "call_expression" and _is_bound(node):
        return  # its variable is the import
    source = _source(node)
    files, folders, package = _module(source, path)
    names = list(_list_names(node)) if node.type == "import_statement" else []
    for local, anchor in names:
        yield Import(local, files, anchor, folders, package=package)
    if not names:
        yield Import("", files, "", folders)


def _bound_imports(node: "Node", path: str) -> Iterator[Import]:
    """Parse a variable with a required module, a member of it, or several members by a pattern."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return
    member = ""
    if value.type == "member_expression":
        target, member = value.child_by_field_name("object"), _field_text(value, "property")
        value = target or value
    elif value.type == "await_expression" and value.named_children:
        value = value.named_children[0]
    files, folders, package = _module(_source(value), path)
    if name.type != "object_pattern":
        yield Import(node_text(name), files, member, folders, package=package, is_callable=not member)
        return
    for local, anchor in _list_pattern_names(name):
        # A member of a member, as in `const {a} = require("./b").c`, is no symbol of its own.
        yield Import(local, files, anchor, folders, package=package)


def _list_pattern_names(pattern: "Node") -> Iterator[tuple[str, str]]:
    """Yield the local names of a destructuring pattern with the names of the members."""
    for child in pattern.named_children:
        part = (child.child_by_field_name("left") or child) if child.type == "object_assignment_pattern" else child
        if part.type == "shorthand_property_identifier_pattern":
            yield node_text(part), node_text(part)
        elif part.type == "pair_pattern":
            local = _field_text(part, "value").partition("=")[0].strip()
            if local.isidentifier():
                yield local, _field_text(part, "key")


def _field_text(node: "Node", field: str) -> str:
    child = node.child_by_field_name(field)
    return node_text(child) if child else ""


def _is_bound(call: "Node") -> bool:
    """Check whether the value of a call of `require` or `import` is assigned to a variable."""
    around = call.parent
    if around is not None and around.type in {"member_expression", "await_expression"}:
        around = around.parent
    if around is None or around.type != "variable_declarator":
        return False
    name = around.child_by_field_name("name")
    return name is not None and name.type in {"identifier", "object_pattern"}


def _source(node: "Node") -> str:
    source = node.child_by_field_name("source")
    if source is None:
        arguments = node.child_by_field_name("arguments")
        source = arguments.named_child(0) if arguments else None
    return node_text(source).strip("\"'`") if source and source.type == "string" else ""


def _list_names(node: "Node") -> Iterator[tuple[str, str]]:
    """Yield the local names of an import with the names of the symbols.

    A default import has no other name than the local one.
    """
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    for child in clause.named_children if clause else ():
        if child.type == "identifier":
            yield node_text(child), node_text(child)
        elif child.type == "namespace_import" and child.named_children:
            yield node_text(child.named_children[-1]), ""
        elif child.type == "named_imports":
            for specifier in child.named_children:
                name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
                if name:
                    yield node_text(alias or name), node_text(name)


def _module(source: str, path: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the keys of a file, the keys of the index of a folder, and the folder's name."""
    plain = (stem(source) if source.endswith(_EXTENSIONS) else source).removesuffix("/index")
    if source.startswith("."):
        folder = path.rpartition("/")[0]
        place = join_relative(folder, plain)
        if not place:
            index = module_key(_FAMILY, "/index") if join_relative(f"x/{folder}", plain) == "x" else ""
            return (), ((index,) if index else ()), ""
        return (module_key(_FAMILY, f"/{place}"),), (module_key(_FAMILY, f"/{place}/"),), place.rpartition("/")[2]
    places = list(_expand_alias(plain, path))
    files = tuple(module_key(_FAMILY, place) for place in places)
    return files, tuple(module_key(_FAMILY, f"{place}/") for place in places), plain.rpartition("/")[2] if files else ""


def _expand_alias(source: str, path: str) -> Iterator[str]:
    """Yield the paths that an import with an alias may mean.

    `@/x` and `~/x` mean the folder of sources, other aliases a folder of that name. The aliases in `tsconfig.json` are
    not read; a path with the same end as the import is hardly another one.
    """
    first, _, path_in_alias = source.partition("/")
    if first in {"@", "~", "#", "$lib", "src"} and path_in_alias:
        yield from (
            f"{'/' + base if base else ''}/src/{path_in_alias}" for base in parent_folders(path) if _has_src(base, path)
        )
        yield f"/src/{path_in_alias}"
        yield f"/{path_in_alias}"
    elif first.startswith(("@", "~", "#")) and "/" in path_in_alias:
        yield f"{first[1:]}/{path_in_alias}" if first[1:] else path_in_alias
        yield path_in_alias
    elif path_in_alias and not first.startswith("node:"):
        yield source


def _has_src(base: str, path: str) -> bool:
    return bool(base) and path.startswith(f"{base}/src/")


def file_modules(path: str) -> Iterator[str]:
    """List the keys by which a JavaScript or TypeScript file is imported."""
    return list_module_keys(_FAMILY, path, {"index"})


def is_exported(definition: Definition) -> bool:
    """Check whether a definition is exported by keyword, or a member that is not private."""
    return definition.outer == "export_statement" or (
        bool(definition.inside)
        and not definition.name.startswith("_")
        and f"#{definition.name}" not in definition.signature
        and not definition.signature.startswith("private")
    )


LANGUAGE = Language(
    grammar="tree_sitter_javascript.language",
    query=QUERY,
    imports=imports,
    modules=file_modules,
    is_exported=is_exported,
    own_exports=frozenset({"exports", "module.exports"}),
    constructors=frozenset({"constructor"}),
    builtins=BUILTINS,
)
