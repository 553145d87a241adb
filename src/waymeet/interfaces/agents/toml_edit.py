"""Changing one table in a TOML file, as text: all else stays as it was written, byte for byte."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

_HEADER = re.compile(r"[ \t]*\[(?P<name>[^\[\]]+)\][ \t]*(?:#.*)?")
_ANY_HEADER = re.compile(r"[ \t]*\[")
_KEY = re.compile(r"[A-Za-z0-9_-]+")


def loads(text: str) -> dict[str, Any]:
    """Read TOML."""
    return tomllib.loads(text.removeprefix("\ufeff"))


def with_table(text: str, path: Sequence[str], values: Mapping[str, str | float | Sequence[str]]) -> str:
    r"""Set keys of a table; those it has besides stay, and a table that is missing comes at the end.

    >>> print(with_table("a = 1\n", ["mcp_servers", "x"], {"command": "x", "args": ["y"]}))
    a = 1
    <BLANKLINE>
    [mcp_servers.x]
    command = "x"
    args = ["y"]
    <BLANKLINE>
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(newline)
    at = next((number for number, line in enumerate(lines) if _names(line, path)), None)
    if at is None:
        block = [f"[{'.'.join(map(_key, path))}]", *(f"{key} = {_written(value)}" for key, value in values.items()), ""]
        above = text if not text or text.endswith(newline) else text + newline
        return above + (newline if above.strip() else "") + newline.join(block)
    for key, value in reversed(list(values.items())):
        end = next((n for n in range(at + 1, len(lines)) if _ANY_HEADER.match(lines[n])), len(lines))
        old = next((n for n in range(at + 1, end) if re.match(rf"[ \t]*{re.escape(key)}[ \t]*=", lines[n])), None)
        if old is None:
            lines.insert(at + 1, f"{key} = {_written(value)}")
        elif loads(lines[old]) != {key: value if isinstance(value, (str, float)) else list(value)}:
            lines[old] = f"{key} = {_written(value)}{remark(lines[old])}"
    return newline.join(lines)


def remark(line: str) -> str:
    """Give the comment at the end of a line with the space before it, empty if there is none.

    >>> remark('a = 1 # one'), remark('a = "# one"')
    (' # one', '')
    """
    found = re.search(r"[ \t]+#[^\"']*\Z", line)
    return found[0] if found else ""


def without_table(text: str, path: Sequence[str]) -> str:
    r"""Take out a table and those below it, with the comments inside; a comment above it stays.

    >>> without_table("a = 1\n\n[x.y]\nb = 2\n[x.y.z]\nc = 3\n\n[w]\n", ["x", "y"])
    'a = 1\n\n[w]\n'
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    kept: list[str] = []
    inside = False
    for line in text.split(newline):
        if _ANY_HEADER.match(line):
            inside = _names(line, path, below=True)
        if not inside:
            kept.append(line)
    result = newline.join(kept)
    return result if result == text or not kept or kept[-1] == "" else result + newline


def _names(line: str, path: Sequence[str], *, below: bool = False) -> bool:
    """Tell whether a line is the header of a table, or of one below it."""
    found = _HEADER.fullmatch(line.rstrip("\r"))
    if not found:
        return False
    parts = [part.strip().strip("\"'") for part in found["name"].split(".")]
    return parts == list(path) or (below and parts[: len(path)] == list(path))


def _key(name: str) -> str:
    return name if _KEY.fullmatch(name) else json.dumps(name)


def _written(value: str | float | Sequence[str]) -> str:
    """Write a string, a number or a list of strings: what JSON makes of them is TOML, too."""
    if isinstance(value, (str, float)):
        return json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(json.dumps(each, ensure_ascii=False) for each in value)}]"
