"""Escaping of plain text and code for Markdown."""

import re

_MARKUP_START = re.compile(r"#{1,6}(?=\s|$)|<|```|~~~|(?=(?:[-=]+|\.{3})\s*$)")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def escape_line(line: str) -> str:
    r"""Escape a line of prose that would begin a heading, a code block or HTML.

    >>> escape_line("  # of users"), escape_line("---"), escape_line("a # b"), escape_line("<b>")
    ('\\# of users', '\\---', 'a # b', '\\<b>')
    """
    stripped = line.strip()
    return f"\\{stripped}" if _MARKUP_START.match(stripped) else stripped


def escape_lines(text: str) -> str:
    """Escape every line of a text."""
    return "\n".join(escape_line(line) for line in text.split("\n"))


def fence_code(code: str, language: str) -> str:
    r"""Put code between fences that do not occur in it.

    >>> fence_code("x = 1\n", "python")
    '```python\nx = 1\n```'
    """
    fence = "`" * max((len(inner) + 1 for inner in _FENCE.findall(code)), default=3)
    code = code.removesuffix("\n")
    return f"{fence}{language}\n{code}\n{fence}"
