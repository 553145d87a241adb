"""Changing front matter as text, so that nothing is lost that we do not understand.

Only the lines of a changed key are written anew; all others, with their comments and their way of writing, stay. Every
change is checked by reading the result: what was not to be changed must have the same values as before. If the YAML is
written in a way that this cannot cope with, the whole block is written anew from its values, and if even that does not
give the same values, the change is refused.
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
"""What a key can be set to; None removes it."""

_BLOCK = re.compile(r"\A---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"""^(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s"'#\[{-][^\n]*?))[ \t]*:(?=\s|$)""")
_PLAIN = re.compile(r"(?:[^\W\d_]|\.(?=\w*/)|\.(?=waymeet))[\w./()+ -]*(?<! )|\d{4}-\d\d-\d\d")
_WORDS = frozenset("true false null yes no on off y n".split())
_HARD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_HARDER = re.compile(rf"{_HARD.pattern}|[&*]")
"""Front matter in which these seem to be aliases is not read."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BOM = "\ufeff"


class _Parts(Struct, frozen=True):
    """A file's text, taken apart."""

    before: str
    """A byte order mark, if there is one."""
    opening: str
    """The first fence as it is written; empty if there is no front matter."""
    yaml: str
    """What stands between the fences, with plain ends of lines."""
    closing: str
    body: str
    newline: str


def read(text: str) -> FrontMatter:
    """Read the front matter of a text, whatever ends its lines."""
    return parse_front_matter(text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n"))


def body_of(text: str) -> str:
    r"""Give the text behind the front matter.

    >>> body_of("---\ntitle: A\n---\n\nText\n")
    'Text\n'
    """
    return _parted(text).body.lstrip("\r\n")


def with_body(text: str, body: str) -> str:
    r"""Replace everything behind the front matter.

    >>> with_body("---\ntitle: A\n---\nText\n", "Other")
    '---\ntitle: A\n---\n\nOther\n'
    """
    parts = _parted(text)
    body = body.strip("\r\n")
    below = f"{body}{parts.newline}" if body else ""
    if not parts.opening:
        return parts.before + below
    head = _joined(replace(parts, body=""), parts.yaml)
    ended = "" if head.endswith("\n") else parts.newline
    return head + ended + (f"{parts.newline}{below}" if below else "")


def with_fields(text: str, changes: Mapping[str, Value]) -> str:
    r"""Set keys of the front matter, or remove those that are to be None.

    >>> with_fields("---\n# mine\ntitle: 'A'   # so\nodd: {x: 1}\n---\nText\n", {"status": "done"})
    "---\n# mine\ntitle: 'A'   # so\nodd: {x: 1}\nstatus: done\n---\nText\n"
    >>> with_fields("Text\n", {"tags": ["a", "b: c"]})
    '---\ntags:\n  - a\n  - "b: c"\n---\n\nText\n'

    Raises:
        UsageError: the front matter cannot be read, or cannot be changed without changing more.
    """
    front, parts = read(text), _parted(text)
    if front.problem:
        raise UsageError(f"It cannot be changed: its {front.problem}.", "Correct it in an editor first.")
    names = {key.lower(): key for key in front.values}
    wanted = dict(front.values)
    for key, value in changes.items():
        name = names.get(key.lower(), key)
        if value is None:
            wanted.pop(name, None)
        else:
            wanted[name] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    if repr(wanted) == repr(front.values):  # 1, 1.0 and true are different things to write, and a NaN is itself
        return text
    for yaml in _attempts(parts.yaml, {names.get(key.lower(), key): value for key, value in changes.items()}, wanted):
        made = _joined(parts, yaml)
        again = read(made)
        if not again.problem and repr(again.values) == repr(wanted) and body_of(made) == body_of(text):
            return made
    raise UsageError("Its front matter is written in a way that cannot be changed safely.", "Change it in an editor.")


def _attempts(yaml: str, changes: Mapping[str, Value], wanted: Mapping[str, Any]) -> Iterator[str]:
    """Try to change some lines; else write all of it anew."""
    yield _changed(yaml, changes, _HARD)
    yield _changed(yaml, changes, _HARDER)
    import yaml12  # noqa: PLC0415 - hardly ever needed

    if wanted:
        yield f"{yaml12.format_yaml(dict(wanted))}\n".removeprefix("---\n")


def _changed(yaml: str, changes: Mapping[str, Value], hard: re.Pattern[str]) -> str:
    left = dict(changes)
    written: list[str] = []
    for key, lines in _items(yaml):
        if key is None or key not in changes:
            written.extend(lines)
            continue
        value = left.pop(key, None)
        if value is not None:
            written.append(_entry(key, value, hard))
        written.extend(_trailing(lines))
    if written and not written[-1].endswith("\n"):
        written[-1] += "\n"
    return "".join((*written, *(_entry(key, value, hard) for key, value in left.items() if value is not None)))


def _items(yaml: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the keys of the outermost level with their lines; what stands before the first has no key."""
    key: str | None = None
    lines: list[str] = []
    for line in _LINE.findall(yaml):
        found = _KEY.match(line)
        if found:
            if lines:
                yield key, lines
            key, lines = next(name for name in found.groups() if name is not None), []
        lines.append(line)
    if lines:
        yield key, lines


def _trailing(lines: list[str]) -> list[str]:
    """Keep the blank lines and comments that follow a value: they belong to the next one."""
    end = len(lines)
    while end > 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return lines[end:]


def _entry(key: str, value: Value, hard: re.Pattern[str]) -> str:
    name = _scalar(key, hard)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"{name}:\n" + "".join(f"  - {_scalar(each, hard)}\n" for each in value) if value else f"{name}: []\n"
    return f"{name}: {_scalar(value, hard)}\n"


def _scalar(value: str | float | None, hard: re.Pattern[str]) -> str:
    """Write a single value: as it is if that is no other value, else in quotes, with escapes for what is hard to write.

    >>> [_scalar(value, _HARD) for value in ("plain words", "yes", "a: b", "設定", True)]
    ['plain words', '"yes"', '"a: b"', '設定', 'true']
    """
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return hard.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(value, ensure_ascii=False))


def _parted(text: str) -> _Parts:
    before = _BOM if text.startswith(_BOM) else ""
    rest = text.removeprefix(_BOM)
    newline = "\r\n" if rest.partition("\n")[0].endswith("\r") else "\n"
    block = _BLOCK.match(rest)
    if block is None or not read(text).lines:
        return _Parts(before, "", "", "", rest, newline)
    start, end = block.span("yaml")
    yaml = rest[start:end].replace("\r\n", "\n")
    return _Parts(before, rest[:start], yaml, rest[end : block.end()], rest[block.end() :], newline)


def _joined(parts: _Parts, yaml: str) -> str:
    yaml = yaml.replace("\n", parts.newline)
    if parts.opening:
        return parts.before + parts.opening + yaml + parts.closing + parts.body
    between = parts.newline if parts.body.strip() else ""
    return f"{parts.before}---{parts.newline}{yaml}---{parts.newline}{between}{parts.body}"
