"""Parser of YAML front matter in untrusted Markdown files."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

MAX_CHARS = 65_536
MAX_DEPTH = 100
_BLOCK = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_ANCHOR = re.compile(r"(?<!\w)&(?=\S)([\w-]*)")
_ALIAS = re.compile(r"(?<!\w)\*(?=\S)([\w-]*)")
_INDENTATION = re.compile(r"^[ \t]*(?:[-?:][ \t]+)*", re.MULTILINE)


class FrontMatter(Struct, frozen=True):
    """The values of front matter, and its extent in the file."""

    values: Mapping[str, Any] = {}
    lines: int = 0
    """Number of lines of the block."""
    end: int = 0
    """Offset of the first character after the block."""
    problem: str = ""
    """Error message if it could not be parsed; its lines then count as text."""


def parse_front_matter(text: str) -> FrontMatter:
    r"""Parse the front matter of a file. Errors are returned as `problem`, not raised.

    >>> parse_front_matter("---\ntitle: A\n---\nText").values
    {'title': 'A'}
    >>> parse_front_matter("---\ntitle: A: B\n---\nText").problem
    'front matter is not valid YAML (line 2)'
    """
    block = _BLOCK.match(text) if text.startswith("---") else None
    if block is None:
        return FrontMatter()
    lines = text.count("\n", 0, block.end()) + (block.end() == len(text) and not text.endswith("\n"))
    danger = _find_danger(block["yaml"])
    if danger:
        return FrontMatter({}, lines, block.end(), f"front matter {danger}")
    import yaml12  # noqa: PLC0415 - most files have none

    try:
        values = yaml12.parse_yaml(block["yaml"])
    except ValueError as error:
        return FrontMatter({}, lines, block.end(), _describe_error(error))
    if values is None:
        return FrontMatter({}, lines, block.end())
    if not isinstance(values, dict):
        return FrontMatter()  # text between two rules is valid YAML, a single string, but no front matter
    return FrontMatter({str(_strip_tag(key)): value for key, value in values.items()}, lines, block.end())


def iterate_texts(value: object) -> Iterator[str]:
    """Yield every value in a part of front matter as text.

    >>> list(iterate_texts([1, {"a": True, "b": None}, "x"]))
    ['1', 'true', 'x']
    """
    value = _strip_tag(value)
    if isinstance(value, dict):
        for item in value.values():
            yield from iterate_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from iterate_texts(item)
    elif isinstance(value, bool):
        yield str(value).lower()
    elif value is not None and str(value).strip():
        yield str(value).strip()


def split_list(value: object) -> tuple[str, ...]:
    """Read a list that may be one text, separated by commas or otherwise by spaces.

    >>> split_list("a, b c"), split_list("a b"), split_list(["x y", "z"])
    (('a', 'b c'), ('a', 'b'), ('x y', 'z'))
    """
    value = _strip_tag(value)
    if isinstance(value, str):
        parts = value.split(",") if "," in value else value.split()
        return tuple(part.strip() for part in parts if part.strip())
    return tuple(iterate_texts(value))


def flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Flatten nested values to texts: `a.b` for the key b of a, lists joined by commas.

    >>> dict(flatten({"a": {"b": 1}, "c": ["x", "y"], "d": None}))
    {'a.b': '1', 'c': 'x, y'}
    """
    for key, value in values.items():
        untagged = _strip_tag(value)
        if isinstance(untagged, dict):
            yield from flatten({str(_strip_tag(name)): each for name, each in untagged.items()}, f"{prefix}{key}.")
        elif text := ", ".join(iterate_texts(untagged)):
            yield f"{prefix}{key}", text


def _strip_tag(value: object) -> object:
    """Remove the wrapper that an unknown YAML tag leaves around a value."""
    return getattr(value, "value", value)


def _find_danger(yaml: str) -> str:
    """Return why a text must not be given to the YAML parser, empty if it may.

    A few bytes of aliases can expand to gigabytes, and deep nesting can exhaust the stack of the process.
    """
    if len(yaml) > MAX_CHARS:
        return f"is longer than {MAX_CHARS:,} characters"
    if not set(_ANCHOR.findall(yaml)).isdisjoint(_ALIAS.findall(yaml)):
        return "uses aliases (&name and *name)"
    if _estimate_depth(yaml) > MAX_DEPTH:
        return f"is nested more than {MAX_DEPTH} levels deep"
    return ""


def _estimate_depth(yaml: str) -> int:
    """Estimate the nesting depth of a text from its brackets and indentation."""
    deepest = depth = 0
    for bracket in re.findall(r"[\[\]{}]", yaml):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return max(deepest, max(map(len, _INDENTATION.findall(yaml)), default=0) // 2)


def _describe_error(error: ValueError) -> str:
    line = re.search(r"line (\d+)", str(error))
    where = f" (line {int(line[1]) + 1})" if line else ""
    return f"front matter is not valid YAML{where}"


def unique(words: Iterable[str]) -> tuple[str, ...]:
    """Remove duplicates, in the order of first occurrence."""
    return tuple(dict.fromkeys(words))
