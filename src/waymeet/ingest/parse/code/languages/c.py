"""C: functions, types, macros and includes."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.analysis import file_name_key, path_key
from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import join_relative, module_key
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

SHARED = """
(function_definition declarator: [(function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]) @function
(declaration declarator: [(function_declarator declarator: (identifier) @name) @declared
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name) @declared)]) @function
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @union
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(type_definition declarator: [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)]) @type
(preproc_def name: (identifier) @name value: (_)) @constant
(enumerator name: (identifier) @field)
(field_declaration declarator: [(field_identifier) @field (_ declarator: (field_identifier) @field)])
(translation_unit (declaration declarator: (init_declarator declarator: [(identifier) @field
  (_ declarator: (identifier) @field)])))
(preproc_function_def name: (identifier) @name) @macro
(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @on field: (field_identifier) @call))
(preproc_include) @import
(comment) @comment
"""
BUILTINS = frozenset(
    """
printf fprintf sprintf snprintf vsnprintf puts putchar scanf sscanf malloc calloc realloc free memcpy memmove memset
memcmp strlen strcmp strncmp strcpy strncpy strcat strchr strrchr strstr strdup strtol strtoul atoi exit abort assert
fopen fclose fread fwrite fgets fputs fflush fseek ftell getenv qsort bsearch isalpha isdigit isspace toupper tolower
open close read write sizeof offsetof va_start va_end va_arg defined NULL errno perror time main
""".split()
)
_SYSTEM = frozenset("sys linux bits asm net netinet arpa boost gtest gmock Windows openssl curl SDL2 GL".split())


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Parse an include: relative to the file's folder, by the end of its path, or by its name."""
    source = node.child_by_field_name("path")
    text = node_text(source) if source else ""
    target = text.strip('"<>')
    name = target.rpartition("/")[2]
    if not target or (text.startswith("<") and ("/" not in target or target.partition("/")[0] in _SYSTEM)):
        return
    place = join_relative(path.rpartition("/")[0], target)
    end = (module_key("c", target),) if "/" in target and not target.startswith(".") else ()
    near = (path_key(place), file_name_key(name)) if text.startswith('"') and place else ()
    if end or near:
        yield Import("", (*near[:1], *end, *near[1:]))


def modules(path: str) -> Iterator[str]:
    """List the ends of a header's path with its extension, as includes write it."""
    parts = path.split("/")
    if path.endswith((".h", ".hpp", ".hh", ".hxx", ".inc", ".ipp")):
        yield from (module_key("c", "/".join(parts[-length:])) for length in range(2, min(len(parts), 5) + 1))


def is_exported(definition: Definition) -> bool:
    """Check whether a definition is visible in other files."""
    return not definition.signature.startswith("static ")


LANGUAGE = Language(
    grammar="tree_sitter_c.language",
    query=SHARED,
    imports=imports,
    modules=modules,
    is_exported=is_exported,
    selves=frozenset(),
    visibility="project",
    builtins=BUILTINS,
)
