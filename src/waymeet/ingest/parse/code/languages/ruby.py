"""Ruby: modules, classes, and files that others require."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from waymeet.ingest.parse.code.language import Definition, Import, Language
from waymeet.ingest.parse.code.modules import join_relative, module_key, stem
from waymeet.ingest.parse.code.node_text import node_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(program (assignment left: (constant) @name) @constant)
(body_statement (assignment left: (constant) @name) @constant)
(call !receiver method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @field)
  (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer"))
(class superclass: (superclass [(constant) (scope_resolution)] @extends))
(call !receiver method: (identifier) @_mixin arguments: (argument_list [(constant) (scope_resolution)] @implements)
  (#any-of? @_mixin "include" "extend" "prepend"))
(call !receiver method: (identifier) @call)
(call receiver: (_) @on method: (identifier) @call)
(body_statement (identifier) @bare)
(assignment left: [(identifier) (instance_variable)] @var
  right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new (#eq? @_new "new")))
(call !receiver method: (identifier) @_require arguments: (argument_list . (string))
  (#any-of? @_require "require" "require_relative" "load")) @import
(comment) @comment
"""
_STANDARD = frozenset(
    """
json set time date yaml csv erb uri net digest fileutils pathname tempfile ostruct optparse logger securerandom open3
socket stringio strscan bigdecimal benchmark forwardable singleton observer delegate English zlib openssl psych rake
rails active_support active_record rspec minitest bundler rubygems spec_helper rails_helper test_helper timeout
shellwords
""".split()
)
_BUILTINS = frozenset(
    """
puts print p pp require require_relative load include extend prepend attr_reader attr_writer attr_accessor raise lambda
proc private public protected module_function private_constant define_method alias_method loop format sprintf rand sleep
String Array Hash Integer Float Object Class Module Struct Comparable Enumerable Kernel StandardError ArgumentError
RuntimeError Set Time Date File Dir each map select reject reduce inject to_s to_i to_a to_h to_sym each_with_index
each_with_object is_a? respond_to? nil? empty? any? all? key? group_by sort_by flat_map freeze dup super yield
block_given? instance_variable_get instance_variable_set assert_equal assert_nil
""".split()
)


def imports(node: "Node", path: str) -> Iterable[Import]:
    """Parse a `require`, relative to the file's folder or to a folder of libraries."""
    method, arguments = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    source = arguments.named_child(0) if arguments else None
    target = node_text(source).strip("\"'") if source else ""
    plain = target.removesuffix(".rb")
    if method and node_text(method) == "require_relative":
        place = join_relative(path.rpartition("/")[0], plain)
        if place:
            yield Import("", (module_key("ruby", f"/{place}"),))
    elif plain and "#" not in plain and plain.partition("/")[0] not in _STANDARD and not plain.startswith("."):
        yield Import("", (module_key("ruby", plain),))


def modules(path: str) -> Iterator[str]:
    """List the keys of a file: its path, and its path below `lib` or similar."""
    module = stem(path)
    yield module_key("ruby", f"/{module}")
    parts = module.split("/")
    starts = [index + 1 for index, part in enumerate(parts[:-1]) if part in {"lib", "app", "models", "test", "spec"}]
    yield from dict.fromkeys(module_key("ruby", "/".join(parts[start:])) for start in starts or [0])


def _is_exported(definition: Definition) -> bool:
    return not definition.name.startswith("_")


LANGUAGE = Language(
    grammar="tree_sitter_ruby.language",
    query=QUERY,
    imports=imports,
    modules=modules,
    is_exported=_is_exported,
    selves=frozenset({"self"}),
    constructors=frozenset({"initialize"}),
    implicit_constructor="new",
    has_implicit_self=True,
    visibility="project",
    builtins=_BUILTINS,
)
