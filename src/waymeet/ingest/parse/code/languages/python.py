"""Python: modules by absolute and relative imports, classes, functions, constants."""

import builtins
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import list_module_keys, module_key
from waymeet.ingest.parse.code.node_text import node_text
from waymeet.ingest.parse.references.paths import parent_folders

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(decorated_definition) @outer
(decorated_definition (decorator (identifier) @_decorator) definition: (function_definition name: (identifier) @name
  body: (_) @body) (#any-of? @_decorator "property" "cached_property")) @property
(lambda) @local
(module (expression_statement (assignment left: (identifier) @name) @constant) (#not-match? @name "^__"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @constant))
  (#match? @name "^[A-Z][A-Z0-9_]*$"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @field))))
(function_definition name: (identifier) @_init body: (block (expression_statement (assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @field)))) (#eq? @_init "__init__")
  (#eq? @_self "self"))
(type_alias_statement left: (type (identifier) @name)) @type
(class_definition superclasses: (argument_list [(identifier) (attribute)] @extends))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @extends)))
(call function: (identifier) @call)
(call function: (attribute object: (_) @on attribute: (identifier) @call))
(decorator (identifier) @call)
(typed_parameter . (identifier) @var type: (type) @type)
(typed_default_parameter name: (identifier) @var type: (type) @type)
(assignment left: [(identifier) (attribute)] @var right: (call function: [(identifier) (attribute)] @type))
(assignment left: [(identifier) (attribute)] @var type: (type) @type)
(assignment left: (attribute) @var right: (identifier) @type)
[(import_statement) (import_from_statement)] @import
(class_definition body: (block . (expression_statement (string) @doc)))
(function_definition body: (block . (expression_statement (string) @doc)))
(comment) @comment
"""
_BUILTINS = frozenset(dir(builtins))
_COMMON = """
Any Generic Protocol NamedTuple TypedDict ABC Enum IntEnum StrEnum Struct TestCase dataclass field property staticmethod
classmethod setUp tearDown setUpClass tearDownClass assertEqual assertNotEqual assertTrue assertFalse assertIs
assertIsNot
assertIsNone assertIsNotNone assertIn assertNotIn assertIsInstance assertNotIsInstance assertRaises assertRaisesRegex
assertRaisesMessage assertWarns assertWarnsRegex assertLogs assertNoLogs assertAlmostEqual assertGreater assertLess
assertGreaterEqual assertLessEqual assertRegex assertCountEqual assertListEqual assertDictEqual assertSetEqual
assertTupleEqual assertSequenceEqual assertMultiLineEqual subTest skipTest addCleanup fail is_file is_dir read_text
write_text read_bytes write_bytes as_posix with_name with_suffix relative_to assert_called_once_with assert_called_once
assert_called_with assert_not_called
"""
_OUTSIDE = frozenset(
    """
numpy pandas scipy matplotlib torch tensorflow jax sklearn requests httpx aiohttp flask django fastapi starlette
pydantic
pytest hypothesis sqlalchemy click typer rich yaml attr attrs msgspec six setuptools pkg_resources numba PIL cv2 redis
celery boto3 botocore google grpc jinja2 werkzeug lxml bs4 mock nose tqdm psycopg2 psycopg MySQLdb cx_Oracle oracledb
typing_extensions dateutil pytz cryptography docutils sphinx ruff mypy black
""".split()
)


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Parse an absolute or relative import."""
    if node.type == "import_statement":
        for name in node.children_by_field_name("name"):
            dotted, alias = _split_alias(name)
            # `import a.b` binds `a`, but uses of it are written with the full name of the module.
            files, folders = _module(dotted, path)
            package = dotted.rpartition(".")[2] if folders else ""
            yield Import(alias or dotted, files, "", folders, package=package)
        return
    source = node.child_by_field_name("module_name")
    dotted = "".join(node_text(source).split()) if source else ""
    files, folders = _module(dotted, path)
    package = dotted.rstrip(".").rpartition(".")[2] or path.rpartition("/")[0].rpartition("/")[2]
    if any(child.type == "wildcard_import" for child in node.children):
        yield Import("", files, "", folders, is_wildcard=bool(files))
        return
    for name in node.children_by_field_name("name"):
        symbol, alias = _split_alias(name)
        if not folders:
            yield Import(alias or symbol)
            continue
        submodule = f"{dotted}{symbol}" if dotted.endswith(".") else f"{dotted}.{symbol}"
        inner = _module(submodule, path)
        yield Import(alias or symbol, files, symbol, folders, (*inner[0], *inner[1]), package)


def _split_alias(node: "Node") -> tuple[str, str]:
    if node.type == "aliased_import":
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        return node_text(name) if name else "", node_text(alias) if alias else ""
    return node_text(node), ""


def _module(dotted: str, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of a module as a file and as a folder with `__init__.py`."""
    name = dotted.lstrip(".")
    inside = name.replace(".", "/")
    if dots := len(dotted) - len(name):
        folders = list(parent_folders(path))
        if dots > len(folders):
            return (), ()
        place = "/".join(filter(None, (folders[dots - 1], inside)))
        return ((module_key("python", f"/{place}"),) if inside else ()), (module_key("python", f"/{place}/"),)
    first = name.partition(".")[0]
    within = first in path.split("/")[:-1]
    if first in sys.stdlib_module_names or not first:
        return (), ()
    if "/" in inside:
        return (module_key("python", inside),), (module_key("python", f"{inside}/"),)
    # A single name begins where Python looks for modules, which may be any folder above or `src`.
    places = dict.fromkeys((*parent_folders(path), "src"))
    if within:
        parts = path.split("/")
        places = dict.fromkeys(("/".join(parts[: parts.index(first)]),))
    paths = ["/".join(filter(None, (place, inside))) for place in list(places)[:6]]
    # A popular package is hardly a module of the project, but the project may be that package.
    files = tuple(module_key("python", f"/{each}") for each in paths if within or first not in _OUTSIDE)
    return files, tuple(module_key("python", f"/{each}/") for each in paths)


def _modules(path: str) -> Iterator[str]:
    return list_module_keys("python", path, {"__init__"})


def _is_exported(definition: Definition) -> bool:
    return not definition.name.startswith("_") or (definition.name.startswith("__") and definition.name.endswith("__"))


LANGUAGE = Language(
    grammar="tree_sitter_python.language",
    query=QUERY,
    imports=imports,
    modules=_modules,
    is_exported=_is_exported,
    selves=frozenset({"self", "cls"}),
    constructors=frozenset({"__init__"}),
    builtins=_BUILTINS | frozenset(_COMMON.split()),
)
