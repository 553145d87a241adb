"""Text of syntax nodes: names and declarations in one form for all languages."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE_CHARS = 300
_MAX_DECLARATION_BYTES = 4 * MAX_SIGNATURE_CHARS
"""Bytes of a declaration that are read."""
_MAX_NAME_CHARS = 200
TOO_LONG = "…()"
"""Placeholder for a text that is too long for a name."""
_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")
_SEPARATORS = re.compile(r"::|->|\?\.|\\|/|#|\s*\.\s*")
_MISSING = frozenset({"", "None", "null", "undefined"})
_DECLARATION_END = re.compile(r"\s(?:end|#\s.*|//\s.*)$")
"""Text after a declaration without a body: `end`, or a comment."""
_WORD_BOUNDARY = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]")


def node_text(node: "Node") -> str:
    """Return the text of a node."""
    text = node.text
    return text.decode("utf-8", "replace") if text else ""


def name_text(node: "Node") -> str:
    """Return the text of a node that should be a name, or `TOO_LONG`.

    In a chain of thousands of calls each node contains all calls before it; reading all of them would take quadratic
    time.
    """
    start, end = node.byte_range
    return node_text(node) if end - start <= _MAX_NAME_CHARS else TOO_LONG


@lru_cache(maxsize=20_000)
def normalise_name(text: str) -> str:
    r"""Normalise a name for all languages: parts separated by dots, without type arguments.

    >>> (normalise_name("std::vector<int>"), normalise_name("*Store[K, V]"), normalise_name("App\\Shop"),
    ...  normalise_name("List<A<B>>"))
    ('std.vector', 'Store', 'App.Shop', 'List')
    """
    text = text[:_MAX_NAME_CHARS]
    if not text.isidentifier():
        before = ""
        while before != text:
            before, text = text, _ARGUMENTS.sub("", text)
        text = _SEPARATORS.sub(".", text)
        text = text.strip("*&?!:@.`\"' \t\n")
        text = text.split()[-1] if text.split() else ""
    return text


def normalise_type(text: str) -> str:
    """Normalise the name of a type, without the marks of optional types and references.

    >>> (normalise_type("Store | None"), normalise_type("Optional[Store]"), normalise_type("&'a mut Store"),
    ...  normalise_type('"Store"'))
    ('Store', 'Store', 'Store', 'Store')
    """
    text = text[:_MAX_NAME_CHARS].strip("\"' ")
    if text.startswith("Optional[") and text.endswith("]"):
        text = text[len("Optional[") : -1]
    if "|" in text:
        text = next((part for each in text.split("|") if (part := each.strip()) not in _MISSING), "")
    return normalise_name(text)


def format_signature(node: "Node", captures: "dict[str, list[Node]]", text: bytes) -> str:
    """Return a declaration on one line, without its body."""
    bodies = captures.get("body")
    body = bodies[0] if bodies else node.child_by_field_name("body")
    start, end = node.byte_range
    end = min(body.start_byte if body else end, start + _MAX_DECLARATION_BYTES)
    line = " ".join(text[start:end].decode("utf-8", "replace").split())
    if body is None and "{" in line:
        line = line.partition("{")[0] or line
    line = _DECLARATION_END.sub("", line).rstrip(" {:=;")
    return line if len(line) <= MAX_SIGNATURE_CHARS else line[: MAX_SIGNATURE_CHARS - 1] + "…"


def is_specific(name: str) -> bool:
    """Check whether a name has at least two words, so that it is hardly ambiguous.

    >>> is_specific("merge_ranked"), is_specific("mergeRanked"), is_specific("merge"), is_specific("_merge")
    (True, True, False, False)
    """
    return bool(_WORD_BOUNDARY.search(name))
