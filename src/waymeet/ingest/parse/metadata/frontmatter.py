"""The YAML block at the top of a Markdown file, read without trusting it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

LARGEST = 65_536
DEEPEST = 100
_BLOCK = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_ANCHOR = re.compile(r"(?<!\w)&(?=\S)([\w-]*)")
_ALIAS = re.compile(r"(?<!\w)\*(?=\S)([\w-]*)")
_LEAD = re.compile(r"^[ \t]*(?:[-?:][ \t]+)*", re.MULTILINE)


class FrontMatter(Struct, frozen=True):
    """What the front matter says and how much of the file it takes."""

    values: Mapping[str, Any] = {}
    lines: int = 0
    """Lines that are not Markdown."""
    end: int = 0
    """The character behind them."""
    problem: str = ""
    """Why it could not be read; its lines are then text like any other."""


def parse_front_matter(text: str) -> FrontMatter:
    r"""Read the front matter of a file. Anything wrong with it is said, never raised.

    >>> parse_front_matter("---\ntitle: A\n---\nText").values
    {'title': 'A'}
    >>> parse_front_matter("---\ntitle: A: B\n---\nText").problem
    'front matter is not valid YAML (line 2)'
    """
    block = _BLOCK.match(text) if text.startswith("---") else None
    if block is None:
        return FrontMatter()
    lines = text.count("\n", 0, block.end()) + (block.end() == len(text) and not text.endswith("\n"))
    danger = _danger(block["yaml"])
    if danger:
        return FrontMatter({}, lines, block.end(), f"front matter {danger}")
    import yaml12  # noqa: PLC0415 - most files have none

    try:
        values = yaml12.parse_yaml(block["yaml"])
    except ValueError as error:
        return FrontMatter({}, lines, block.end(), _complaint(error))
    if values is None:
        return FrontMatter({}, lines, block.end())
    if not isinstance(values, dict):
        return FrontMatter()  # text between two rules is YAML, too, but a single string: no front matter was meant
    return FrontMatter({str(_untagged(key)): value for key, value in values.items()}, lines, block.end())


def iterate_texts(value: object) -> Iterator[str]:
    """Yield every value in a piece of front matter as text.

    >>> list(iterate_texts([1, {"a": True, "b": None}, "x"]))
    ['1', 'true', 'x']
    """
    value = _untagged(value)
    if isinstance(value, dict):
        for each in value.values():
            yield from iterate_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from iterate_texts(each)
    elif isinstance(value, bool):
        yield str(value).lower()
    elif value is not None and str(value).strip():
        yield str(value).strip()


def split_list(value: object) -> tuple[str, ...]:
    """Read a list that may be written as one text, parted by commas or else by spaces.

    >>> split_list("a, b c"), split_list("a b"), split_list(["x y", "z"])
    (('a', 'b c'), ('a', 'b'), ('x y', 'z'))
    """
    value = _untagged(value)
    if isinstance(value, str):
        parts = value.split(",") if "," in value else value.split()
        return tuple(part.strip() for part in parts if part.strip())
    return tuple(iterate_texts(value))


def flattened(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield nested values as flat text: `a.b` for the key b of a, lists joined by commas.

    >>> dict(flattened({"a": {"b": 1}, "c": ["x", "y"], "d": None}))
    {'a.b': '1', 'c': 'x, y'}
    """
    for key, value in values.items():
        plain = _untagged(value)
        if isinstance(plain, dict):
            yield from flattened({str(_untagged(name)): each for name, each in plain.items()}, f"{above}{key}.")
        elif text := ", ".join(iterate_texts(plain)):
            yield f"{above}{key}", text


def _untagged(value: object) -> object:
    """Take the value out of the wrapper that an unknown YAML tag leaves around it."""
    return getattr(value, "value", value)


def _danger(yaml: str) -> str:
    """Say what makes a text unfit for the parser, if anything does.

    A few bytes of aliases can stand for gigabytes, and deep nesting can exhaust the stack of the whole process.
    """
    if len(yaml) > LARGEST:
        return f"is longer than {LARGEST:,} characters"
    if not set(_ANCHOR.findall(yaml)).isdisjoint(_ALIAS.findall(yaml)):
        return "uses aliases (&name and *name)"
    if _depth(yaml) > DEEPEST:
        return f"is nested more than {DEEPEST} levels deep"
    return ""


def _depth(yaml: str) -> int:
    """Estimate how deeply a text is nested, from brackets and from what stands before the first word of each line."""
    deepest = depth = 0
    for bracket in re.findall(r"[\[\]{}]", yaml):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return max(deepest, max(map(len, _LEAD.findall(yaml)), default=0) // 2)


def _complaint(error: ValueError) -> str:
    line = re.search(r"line (\d+)", str(error))
    where = f" (line {int(line[1]) + 1})" if line else ""
    return f"front matter is not valid YAML{where}"


def unique(words: Iterable[str]) -> tuple[str, ...]:
    """Keep the first of each."""
    return tuple(dict.fromkeys(words))
