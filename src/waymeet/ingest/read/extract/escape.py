"""Text that stands in Markdown without being taken for markup."""

import re

_SPECIAL = re.compile(r"#{1,6}(?=\s|$)|<|```|~~~|(?=(?:[-=]+|\.{3})\s*$)")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def escape_line(line: str) -> str:
    r"""Write a line of prose so that it begins no heading, no block of code and no HTML.

    >>> escape_line("  # of users"), escape_line("---"), escape_line("a # b"), escape_line("<b>")
    ('\\# of users', '\\---', 'a # b', '\\<b>')
    """
    row = line.strip()
    return f"\\{row}" if _SPECIAL.match(row) else row


def plain_rows(text: str) -> str:
    """Write prose of several lines."""
    return "\n".join(escape_line(line) for line in text.split("\n"))


def fenced(code: str, language: str) -> str:
    r"""Put code between fences that do not occur in it.

    >>> fenced("x = 1\n", "python")
    '```python\nx = 1\n```'
    """
    fence = "`" * max(3, *(len(found) + 1 for found in _FENCE.findall(code)), 3)
    code = code.removesuffix("\n")
    return f"{fence}{language}\n{code}\n{fence}"
