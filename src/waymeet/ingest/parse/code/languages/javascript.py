"""JavaScript and JSX; TypeScript builds upon it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Import, Language, Seen
from waymeet.ingest.parse.code.modules import above, joined, module, modules, stem
from waymeet.ingest.parse.code.node_text import written

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
_ENDINGS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Read an import, a re-export or a call of `require`."""
    if node.type == "variable_declarator":
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        files, folders, package = _module(_source(value), path) if value else ((), (), "")
        yield Import(written(name) if name else "", files, "", folders, package=package)
        return
    source = _source(node)
    files, folders, package = _module(source, path)
    bound = list(_bound(node)) if node.type == "import_statement" else []
    for local, anchor in bound:
        yield Import(local, files, anchor, folders, package=package)
    if not bound:
        yield Import("", files, "", folders)


def _source(node: "Node") -> str:
    source = node.child_by_field_name("source")
    if source is None:
        arguments = node.child_by_field_name("arguments")
        source = arguments.named_child(0) if arguments else None
    return written(source).strip("\"'`") if source and source.type == "string" else ""


def _bound(node: "Node") -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds, each with the name of the symbol; a default's name is only here."""
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    for child in clause.named_children if clause else ():
        if child.type == "identifier":
            yield written(child), written(child)
        elif child.type == "namespace_import" and child.named_children:
            yield written(child.named_children[-1]), ""
        elif child.type == "named_imports":
            for each in child.named_children:
                name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                if name:
                    yield written(alias or name), written(name)


def _module(source: str, path: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Give the keys of a file, of the index of a folder, and the folder's name."""
    plain = (stem(source) if source.endswith(_ENDINGS) else source).removesuffix("/index")
    if source.startswith("."):
        folder = path.rpartition("/")[0]
        place = joined(folder, plain)
        if not place:
            index = module(_FAMILY, "/index") if joined(f"x/{folder}", plain) == "x" else ""
            return (), ((index,) if index else ()), ""
        return (module(_FAMILY, f"/{place}"),), (module(_FAMILY, f"/{place}/"),), place.rpartition("/")[2]
    places = list(_aliased(plain, path))
    files = tuple(module(_FAMILY, place) for place in places)
    return files, tuple(module(_FAMILY, f"{place}/") for place in places), plain.rpartition("/")[2] if files else ""


def _aliased(source: str, path: str) -> Iterator[str]:
    """Yield what an alias may stand for: `@/x` and `~/x` mean the folder of sources; else the folder has its name.

    One file's text does not tell what `tsconfig.json` says, but a path that ends like the import is hardly another one.
    """
    first, _, rest = source.partition("/")
    if first in {"@", "~", "#", "$lib", "src"} and rest:
        yield from (f"{'/' + base if base else ''}/src/{rest}" for base in above(path) if _has_src(base, path))
        yield f"/src/{rest}"
        yield f"/{rest}"
    elif first.startswith(("@", "~", "#")) and "/" in rest:
        yield f"{first[1:]}/{rest}" if first[1:] else rest
        yield rest
    elif rest and not first.startswith("node:"):
        yield source


def _has_src(base: str, path: str) -> bool:
    return bool(base) and path.startswith(f"{base}/src/")


def file_modules(path: str) -> Iterator[str]:
    """List the keys under which a file of this family is imported."""
    return modules(_FAMILY, path, {"index"})


def exported(seen: Seen) -> bool:
    """Tell whether something is exported: by the word, or as a member that is not hidden."""
    return seen.outer == "export_statement" or (
        bool(seen.inside) and not seen.name.startswith(("#", "_")) and not seen.signature.startswith("private")
    )


LANGUAGE = Language(
    grammar="tree_sitter_javascript.language",
    query=QUERY,
    imports=imports,
    modules=file_modules,
    exported=exported,
    constructors=frozenset({"constructor"}),
    builtins=BUILTINS,
)
