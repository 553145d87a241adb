"""Description of a programming language: a grammar, a query and rules beyond the query."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Node

CLASSLIKE = frozenset("class interface trait struct enum union object module type extension".split())
"""Kinds of symbols that have members."""
ABSTRACT = frozenset({"interface", "trait"})
"""Kinds of symbols that others implement."""
CALLABLE = frozenset("function method constructor property macro".split())
"""Kinds of symbols in which definitions are local, except functions in long ones (`symbols.MIN_OUTER_LINES`)."""
KINDS = CLASSLIKE | CALLABLE | {"constant"}
"""Every kind of symbol; in a language's query, each is the name of the capture that marks its definition."""


class Import(NamedTuple):
    """An imported name, or an imported file as a whole.

    An import without keys and package comes from outside of the project.
    """

    local: str = ""
    """Its name in the importing file, if it has one."""
    refs: tuple[str, ...] = ()
    """Keys of the files that it may come from, the best first."""
    anchor: str = ""
    """The imported symbol of that file; empty for the file as a whole."""
    folders: tuple[str, ...] = ()
    """Keys of index files of a folder, which may reexport symbols of other files in it."""
    inner: tuple[str, ...] = ()
    """Keys of the files that it comes from if the name is that of a module, not of a symbol."""
    package: str = ""
    """The package or folder, with dots; its symbols have the keys `s:package.Name`, too."""
    is_wildcard: bool = False
    """Whether it imports all names of the package."""
    is_callable: bool = False
    """Whether the file as a whole may be a function or class, which has the local name, as in CommonJS."""


class Definition(NamedTuple):
    """Properties of a definition by which a language decides whether it is exported."""

    name: str
    kind: str
    signature: str
    outer: str
    """Type of the enclosing node that belongs to it, such as `export_statement`."""
    inside: str
    """Kind of the symbol of which it is a member; empty at the top level."""


def _no_imports(_node: "Node", _path: str) -> Iterable[Import]:
    return ()


def _no_keys(_path: str) -> Iterable[str]:
    return ()


def _always(_definition: Definition) -> bool:
    return True


def _extend_first(owner: str, _base: str, index: int) -> str:
    return "extends" if owner == "class" and not index else "implements"


class Language(Struct, frozen=True):
    """Rules to find symbols and links in the source code of one language.

    Captures of the query:

    - a kind of `KINDS`: a definition, with its `@name` and, if it is outside of its class, the `@owner`;
      `@declared`: a declaration whose definition is elsewhere;
    - `@scope` with `@name`: adds members to a type, but is no symbol; `@namespace`: only qualifies names;
    - `@outer`: belongs to the definition that begins in it (decorators, `export`); `@local`: its content is local;
    - `@comment` before a definition documents it, `@attribute` belongs to it, `@doc` inside documents it, too;
    - `@field`: the name of an attribute, field or enum member of the enclosing definition, or of a small constant;
    - `@exported`: the name of a symbol of the file that is exported elsewhere than at its definition;
    - `@import`: a node for `imports`; `@package`: the package of the file;
    - `@extends`, `@implements`, `@inherits` (one of the two, decided by `inherits`): a base class of `@owner` or of
      the enclosing definition;
    - `@call`: the name of the callee, `@on` the expression before it; `@make`: a type that is instantiated;
      `@bare`: a name that may be a call or a variable;
    - `@var` has type `@type`, which resolves calls on it.
    """

    grammar: str
    """Module and function of the grammar, such as `tree_sitter_go.language`."""
    query: str
    imports: "Callable[[Node, str], Iterable[Import]]" = _no_imports
    """Parses an `@import` in the file of that path."""
    modules: Callable[[str], Iterable[str]] = _no_keys
    """Lists the keys by which other files import the file of that path (see `modules`)."""
    is_exported: Callable[[Definition], bool] = _always
    inherits: Callable[[str, str, int], str] = _extend_first
    """Decides between `extends` and `implements` by the kind of the class, the name of the base and its index."""
    selves: frozenset[str] = frozenset({"this"})
    """Names of a method's own object or class."""
    parents: frozenset[str] = frozenset({"super"})
    """Names of a method's base class."""
    own_exports: frozenset[str] = frozenset()
    """Names of the object with everything that the file exports."""
    roots: frozenset[str] = frozenset()
    """First parts of paths that lead to names of the project."""
    constructors: frozenset[str] = frozenset()
    implicit_constructor: str = ""
    """The method that creates objects, if every class has it without a definition."""
    has_free_functions: bool = True
    """Whether functions may be defined outside of classes."""
    has_implicit_self: bool = False
    """Whether a method can call other methods of its class by name alone."""
    visibility: str = "file"
    """Where names are visible without an import: in the `file`, the `package` or the `project`."""
    builtins: frozenset[str] = frozenset()
    """Names that never belong to the project."""
