"""Rows of the tables of secrets that are known by what is before them."""

from typing import Literal, NamedTuple

Test = Literal["any", "chosen", "random", "session", "credential", "device", "command", "codes"]
"""Tests of a value, see `find_in_context`."""
Row = tuple[str, str, str, Test, str]
"""Name, words, expression, test, source."""

_PARTS = {
    # The rest of a command up to an option, also on continued lines.
    "«options»": r"(?:[^\n;|&]|\\\n){0,200}?",
    "«secret»": r"""(?:"(?P<value>[^"\n$]{3,200})"|'(?P<value2>[^'\n]{3,200})'|(?P<value3>[^\s"'`;|&<>]{3,200}))""",
}
"""Parts of expressions that many rows share."""


class ContextRule(NamedTuple):
    """The form of one kind of secret."""

    name: str
    words: tuple[bytes, ...]
    """Words at which the search starts, in lower case."""
    pattern: bytes
    """Expression that is matched at a word, compiled at first use (`compile_once`)."""
    test: Test
    source: str
    """Where the form is described."""


def make_rules(rows: tuple[Row, ...]) -> tuple[ContextRule, ...]:
    """Compile the rows of a table."""
    return tuple(_make_rule(row) for row in rows)


def _make_rule(row: Row) -> ContextRule:
    name, words, pattern, test, source = row
    for part, expression in _PARTS.items():
        pattern = pattern.replace(part, expression)
    starts = tuple(word.replace("+", " ").encode() for word in words.split())
    return ContextRule(name, starts, b"(?i)" + pattern.encode(), test, source)
