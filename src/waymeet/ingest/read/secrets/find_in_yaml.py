"""Finding secrets in YAML values of several lines, and in the data of Kubernetes secrets."""

import re
from collections.abc import Iterator

from waymeet.ingest.read.secrets import value_tests as values
from waymeet.ingest.read.secrets.spans import Span, find_line_start

_BLOCK_START = re.compile(
    rb"[\w\"'-]{0,24}[ \t]{0,4}:[ \t]{0,4}(?:[>|][+-]?\d?[+-]?)?[ \t]{0,4}(?:\#[^\n]{0,100})?\r?\n"
)
"""The rest of a line whose value is on the following, deeper indented lines."""
_INDENT = re.compile(rb"(?P<indent>[ \t]{0,60})(?:-[ ]{1,3})?[\w.\"'-]{0,60}\Z")
_LINE = re.compile(rb"(?P<indent>[ \t]{0,80})(?P<value>[^\n\r]*)\r?(?:\n|\Z)")
_SECRET_KIND = re.compile(rb"(?m)^[ \t]{0,20}[\"']?kind[\"']?:[ \t]{0,4}[\"']?Secret[\"']?,?[ \t]*\r?$")
_SECRET_DATA = re.compile(rb"(?m)^(?P<indent>[ \t]{0,20})(?:data|stringData):[ \t]*\r?\n")
_ENTRY = re.compile(rb"[ \t]*[\w.\"'-]{1,120}:[ \t]{1,8}[\"']?(?P<value>[^\s\"'#][^\n\r\"']*)")
_MAX_LINES, _MAX_NAME = 200, 200
_BLOCK_SIGN = re.compile(rb"[>|][+-]?\d?[+-]?")


def find_in_block(raw: bytes, position: int) -> Iterator[Span]:
    """Find the lines of a value below the name at a position."""
    start = _BLOCK_START.match(raw, position)
    if start:
        begin = find_line_start(raw, position, _MAX_NAME)
        line = _INDENT.match(raw, begin, position) if begin >= 0 else None
        if line:
            yield from _find_in_block(raw, start.end(), len(line["indent"]))


def find_in_manifests(raw: bytes, lower: bytes) -> Iterator[Span]:
    """Find the data of Kubernetes secrets."""
    if b"kind" in lower and b"secret" in lower and b"data" in lower:
        for kind in _SECRET_KIND.finditer(raw):
            yield from _find_in_manifest(raw, kind.start())


def _find_in_block(raw: bytes, position: int, indent: int) -> Iterator[Span]:
    """Find the lines of a value that are indented deeper than its name."""
    lines = []
    for _ in range(_MAX_LINES):
        line = _LINE.match(raw, position)
        if not line or line.end() == position or (line["value"] and len(line["indent"]) <= indent):
            break
        if line["value"].strip():
            lines.append(line)
        position = line.end()
    text = b" ".join(line["value"].strip() for line in lines)
    if not lines or not _is_secret_block(text, len(lines)):
        return
    for line in lines:
        value = line["value"].rstrip()
        yield line.start("value"), line.start("value") + len(value)


def _is_secret_block(text: bytes, lines: int) -> bool:
    """Return whether the lines below a name are a value, not entries or a list."""
    if re.search(rb"(?:^| )[\w.\"'-]{1,60}:(?: |$)", text) or text.startswith((b"- ", b"$ANSIBLE", b"{{", b"-----")):
        return False
    if values.is_placeholder(text) or values.is_template(text, is_strict=False):
        return False
    words = text.split()
    return len(words) == lines or values.is_passphrase(text)


def _find_in_manifest(raw: bytes, kind: int) -> Iterator[Span]:
    """Find the values of a Kubernetes secret in the document around its `kind`."""
    start = raw.rfind(b"\n---", 0, kind) + 1
    end = raw.find(b"\n---", kind)
    end = len(raw) if end < 0 else end
    for data in _SECRET_DATA.finditer(raw, start, end):
        position, indent = data.end(), len(data["indent"])
        while line := _LINE.match(raw, position, end):
            if line.end() == position or (line["value"] and len(line["indent"]) <= indent):
                break
            entry = _ENTRY.match(raw, position, line.end())
            if entry and _is_secret_entry(entry["value"].rstrip()):
                yield entry.start("value"), entry.start("value") + len(entry["value"].rstrip())
            elif not entry and line["value"].strip():
                yield line.start("value"), line.start("value") + len(line["value"].rstrip())
            position = line.end()


def _is_secret_entry(value: bytes) -> bool:
    return not _BLOCK_SIGN.fullmatch(value) and not values.is_template(value, is_strict=False) and len(value) >= 4
