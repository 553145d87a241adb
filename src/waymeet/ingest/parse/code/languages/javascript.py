"""JavaScript and JSX, extended by TypeScript."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import join_relative, list_module_keys, module_key, stem
from waymeet.ingest.parse.code.node_text import node_text
from waymeet.ingest.parse.references.paths import parent_folders

if TYPE_CHECKING:
    from tree_sitter import Node

SHARED = """
(export_statement) @outer
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @method
(program [(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function)
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function))])
(program [(lexical_declaration (variable_declarator name: (identifier) @name value: (_) @value) @constant)
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (_) @value) @constant))])
[(arrow_function) (function_expression)] @local
(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @on property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @on property: (property_identifier) @call))
(variable_declarator name: (identifier) @var value: (new_expression constructor: (identifier) @type))
(assignment_expression left: (member_expression) @var right: (new_expression constructor: (identifier) @type))
(assignment_expression left: (member_expression) @var right: (identifier) @type)
(import_statement) @import
(export_statement source: (_)) @import
(call_expression function: (identifier) @_require arguments: (arguments . (string)) (#eq? @_require "require")) @import
(variable_declarator name: (identifier) @_bound
  value: (call_expression function: (identifier) @_require (#eq? @_require "require"))) @import
(comment) @comment
"""
QUERY = (
    SHARED
    + """
(class_declaration name: (identifier) @name) @class
(class_declaration (class_heritage [(identifier) (member_expression)] @extends))
(field_definition property: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]
"""
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
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        files, folders, package = _module(_source(value), path) if value else ((), (), "")
        yield Import(node_text(name) if name else "", files, "", folders, package=package)
        return
    source = _source(node)
    files, folders, package = _module(source, path)
    names = list(_list_names(node)) if node.type == "import_statement" else []
    for local, anchor in names:
        yield Import(local, files, anchor, folders, package=package)
    if not names:
        yield Import("", files, "", folders)


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
        and not definition.name.startswith(("#", "_"))
        and not definition.signature.startswith("private")
    )


LANGUAGE = Language(
    grammar="tree_sitter_javascript.language",
    query=QUERY,
    imports=imports,
    modules=file_modules,
    is_exported=is_exported,
    constructors=frozenset({"constructor"}),
    builtins=BUILTINS,
)
