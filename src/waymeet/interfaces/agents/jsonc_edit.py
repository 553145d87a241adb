"""Changing one value in a JSON file with comments, as text: all else stays as it was written, byte for byte."""

import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}:/\"]+")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n\r]*?\*/[ \t]*)?(?=\r?\n|\Z)")
_DEEPEST = 200


class Member(Struct, frozen=True):
    """A key with its value, and where they stand."""

    key: str
    begin: int
    """Where the key begins."""
    value: int
    """Where the value begins."""
    end: int
    """Behind the value."""


class Braces(Struct, frozen=True):
    """An object, and where it stands."""

    begin: int
    end: int
    """Behind the closing brace."""
    members: tuple[Member, ...]


def loads(text: str) -> Any:  # noqa: ANN401 - whatever the file holds
    r"""Read JSON with comments and trailing commas; an empty text is an empty object.

    >>> loads('{"a": [1, 2,], // one\n "b": "//no comment"}')
    {'a': [1, 2], 'b': '//no comment'}
    """
    at = _blank(text, 0)
    if at == len(text):
        return {}
    value, at = _value(text, at, 0)
    if _blank(text, at) != len(text):
        raise ValueError(f"something follows the value, in line {_line(text, at)}")
    return value


def with_value(text: str, path: Sequence[str], value: object) -> str:
    r"""Set the value at a path of keys; objects on the way that are missing are made.

    >>> print(with_value('{\n  "a": 1 // one\n}', ["b", "c"], "x"))
    {
      "a": 1, // one
      "b": {
        "c": "x"
      }
    }
    """
    loads(text)
    if _blank(text, 0) == len(text):  # empty, or comments only
        above = text if not text.strip() or text.endswith("\n") else f"{text}\n"
        return f"{above}{_lines(_nested(path, value), '', '  ', _newline(text))}{_newline(text)}"
    braces = _object(text, _blank(text, 0))
    for depth, key in enumerate(path):
        found = [member for member in braces.members if member.key == key]
        if not found:
            return _inserted(text, braces, key, _nested(path[depth + 1 :], value))
        last = found[-1]  # of a key that stands there twice, readers take the last
        if depth == len(path) - 1:
            if loads(text[last.value : last.end]) == value:
                return text
            return text[: last.value] + _written(value, text, last.begin) + text[last.end :]
        braces = _object(text, last.value)
    return text


def without_value(text: str, path: Sequence[str]) -> str:
    r"""Take out the member at a path of keys, with its comma and its lines; what is not there stays away.

    >>> without_value('{\n  "a": 1,\n  "b": 2\n}', ["b"])
    '{\n  "a": 1\n}'
    """
    loads(text)
    if _blank(text, 0) == len(text):
        return text
    braces = _object(text, _blank(text, 0))
    for key in path[:-1]:
        found = [member for member in braces.members if member.key == key]
        if not found:
            return text
        braces = _object(text, found[-1].value)
    for place in reversed(range(len(braces.members))):
        if braces.members[place].key == path[-1]:
            text = _removed(text, braces, place)
    return text


def _nested(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _inserted(text: str, braces: Braces, key: str, value: object) -> str:
    """Put a member behind the last one, in the manner of those that are there."""
    newline = _newline(text)
    outer = _indent(text, braces.begin)
    if not braces.members:
        inner = outer + _step(text)
        member = f"{json.dumps(key, ensure_ascii=False)}: {_lines(value, inner, _step(text), newline)}"
        held = text[braces.begin + 1 : braces.end - 1].rstrip()  # comments
        return f"{text[: braces.begin + 1]}{held}{newline}{inner}{member}{newline}{outer}{text[braces.end - 1 :]}"
    last = braces.members[-1]
    comma = _comma(text, last.end)
    if newline[-1] not in text[braces.begin : braces.end]:  # all on one line
        member = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        at = comma or last.end
        return f"{text[:at]}{'' if comma else ','} {member}{text[at:]}"
    inner = _indent(text, braces.members[0].begin)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_lines(value, inner, _step(text), newline)}"
    at = comma or last.end
    rest = _REST_OF_LINE.match(text, at)
    behind = rest.end() if rest else at
    return f"{text[: last.end]}{'' if comma else ','}{text[last.end : behind]}{newline}{inner}{member}{text[behind:]}"


def _removed(text: str, braces: Braces, place: int) -> str:
    """Cut a member out with its comma, and with its lines if it has them for itself."""
    member = braces.members[place]
    end = _comma(text, member.end) or member.end
    before = _comma(text, braces.members[place - 1].end) if place and end == member.end else 0
    """Behind the comma that goes because nothing follows it any more."""
    line = text.rfind("\n", 0, member.begin)
    rest = _REST_OF_LINE.match(text, end)
    if line >= 0 and rest and not text[line : member.begin].strip():
        kept = text[:line].removesuffix("\r")
        kept = kept[: before - 1] + kept[before:] if before else kept
        return kept + text[rest.end() :]
    if before:
        return text[: before - 1] + text[end:]
    return text[: member.begin] + text[end:].lstrip(" \t")


def _written(value: object, text: str, at: int) -> str:
    return _lines(value, _indent(text, at), _step(text), _newline(text))


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _lines(value: object, indent: str, step: str, newline: str) -> str:
    """Write a value over several lines, lists of plain values on one."""
    if isinstance(value, dict) and value:
        inner = indent + step
        members = (
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_lines(each, inner, step, newline)}"
            for key, each in value.items()
        )
        return "{" + newline + f",{newline}".join(members) + f"{newline}{indent}" + "}"
    return json.dumps(value, ensure_ascii=False)


def _indent(text: str, at: int) -> str:
    """Give the white space that the line of a place begins with."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.match(r"[ \t]*", text[begin:at])
    return found.group() if found else ""


def _step(text: str) -> str:
    """Guess by how much the file indents."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _comma(text: str, at: int) -> int:
    """Say where the comma behind a value ends; 0 if there is none."""
    at = _blank(text, at)
    return at + 1 if text[at : at + 1] == "," else 0


def _object(text: str, at: int) -> Braces:
    """Find out where the members of the object that begins here stand."""
    if text[at : at + 1] != "{":
        raise ValueError(f"in line {_line(text, at)} stands no object")
    _, members, end = _members(text, at, 0)
    return Braces(at, end, members)


def _members(text: str, at: int, depth: int) -> tuple[dict[str, Any], tuple[Member, ...], int]:
    """Read the object that begins here: its values, where its members stand, and where it ends."""
    values: dict[str, Any] = {}
    members = []
    at = _blank(text, at + 1)
    while text[at : at + 1] != "}":
        begin = at
        key, at = _string(text, at)
        at = _blank(text, at)
        if text[at : at + 1] != ":":
            raise ValueError(f"in line {_line(text, at)} a colon is missing")
        value = _blank(text, at + 1)
        values[key], end = _value(text, value, depth + 1)
        members.append(Member(key, begin, value, end))
        at = _blank(text, end)
        if text[at : at + 1] == ",":
            at = _blank(text, at + 1)
        elif text[at : at + 1] != "}":
            raise ValueError(f"in line {_line(text, at)} a comma or brace is missing")
    return values, tuple(members), at + 1


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """Read the value that begins here; say where it ends."""
    if depth > _DEEPEST:
        raise ValueError("it is nested too deep")
    first = text[at : at + 1]
    if first == '"':
        return _string(text, at)
    if first == "{":
        values, _, end = _members(text, at, depth)
        return values, end
    if first == "[":
        return _items(text, at, depth)
    plain = _PLAIN.match(text, at)
    if not plain:
        raise ValueError(f"in line {_line(text, at)} a value is missing")
    return json.loads(plain.group()), plain.end()


def _items(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items = []
    at = _blank(text, at + 1)
    while text[at : at + 1] != "]":
        item, at = _value(text, at, depth + 1)
        items.append(item)
        at = _blank(text, at)
        if text[at : at + 1] == ",":
            at = _blank(text, at + 1)
        elif text[at : at + 1] != "]":
            raise ValueError(f"in line {_line(text, at)} a comma or bracket is missing")
    return items, at + 1


def _string(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if not found:
        raise ValueError(f"in line {_line(text, at)} a string is missing or not closed")
    return str(json.loads(found.group())), found.end()


def _blank(text: str, at: int) -> int:
    """Step over white space and comments."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
