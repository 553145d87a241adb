"""Edits of JSON files with comments that keep all other text, byte for byte."""

import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}:/\"]+")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n\r]*?\*/[ \t]*)?(?=\r?\n|\Z)")
_MAX_DEPTH = 200


class MemberSpan(Struct, frozen=True):
    """The positions of a key and its value."""

    key: str
    begin: int
    """Start of the key."""
    value: int
    """Start of the value."""
    end: int
    """End of the value."""


class ObjectSpan(Struct, frozen=True):
    """The positions of an object and its members."""

    begin: int
    end: int
    """End of the closing brace."""
    members: tuple[MemberSpan, ...]


def loads(text: str) -> Any:  # noqa: ANN401 - any JSON value
    r"""Parse JSON with comments and trailing commas. An empty text gives an empty object.

    >>> loads('{"a": [1, 2,], // one\n "b": "//no comment"}')
    {'a': [1, 2], 'b': '//no comment'}
    """
    position = _skip_blank(text, 0)
    if position == len(text):
        return {}
    value, position = _parse_value(text, position, 0)
    if _skip_blank(text, position) != len(text):
        raise ValueError(f"unexpected text after the value in line {_line_number(text, position)}")
    return value


def with_value(text: str, path: Sequence[str], value: object) -> str:
    r"""Set the value at a path of keys. Missing objects are created.

    >>> print(with_value('{\n  "a": 1 // one\n}', ["b", "c"], "x"))
    {
      "a": 1, // one
      "b": {
        "c": "x"
      }
    }
    """
    loads(text)
    if _skip_blank(text, 0) == len(text):  # empty, or only comments
        above = text if not text.strip() or text.endswith("\n") else f"{text}\n"
        return f"{above}{_format_lines(_nest(path, value), '', '  ', _newline(text))}{_newline(text)}"
    span = _find_object(text, _skip_blank(text, 0))
    for depth, key in enumerate(path):
        matches = [member for member in span.members if member.key == key]
        if not matches:
            return _insert_member(text, span, key, _nest(path[depth + 1 :], value))
        last = matches[-1]  # of duplicate keys, parsers use the last
        if depth == len(path) - 1:
            if loads(text[last.value : last.end]) == value:
                return text
            return text[: last.value] + _format_value(value, text, last.begin) + text[last.end :]
        span = _find_object(text, last.value)
    return text


def without_value(text: str, path: Sequence[str]) -> str:
    r"""Remove the member at a path of keys, with its comma and its lines.

    >>> without_value('{\n  "a": 1,\n  "b": 2\n}', ["b"])
    '{\n  "a": 1\n}'
    """
    loads(text)
    if _skip_blank(text, 0) == len(text):
        return text
    span = _find_object(text, _skip_blank(text, 0))
    for key in path[:-1]:
        matches = [member for member in span.members if member.key == key]
        if not matches:
            return text
        span = _find_object(text, matches[-1].value)
    for index in reversed(range(len(span.members))):
        if span.members[index].key == path[-1]:
            text = _remove_member(text, span, index)
    return text


def _nest(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _insert_member(text: str, span: ObjectSpan, key: str, value: object) -> str:
    """Insert a member after the last one, formatted like the others."""
    newline = _newline(text)
    outer = _indentation(text, span.begin)
    if not span.members:
        inner = outer + _indent_step(text)
        member = f"{json.dumps(key, ensure_ascii=False)}: {_format_lines(value, inner, _indent_step(text), newline)}"
        comments = text[span.begin + 1 : span.end - 1].rstrip()
        return f"{text[: span.begin + 1]}{comments}{newline}{inner}{member}{newline}{outer}{text[span.end - 1 :]}"
    last = span.members[-1]
    comma = _comma_end(text, last.end)
    if newline[-1] not in text[span.begin : span.end]:  # all on one line
        member = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        position = comma or last.end
        return f"{text[:position]}{'' if comma else ','} {member}{text[position:]}"
    inner = _indentation(text, span.members[0].begin)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_format_lines(value, inner, _indent_step(text), newline)}"
    position = comma or last.end
    remainder = _REST_OF_LINE.match(text, position)
    behind = remainder.end() if remainder else position
    return f"{text[: last.end]}{'' if comma else ','}{text[last.end : behind]}{newline}{inner}{member}{text[behind:]}"


def _remove_member(text: str, span: ObjectSpan, index: int) -> str:
    """Remove a member with its comma, and with its lines if nothing else is on them."""
    member = span.members[index]
    end = _comma_end(text, member.end) or member.end
    # The comma before the last member is removed with it.
    before = _comma_end(text, span.members[index - 1].end) if index and end == member.end else 0
    line = text.rfind("\n", 0, member.begin)
    remainder = _REST_OF_LINE.match(text, end)
    if line >= 0 and remainder and not text[line : member.begin].strip():
        above = text[:line].removesuffix("\r")
        above = above[: before - 1] + above[before:] if before else above
        return above + text[remainder.end() :]
    if before:
        return text[: before - 1] + text[end:]
    return text[: member.begin] + text[end:].lstrip(" \t")


def _format_value(value: object, text: str, position: int) -> str:
    return _format_lines(value, _indentation(text, position), _indent_step(text), _newline(text))


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _format_lines(value: object, indent: str, step: str, newline: str) -> str:
    """Format an object on several lines, other values on one."""
    if isinstance(value, dict) and value:
        inner = indent + step
        members = (
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_format_lines(item, inner, step, newline)}"
            for key, item in value.items()
        )
        return "{" + newline + f",{newline}".join(members) + f"{newline}{indent}" + "}"
    return json.dumps(value, ensure_ascii=False)


def _indentation(text: str, position: int) -> str:
    """Return the indentation of the line at a position."""
    begin = text.rfind("\n", 0, position) + 1
    match = re.match(r"[ \t]*", text[begin:position])
    return match.group() if match else ""


def _indent_step(text: str) -> str:
    """Return the indentation step of the file."""
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "  "


def _comma_end(text: str, position: int) -> int:
    """Return the end of the comma after a value. 0 if there is none."""
    position = _skip_blank(text, position)
    return position + 1 if text[position : position + 1] == "," else 0


def _find_object(text: str, position: int) -> ObjectSpan:
    """Find the members of the object at a position."""
    if text[position : position + 1] != "{":
        raise ValueError(f"expected an object in line {_line_number(text, position)}")
    _, members, end = _parse_members(text, position, 0)
    return ObjectSpan(position, end, members)


def _parse_members(text: str, position: int, depth: int) -> tuple[dict[str, Any], tuple[MemberSpan, ...], int]:
    """Parse the object at a position. Return its values, its members and its end."""
    values: dict[str, Any] = {}
    members = []
    position = _skip_blank(text, position + 1)
    while text[position : position + 1] != "}":
        begin = position
        key, position = _parse_string(text, position)
        position = _skip_blank(text, position)
        if text[position : position + 1] != ":":
            raise ValueError(f"missing colon in line {_line_number(text, position)}")
        value = _skip_blank(text, position + 1)
        values[key], end = _parse_value(text, value, depth + 1)
        members.append(MemberSpan(key, begin, value, end))
        position = _skip_blank(text, end)
        if text[position : position + 1] == ",":
            position = _skip_blank(text, position + 1)
        elif text[position : position + 1] != "}":
            raise ValueError(f"missing comma or brace in line {_line_number(text, position)}")
    return values, tuple(members), position + 1


def _parse_value(text: str, position: int, depth: int) -> tuple[Any, int]:
    """Parse the value at a position. Return it with its end."""
    if depth > _MAX_DEPTH:
        raise ValueError("it is nested too deeply")
    first = text[position : position + 1]
    if first == '"':
        return _parse_string(text, position)
    if first == "{":
        values, _, end = _parse_members(text, position, depth)
        return values, end
    if first == "[":
        return _parse_items(text, position, depth)
    plain = _PLAIN.match(text, position)
    if not plain:
        raise ValueError(f"missing value in line {_line_number(text, position)}")
    return json.loads(plain.group()), plain.end()


def _parse_items(text: str, position: int, depth: int) -> tuple[list[Any], int]:
    items = []
    position = _skip_blank(text, position + 1)
    while text[position : position + 1] != "]":
        item, position = _parse_value(text, position, depth + 1)
        items.append(item)
        position = _skip_blank(text, position)
        if text[position : position + 1] == ",":
            position = _skip_blank(text, position + 1)
        elif text[position : position + 1] != "]":
            raise ValueError(f"missing comma or bracket in line {_line_number(text, position)}")
    return items, position + 1


def _parse_string(text: str, position: int) -> tuple[str, int]:
    match = _STRING.match(text, position)
    if not match:
        raise ValueError(f"missing or unterminated string in line {_line_number(text, position)}")
    return str(json.loads(match.group())), match.end()


def _skip_blank(text: str, position: int) -> int:
    """Skip white space and comments. Return the end."""
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _line_number(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
