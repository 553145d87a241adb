"""Compare two versions of a page, ignoring what differs between runs and machines."""

import re
from difflib import unified_diff
from math import isclose

_VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?"), "DATE"),
    (re.compile(r"\b\d+\.\d+\.\d+\b"), "VERSION"),
    (re.compile(r'("[a-z_]*(?:_ms|milliseconds|seconds|_at|pid|bytes)":) ?[\d.e+-]+'), r"\1 NUMBER"),
    (re.compile(r"\b\d[\d.,]*(?: ?(?:ms|s|min|h|KB|MB|GB|bytes)|/s)\b"), "AMOUNT"),
    (re.compile(r"\b\d+ (?:second|minute|hour|day)s? later"), "AMOUNT later"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b"), "HEX"),
    (re.compile(r"cursor=\S+"), "CURSOR"),
    (re.compile(r"\b(?:Linux|Darwin) \w+"), "SYSTEM"),
    (re.compile(r"\b(Process|pid) \d+"), r"\1 NUMBER"),
    # A busy machine embeds in more, or in fewer, steps.
    (re.compile(r"\bgeneration \d+"), "generation NUMBER"),
    (re.compile(r"\b\d+( of \d+ sections can be found in any language)"), r"NUMBER\1"),
    (re.compile(r"[ ─-]{2,}"), " "),
)
"""Patterns of varying text, each with its placeholder."""
_NUMBER = re.compile(r"(-?\d+\.\d+(?:e-?\d+)?)")


def diff_pages(page: str, regenerated: str) -> str:
    """Return a diff of the lines in which a page is out of date, or an empty string."""
    old, new = page.splitlines(), regenerated.splitlines()
    if len(old) == len(new) and all(map(is_same_line, old, new)):
        return ""
    # Lines that differ only in varying text are left out of the diff.
    masked = [
        new_line if len(old) == len(new) and is_same_line(line, new_line) else line
        for line, new_line in _pair_lines(old, new)
    ]
    return "\n".join(unified_diff(masked, new, "current", "regenerated", lineterm="", n=1))


def _pair_lines(old: list[str], new: list[str]) -> list[tuple[str, str]]:
    return list(zip(old, [*new, *([""] * len(old))], strict=False))


def is_same_line(old: str, new: str) -> bool:
    """Check whether two lines are equal except for varying text.

    Scores may differ a little, because processors round differently.

    >>> is_same_line("3 hits in 12 ms: 0.5012", "3 hits in 9 ms: 0.5013"), is_same_line("3 hits", "4 hits")
    (True, False)
    """
    if old == new:
        return True
    for pattern, placeholder in _VARYING:
        old, new = pattern.sub(placeholder, old), pattern.sub(placeholder, new)
    old_parts, new_parts = _NUMBER.split(old), _NUMBER.split(new)
    if len(old_parts) != len(new_parts) or old_parts[::2] != new_parts[::2]:
        return False
    return all(
        isclose(float(a), float(b), rel_tol=0.03, abs_tol=0.02)
        for a, b in zip(old_parts[1::2], new_parts[1::2], strict=True)
    )
