"""Finding secrets in the columns of tables: Markdown, CSV, tab-separated."""

import re
from collections.abc import Iterator

from waymeet.ingest.read.secrets import value_tests as values
from waymeet.ingest.read.secrets.spans import Span, find_line_end, find_line_start

_HEADER = re.compile(
    rb"""[\s"'`*]*(?:[\w -]{0,24}[ _-])?
    (?:pass(?:word|wd|phrase|code)?s?|pwd|pw|secret(?:[ _-]?key)?|token|(?:api|access|private|secret|auth)[ _-]?key
      |credentials?|passwort|kennwort|contrase\xc3\xb1a|mot[ _]de[ _]passe|mdp|senha|"""
    + "パスワード|密码|密碼|口令|비밀번호|пароль|トークン|密钥".encode()
    + rb""")
    (?:[ _-]?(?:value|text|plain|\([^)]{0,20}\)))?[\s"'`*]*""",
    re.VERBOSE | re.IGNORECASE,
)
"""The heading of a column of secrets."""
_USER = re.compile(
    rb"user|login|account|e-?mail|benutzer|konto|utilisateur|usuario|host|service|server|dienst", re.IGNORECASE
)
"""The heading of a column beside which values are real accounts."""
_RULE = re.compile(rb"[\s|:+=-]+")
"""The line below the header of a Markdown table."""
_SEPARATORS = (b"|", b"\t", b";", b",")
_MAX_ROWS = 5_000
_MAX_HEADER = 2_000


def find_in_column(raw: bytes, position: int) -> Iterator[Span]:
    """Find secrets in the column whose heading is at a position."""
    start = find_line_start(raw, position, _MAX_HEADER)
    header = raw[start : find_line_end(raw, start, _MAX_HEADER)] if start >= 0 else b""
    separator = next((sign for sign in _SEPARATORS if sign in header), b"")
    if separator and len(header) < _MAX_HEADER:
        yield from _find_below(raw, start, header, separator)


def _find_below(raw: bytes, start: int, line: bytes, separator: bytes) -> Iterator[Span]:
    header = [cell for _, cell in _cells(start, line, separator)]
    columns = [index for index, cell in enumerate(header) if _HEADER.fullmatch(cell)]
    if not columns or len(header) < 2:
        return
    has_users = any(_USER.search(cell) for cell in header)
    for _ in range(_MAX_ROWS):
        start += len(line) + 1
        line = raw[start : find_line_end(raw, start)]
        cells = list(_cells(start, line, separator))
        if len(cells) != len(header):
            return
        if _RULE.fullmatch(line):
            continue
        for index in columns:
            position, cell = cells[index]
            value = cell.strip(b" \t\r\"'`*")
            if value and _is_secret_cell(value, has_users=has_users):
                offset = position + cell.find(value)
                yield offset, offset + len(value)


def _is_secret_cell(value: bytes, *, has_users: bool) -> bool:
    if values.is_placeholder(value) or values.is_template(value, is_strict=False) or len(value) < 4:
        return False
    if b" " in value:
        return value.islower() and values.is_passphrase(value)
    return (
        values.is_mixed(value)
        or values.is_random(value)
        or (has_users and values.is_real_value(value, is_password=True, in_config=True))
    )


def _cells(start: int, line: bytes, separator: bytes) -> Iterator[tuple[int, bytes]]:
    position = start
    for cell in line.split(separator):
        yield position, cell
        position += len(cell) + 1


_INSERT = re.compile(
    rb"""insert[ \t]{1,4}(?:or[ ]\w{1,10}[ ])?into[ \t]{1,4}[\w."`\[\]]{1,80}[ \t]{0,4}
    \((?P<columns>[^()]{1,400})\)\s{1,20}values\s{0,20}""",
    re.VERBOSE | re.IGNORECASE,
)
"""The beginning of an SQL insert."""
_VALUES = re.compile(rb"\((?P<row>(?:'(?:[^'\n]|'')*'|[^()'])*)\)\s{0,20},?\s{0,20}")
_VALUE = re.compile(rb"\s*(?:[nN]?'(?P<value>(?:[^'\n]|'')*)'|[^,']*)\s*(?:,|\Z)")
_MAX_INSERT = 200
"""Bytes between the beginning of an insert and the name of a column."""


def find_in_insert(raw: bytes, lower: bytes, position: int) -> Iterator[Span]:
    """Find secrets in the rows of an SQL insert whose list of columns has a name at a position."""
    start = lower.rfind(b"insert", max(position - _MAX_INSERT, 0), position)
    insert = _INSERT.match(raw, start) if start >= 0 else None
    if not insert or not insert.start("columns") <= position < insert.end("columns"):
        return
    columns = [
        index for index, name in enumerate(insert["columns"].split(b",")) if _HEADER.fullmatch(name.strip(b' `"[]\n\t'))
    ]
    end = insert.end()
    while row := _VALUES.match(raw, end):
        yield from _find_in_row(raw, row, columns)
        end = row.end()


def _find_in_row(raw: bytes, row: re.Match[bytes], columns: list[int]) -> Iterator[Span]:
    place, index = row.start("row"), 0
    while place < row.end("row") and (value := _VALUE.match(raw, place, row.end("row"))) and value.end() > place:
        if index in columns and value["value"] and _is_secret_cell(value["value"], has_users=True):
            yield value.span("value")
        place, index = value.end(), index + 1
