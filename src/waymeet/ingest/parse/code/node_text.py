"""How names and declarations are written: text of nodes, brought into one form for all languages."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_SIGNATURE = 300
_LONGEST_HEAD = 4 * LONGEST_SIGNATURE
"""Bytes of a declaration that are looked at."""
_LONGEST_NAME = 200
ENDLESS = "…()"
"""Stands for what is too long to be a name."""
_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")
_SEPARATORS = re.compile(r"::|->|\?\.|\\|/|#|\s*\.\s*")
_KEPT = re.compile(r"[^\w.$?!=<>+\-*/%~^&|\[\]`]+")
_MISSING = frozenset({"", "None", "null", "undefined"})
_TAIL = re.compile(r"\s(?:end|#\s.*|//\s.*)$")
"""What stands behind a declaration that has no body: the end of one, or a comment."""
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]")


def written(node: "Node") -> str:
    """Give the text of a node."""
    text = node.text
    return text.decode("utf-8", "replace") if text else ""


def word(node: "Node") -> str:
    """Give the text of a node that should be a name, unless it is far too long for one.

    A chain of thousands of calls holds all that is before each of them: reading it all for each would take forever.
    """
    start, end = node.byte_range
    return written(node) if end - start <= _LONGEST_NAME else ENDLESS


def plain_name(text: str) -> str:
    r"""Bring a name into the form that all languages share: parts between dots, without arguments of types.

    >>> plain_name("std::vector<int>"), plain_name("*Store[K, V]"), plain_name("App\\Shop"), plain_name("List<A<B>>")
    ('std.vector', 'Store', 'App.Shop', 'List')
    """
    text = text[:_LONGEST_NAME]
    if not text.isidentifier():
        before = ""
        while before != text:
            before, text = text, _ARGUMENTS.sub("", text)
        text = _SEPARATORS.sub(".", text)
        text = text.strip("*&?!:@.`\"' \t\n")
        text = text.split()[-1] if text.split() else ""
    return text


def type_name(text: str) -> str:
    """Give the name of a type without saying that it may be missing.

    >>> type_name("Store | None"), type_name("Optional[Store]"), type_name("&'a mut Store"), type_name('"Store"')
    ('Store', 'Store', 'Store', 'Store')
    """
    text = text[:_LONGEST_NAME].strip("\"' ")
    if text.startswith("Optional[") and text.endswith("]"):
        text = text[len("Optional[") : -1]
    if "|" in text:
        text = next((part for each in text.split("|") if (part := each.strip()) not in _MISSING), "")
    return plain_name(text)


def head(node: "Node", captured: "dict[str, list[Node]]", text: bytes) -> str:
    """Give a declaration on one line: everything before its body."""
    bodies = captured.get("body")
    body = bodies[0] if bodies else node.child_by_field_name("body")
    start, end = node.byte_range
    end = min(body.start_byte if body else end, start + _LONGEST_HEAD)
    line = " ".join(text[start:end].decode("utf-8", "replace").split())
    if body is None and "{" in line:
        line = line.partition("{")[0] or line
    line = _TAIL.sub("", line).rstrip(" {:=;")
    return line if len(line) <= LONGEST_SIGNATURE else line[: LONGEST_SIGNATURE - 1] + "…"


def telling(name: str) -> bool:
    """Tell whether a name has at least two words, so that it hardly means two things.

    >>> telling("merge_ranked"), telling("mergeRanked"), telling("merge"), telling("_merge")
    (True, True, False, False)
    """
    return bool(_HUMPS.search(name))
