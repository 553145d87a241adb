"""Rust: modules by `mod` and `use`, methods in `impl` blocks, traits."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import list_module_keys, module_key
from waymeet.ingest.parse.code.node_text import node_text
from waymeet.ingest.parse.references.paths import parent_folders

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(union_item name: (type_identifier) @name) @union
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name body: (_)) @module
(macro_definition name: (identifier) @name) @macro
[(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @constant
(field_declaration name: (field_identifier) @field)
(enum_variant name: (identifier) @field)
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @scope
(impl_item trait: (_) @implements type: (_) @owner)
(trait_item name: (_) @owner bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)
  (generic_type)] @extends))
(closure_expression) @local
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @on name: (identifier) @call))
(call_expression function: (field_expression value: (_) @on field: (field_identifier) @call))
(struct_expression name: (type_identifier) @call)
(macro_invocation macro: (identifier) @call)
(parameter pattern: (identifier) @var type: [(type_identifier) (reference_type) (generic_type)] @type)
(let_declaration pattern: (identifier) @var type: [(type_identifier) (reference_type) (generic_type)] @type)
(let_declaration pattern: (identifier) @var
  value: (call_expression function: (scoped_identifier path: (identifier) @type)))
(let_declaration pattern: (identifier) @var value: (struct_expression name: (type_identifier) @type))
(field_declaration name: (field_identifier) @var type: [(type_identifier) (generic_type)] @type)
[(use_declaration) (mod_item !body)] @import
[(line_comment) (block_comment)] @comment
(attribute_item) @attribute
"""
_BUILTINS = frozenset(
    """
Some None Ok Err Box Vec String Option Result Rc Arc RefCell Cell HashMap HashSet BTreeMap Default Debug Clone Copy
PartialEq Eq Hash Ord PartialOrd Display From Into Iterator IntoIterator AsRef Drop Error Send Sync Sized Fn FnMut
FnOnce
println print format panic assert assert_eq assert_ne vec write writeln eprintln todo unimplemented unreachable matches
debug_assert include_str concat env line file cfg dbg to_string to_owned as_str as_ref as_mut as_bytes unwrap_or
unwrap_or_else unwrap_or_default map_err and_then or_else is_some is_none is_ok is_err is_empty into_iter iter_mut
push_str ok_or ok_or_else with_capacity or_insert or_insert_with or_default filter_map flat_map take_while starts_with
ends_with clone default from into sort_by sort_by_key contains_key get_mut to_vec
""".split()
)
_ROOTS = frozenset({"lib", "main", "mod"})
_OUTSIDE = frozenset(
    """
std core alloc proc_macro test serde serde_json serde_derive tokio anyhow thiserror clap log tracing rand regex futures
async_trait chrono itertools once_cell lazy_static bytes hyper reqwest axum rayon libc bitflags syn quote proc_macro2
""".split()
)


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Parse a `use` with all its branches, or a `mod` in another file."""
    if node.type == "mod_item":
        name = node.child_by_field_name("name")
        place = "/".join(filter(None, (_inside(path), node_text(name) if name else "")))
        yield Import(node_text(name) if name else "", _file(place), folders=_folder(place))
        return
    argument = node.child_by_field_name("argument")
    for parts, alias in _branches(node_text(argument).removeprefix("::")) if argument else ():
        yield from _parse_use(parts, alias, path)


def _parse_use(parts: list[str], alias: str, path: str) -> Iterator[Import]:
    base, below = _split_base(parts, path)
    last = parts[-1]
    local = alias or last
    if base is None:
        yield Import("" if last == "*" else local)
        return
    *inside, _ = below or [""]
    place = "/".join(filter(None, (base, *inside)))
    refs = (*_file(place), *_folder(place)) if inside else _root(base)
    if base.startswith("@"):  # the name of another crate, or of a module of this file
        near = "/".join(filter(None, (_inside(path), base[1:], *inside)))
        refs = (*_file(near), *_folder(near), *refs)
    package = place.rpartition("/")[2]
    if last == "*":
        yield Import("", refs, is_wildcard=True)
    elif last == "self":
        yield Import(alias or (inside[-1] if inside else ""), refs)
    else:
        inner = "/".join(filter(None, (place, last)))
        # A type of an inline module, or a variant of an enum, belongs to the file one step up.
        nearby = _file(place.rpartition("/")[0]) if len(inside) > 1 else ()
        yield Import(local, (*refs, *nearby), last, inner=(*_file(inner), *_folder(inner)), package=package)


def _split_base(parts: list[str], path: str) -> tuple[str | None, list[str]]:
    """Split a path into its base folder and the parts below it.

    The base is None for an external crate, and `@name` for a crate or module of that name.
    """
    first, below = parts[0], parts[1:]
    if first == "crate":
        return _crate(path), below
    if first in {"self", "super"}:
        base = _inside(path)
        while below and first == "super":
            base = base.rpartition("/")[0]
            if below[0] != "super":
                break
            below = below[1:]
        return base, below
    if first in _OUTSIDE or len(parts) == 1:
        return None, []
    return f"@{first}", below


def _crate(path: str) -> str:
    return next(
        (folder for folder in parent_folders(path) if folder.rpartition("/")[2] == "src"), path.rpartition("/")[0]
    )


def _inside(path: str) -> str:
    """Return the folder of the modules inside of a file."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".rs")
    return folder if stem in _ROOTS else "/".join(filter(None, (folder, stem)))


def _place(place: str) -> str:
    """Write a folder as in keys: from the root, or as the end of a path for a named crate."""
    return place[1:] if place.startswith("@") else f"/{place}"


def _file(place: str) -> tuple[str, ...]:
    return (module_key("rust", _place(place)),) if place.strip("@") else ()


def _folder(place: str) -> tuple[str, ...]:
    return (module_key("rust", f"{_place(place)}/"),)


def _root(base: str) -> tuple[str, ...]:
    """Return the keys of the file of a crate or module."""
    if base.startswith("@"):
        return (module_key("rust", f"{base[1:]}/"),)
    names = ("/".join(filter(None, (base, name))) for name in ("lib", "main", "mod"))
    return (module_key("rust", f"/{base}"), *(module_key("rust", f"/{name}") for name in names))


def _branches(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the paths in `a::{b, c::{d as e, *}}`, with their aliases."""
    pending, count = [("", text.strip())], 0
    while pending and count < 500:
        count += 1
        prefix, branch = pending.pop()
        before, brace, inside = branch.partition("{")
        if not brace:
            name, _, alias = branch.partition(" as ")
            parts = [part.strip() for part in f"{prefix}{name}".split("::") if part.strip()]
            if parts:
                yield parts, alias.strip()
            continue
        pending += [(prefix + before.strip(), each) for each in _split_commas(inside.rpartition("}")[0])]


def _split_commas(text: str) -> list[str]:
    """Split a text at the commas that are not inside of braces."""
    parts, depth, first = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            parts.append(text[first:index])
            first = index + 1
    return [each.strip() for each in (*parts, text[first:]) if each.strip()]


def modules(path: str) -> Iterator[str]:
    """List the keys of a file: its path, and its path in the crate named after its folder."""
    yield from (key for key in list_module_keys("rust", path, {"mod"}) if key.startswith("m:rust:/"))
    parts = path.removesuffix(".rs").split("/")
    if "src" in parts[1:]:
        src = len(parts) - 1 - parts[::-1].index("src")
        crate = parts[src - 1].replace("-", "_") if src else ""
        inside = parts[src + 1 :]
        if crate and inside:
            if inside[-1] in _ROOTS:
                yield module_key("rust", "/".join((crate, *inside[:-1])) + "/")
            else:
                yield module_key("rust", "/".join((crate, *inside)))


def _is_exported(definition: Definition) -> bool:
    return definition.signature.startswith("pub") or definition.inside == "trait" or definition.kind == "macro"


LANGUAGE = Language(
    grammar="tree_sitter_rust.language",
    query=QUERY,
    imports=imports,
    modules=modules,
    is_exported=_is_exported,
    selves=frozenset({"self", "Self"}),
    roots=frozenset({"crate", "super"}),
    builtins=_BUILTINS,
)
