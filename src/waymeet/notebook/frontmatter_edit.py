"""Editing front matter as text, so that comments, formatting and unknown YAML stay.

Only the lines of a changed key are rewritten. The result is parsed again: all other keys must have the same values as
before. If that fails, because the YAML cannot be split at lines, the whole block is written from its values. If the
values still differ, the change is refused.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import UsageError
from waymeet.ingest.parse.metadata.frontmatter import FrontMatter, parse_front_matter

Value = str | int | float | bool | Sequence[str] | None
"""The value to set a key to, or None to remove it."""

_BLOCK = re.compile(r"\A---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"""^(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s"'#\[{-][^\n]*?))[ \t]*:(?=\s|$)""")
_PLAIN = re.compile(r"(?:[^\W\d_]|\.(?=\w*/)|\.(?=waymeet))[\w./()+ -]*(?<! )|\d{4}-\d\d-\d\d")
_WORDS = frozenset("true false null yes no on off y n".split())
_ESCAPED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_ESCAPED_OR_ALIAS = re.compile(rf"{_ESCAPED.pattern}|[&*]")
"""With & and * too, because the parser refuses front matter in which these look like aliases."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BOM = "\ufeff"


class _Parts(Struct, frozen=True):
    """The parts of a file's text."""

    before: str
    """A byte order mark, if there is one."""
    opening: str
    """The first fence as it is written, or empty without front matter."""
    yaml: str
    """The text between the fences, with line ends `\\n`."""
    closing: str
    body: str
    newline: str


def parse(text: str) -> FrontMatter:
    """Parse the front matter of a text with any line ends."""
    return parse_front_matter(text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n"))


def get_body(text: str) -> str:
    r"""Return the text after the front matter.

    >>> get_body("---\ntitle: A\n---\n\nText\n")
    'Text\n'
    """
    return _split(text).body.lstrip("\r\n")


def replace_body(text: str, body: str) -> str:
    r"""Replace the text after the front matter.

    >>> replace_body("---\ntitle: A\n---\nText\n", "Other")
    '---\ntitle: A\n---\n\nOther\n'
    """
    parts = _split(text)
    body = body.strip("\r\n")
    below = f"{body}{parts.newline}" if body else ""
    if not parts.opening:
        return parts.before + below
    head = _join(replace(parts, body=""), parts.yaml)
    ended = "" if head.endswith("\n") else parts.newline
    return head + ended + (f"{parts.newline}{below}" if below else "")


def keep_line_ends(before: str, after: str) -> str:
    """Give a new text the line ends and the byte order mark of the old one."""
    if "\r" not in after and before.partition("\n")[0].endswith("\r"):
        after = after.replace("\n", "\r\n")
    return f"{_BOM}{after}" if before.startswith(_BOM) and not after.startswith(_BOM) else after


def set_fields(text: str, changes: Mapping[str, Value]) -> str:
    r"""Set keys of the front matter, or remove them with None.

    >>> set_fields("---\n# mine\ntitle: 'A'   # so\nodd: {x: 1}\n---\nText\n", {"status": "done"})
    "---\n# mine\ntitle: 'A'   # so\nodd: {x: 1}\nstatus: done\n---\nText\n"
    >>> set_fields("Text\n", {"tags": ["a", "b: c"]})
    '---\ntags:\n  - a\n  - "b: c"\n---\n\nText\n'

    Raises:
        UsageError: the front matter cannot be parsed, or cannot be changed without changing other keys.
    """
    front, parts = parse(text), _split(text)
    if front.problem:
        raise UsageError(f"The item cannot be changed: its {front.problem}.", "Correct it in an editor first.")
    names = {key.lower(): key for key in front.values}
    values = dict(front.values)
    for key, value in changes.items():
        name = names.get(key.lower(), key)
        if value is None:
            values.pop(name, None)
        else:
            values[name] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    if repr(values) == repr(front.values):  # `repr`, because 1 == 1.0 == True and NaN != NaN
        return text
    named = {names.get(key.lower(), key): value for key, value in changes.items()}
    changed_keys = {key: value for key, value in named.items() if repr(values.get(key)) != repr(front.values.get(key))}
    for yaml in _candidates(parts.yaml, changed_keys, values):
        changed = _join(parts, yaml)
        parsed = parse(changed)
        if not parsed.problem and repr(parsed.values) == repr(values) and get_body(changed) == get_body(text):
            return changed
    raise UsageError("The YAML of the front matter cannot be changed safely.", "Change it in an editor.")


def _candidates(yaml: str, changes: Mapping[str, Value], values: Mapping[str, Any]) -> Iterator[str]:
    """Yield changed YAML, first with few changed lines, last as a new block of all values."""
    yield _change_lines(yaml, changes, _ESCAPED)
    yield _change_lines(yaml, changes, _ESCAPED_OR_ALIAS)
    import yaml12  # noqa: PLC0415 - hardly ever needed

    if values:
        yield f"{yaml12.format_yaml(dict(values))}\n".removeprefix("---\n")


def _change_lines(yaml: str, changes: Mapping[str, Value], escaped: re.Pattern[str]) -> str:
    new_keys = dict(changes)
    result: list[str] = []
    for key, lines in _split_keys(yaml):
        if key is None or key not in changes:
            result.extend(lines)
            continue
        value = new_keys.pop(key, None)
        if value is not None:
            result.append(_format_field(key, value, escaped))
        result.extend(_trailing_comments(lines))
    if result and not result[-1].endswith("\n"):
        result[-1] += "\n"
    added = (_format_field(key, value, escaped) for key, value in new_keys.items() if value is not None)
    return "".join((*result, *added))


def _split_keys(yaml: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the top-level keys with their lines, and None with the lines before the first key."""
    key: str | None = None
    lines: list[str] = []
    for line in _LINE.findall(yaml):
        match = _KEY.match(line)
        if match:
            if lines:
                yield key, lines
            key, lines = next(name for name in match.groups() if name is not None), []
        lines.append(line)
    if lines:
        yield key, lines


def _trailing_comments(lines: list[str]) -> list[str]:
    """Return the blank lines and comments after a value, which belong to the next key."""
    end = len(lines)
    while end > 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return lines[end:]


def _format_field(key: str, value: Value, escaped: re.Pattern[str]) -> str:
    name = _format_scalar(key, escaped)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return (
            f"{name}:\n" + "".join(f"  - {_format_scalar(item, escaped)}\n" for item in value)
            if value
            else f"{name}: []\n"
        )
    return f"{name}: {_format_scalar(value, escaped)}\n"


def _format_scalar(value: str | float | None, escaped: re.Pattern[str]) -> str:
    """Format a single value, in quotes and with escapes where YAML would read another value.

    >>> [_format_scalar(value, _ESCAPED) for value in ("plain words", "yes", "a: b", "設定", True)]
    ['plain words', '"yes"', '"a: b"', '設定', 'true']
    """
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return escaped.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(value, ensure_ascii=False))


def _split(text: str) -> _Parts:
    before = _BOM if text.startswith(_BOM) else ""
    content = text.removeprefix(_BOM)
    newline = "\r\n" if content.partition("\n")[0].endswith("\r") else "\n"
    block = _BLOCK.match(content)
    if block is None or not parse(text).lines:
        return _Parts(before, "", "", "", content, newline)
    start, end = block.span("yaml")
    yaml = content[start:end].replace("\r\n", "\n")
    return _Parts(before, content[:start], yaml, content[end : block.end()], content[block.end() :], newline)


def _join(parts: _Parts, yaml: str) -> str:
    yaml = yaml.replace("\n", parts.newline)
    if parts.opening:
        return parts.before + parts.opening + yaml + parts.closing + parts.body
    between = parts.newline if parts.body.strip() else ""
    return f"{parts.before}---{parts.newline}{yaml}---{parts.newline}{between}{parts.body}"
