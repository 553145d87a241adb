"""What a language is to us: a grammar, a query that marks what matters, and a few rules that no query can tell."""

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
"""Kinds of symbols inside which everything else is local."""
KINDS = CLASSLIKE | CALLABLE | {"constant"}
"""Every kind of symbol; in a language's query, each is the name of the capture that marks its definition."""


class Import(NamedTuple):
    """A name that a file brings in from elsewhere, or a file that it brings in as a whole.

    One without keys and package comes from outside of the project: nothing here is meant by its name.
    """

    local: str = ""
    """What it is called here, if it has a name here."""
    refs: tuple[str, ...] = ()
    """Keys of the files that may be meant, the best first."""
    anchor: str = ""
    """The symbol of that file which is meant, if not the file as a whole."""
    folders: tuple[str, ...] = ()
    """Keys of files that stand for a folder. They hand on what others of the folder define."""
    inner: tuple[str, ...] = ()
    """Keys of the files that are meant if the name turns out to be that of a module, not of a symbol."""
    package: str = ""
    """The package or folder that is meant, with dots: its files are known by `s:package.Name`, too."""
    everything: bool = False
    """Whether all names of the package can be used as if they were defined here."""


class Seen(NamedTuple):
    """What tells whether a symbol is exported."""

    name: str
    kind: str
    signature: str
    outer: str
    """The type of the node around it that belongs to it, such as `export_statement`."""
    inside: str
    """The kind of the symbol it is a member of, empty at the top of the file."""


def _no_imports(_node: "Node", _path: str) -> Iterable[Import]:
    return ()


def _no_keys(_path: str) -> Iterable[str]:
    return ()


def _everything(_seen: Seen) -> bool:
    return True


def _class_first(owner: str, _base: str, index: int) -> str:
    return "extends" if owner == "class" and not index else "implements"


class Language(Struct, frozen=True):
    """How symbols and edges are found in the source code of one language.

      The query names what it captures:

      - a kind of `KINDS`: a definition, with its `@name` and, if it stands outside, the `@owner` it is a member of;
        `@declared`: it is defined elsewhere;
      - `@scope` with `@name`: adds members to a type, but is no symbol itself; `@namespace`: only lends its name;
      - `@outer`: belongs to the definition that begins in it (decorators, `export`); `@local`: all in it is local;
    - `@comment` before a definition documents it, `@attribute` belongs to it, `@doc` in it documents it, too;
    - `@import`: a node for `imports`; `@package`: the name of the package that the file is part of;
      - `@extends`, `@implements`, `@inherits` (either: `inherits` tells): a base, of `@owner` or of what is around it;
      - `@call`: the name of what is called, `@on` what stands before it; `@make`: a type that an object is made of;
        `@bare`: a name that may be called or not;
      - `@var` is of type `@type`, so that what is called on it is known.
    """

    grammar: str
    """The module of the grammar, and the function that gives it: `tree_sitter_go.language`."""
    query: str
    imports: "Callable[[Node, str], Iterable[Import]]" = _no_imports
    """Reads an `@import` in the file of that path."""
    modules: Callable[[str], Iterable[str]] = _no_keys
    """Lists the keys under which files import the file of that path (see `keys`)."""
    exported: Callable[[Seen], bool] = _everything
    inherits: Callable[[str, str, int], str] = _class_first
    """Tells `extends` from `implements` by the kind of the heir, the name of the base and its place."""
    selves: frozenset[str] = frozenset({"this"})
    """How a method calls its own object or class."""
    parents: frozenset[str] = frozenset({"super"})
    """How a method calls what its class builds upon."""
    roots: frozenset[str] = frozenset()
    """How a path begins that leads to a name of the project."""
    constructors: frozenset[str] = frozenset()
    birth: str = ""
    """The method that makes an object, where every class has it although none defines it."""
    free: bool = True
    """Whether functions may stand outside of classes."""
    implicit: bool = False
    """Whether a method calls its neighbours by name alone."""
    reach: str = "file"
    """Whose names are known without being imported: those of the `file`, of the `package`, or of the `project`."""
    builtins: frozenset[str] = frozenset()
    """Names that are never those of the project."""
