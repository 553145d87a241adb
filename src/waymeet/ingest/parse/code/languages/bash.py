"""Bash and other shells: functions and sourced scripts."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from waymeet.analysis import file_name_key, path_key
from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import join_relative
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(function_definition name: (word) @name) @function
(program (declaration_command ["readonly" "export" "declare"] (variable_assignment name:
  (variable_name) @name)) @constant)
(program (variable_assignment name: (variable_name) @field))
(command name: (command_name (word) @call))
(command name: (command_name (word) @_source) argument: (_) (#any-of? @_source "source" ".")) @import
(comment) @comment
"""
_BUILTINS = frozenset(
    """
source . cd echo printf read test export local declare readonly set unset shift return exit eval exec trap wait kill
true false pwd pushd popd type command builtin let alias ls cp mv rm mkdir rmdir cat grep sed awk cut sort uniq head
tail tr wc find xargs tee touch chmod chown ln date sleep basename dirname realpath readlink env which sudo curl wget
tar gzip unzip git make cmake docker kubectl python python3 pip node npm npx go cargo java ssh scp rsync diff patch jq
mktemp apt-get systemctl ps
""".split()
)
_COMPUTED = re.compile(r"\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\$\{[^{}]*\}|\$\w+|[\"']")


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Parse a `source` command. A computed folder is taken for that of the script."""
    argument = node.child_by_field_name("argument")
    target = _COMPUTED.sub("", node_text(argument)).lstrip("/") if argument else ""
    place = join_relative(path.rpartition("/")[0], target) if target else ""
    if place and "$" not in target:
        name = target.rpartition("/")[2]
        yield Import("", tuple(dict.fromkeys((path_key(place), path_key(target.lstrip("./")), file_name_key(name)))))


def _is_exported(definition: Definition) -> bool:
    return not definition.name.startswith("_")


LANGUAGE = Language(
    grammar="tree_sitter_bash.language",
    query=QUERY,
    imports=imports,
    is_exported=_is_exported,
    selves=frozenset(),
    visibility="project",
    builtins=_BUILTINS,
)
