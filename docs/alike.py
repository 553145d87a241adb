"""Compare two states of a page, leaving aside what differs from run to run and from machine to machine."""

import re
from difflib import unified_diff
from math import isclose

_VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?"), "DATE"),
    (re.compile(r"\b\d+\.\d+\.\d+\b"), "VERSION"),
    (re.compile(r'("[a-z_]*(?:_ms|milliseconds|seconds|_at|pid|bytes)":) ?[\d.e+-]+'), r"\1 NUMBER"),
    (re.compile(r"\b\d[\d.,]*(?: ?(?:ms|s|min|h|KB|MB|GB|bytes)|/s)\b"), "AMOUNT"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b"), "HEX"),
    (re.compile(r"cursor=\S+"), "CURSOR"),
    (re.compile(r"\b(?:Linux|Darwin) \w+"), "SYSTEM"),
    (re.compile(r"\b(Process|pid) \d+"), r"\1 NUMBER"),
    (re.compile(r"[ ─-]{2,}"), " "),
)
_NUMBER = re.compile(r"(-?\d+\.\d+(?:e-?\d+)?)")


def differences(page: str, anew: str) -> str:
    """Give the lines in which a page is out of date, as a diff; nothing if it is not."""
    old, new = page.splitlines(), anew.splitlines()
    if len(old) == len(new) and all(map(alike, old, new)):
        return ""
    kept = [ours if len(old) == len(new) and alike(theirs, ours) else theirs for theirs, ours in _paired(old, new)]
    return "\n".join(unified_diff(kept, new, "as it is", "as it should be", lineterm="", n=1))


def _paired(old: list[str], new: list[str]) -> list[tuple[str, str]]:
    return list(zip(old, [*new, *([""] * len(old))], strict=False))


def alike(old: str, new: str) -> bool:
    """Tell whether two lines say the same; scores may differ a little, for processors round differently.

    >>> alike("3 hits in 12 ms: 0.5012", "3 hits in 9 ms: 0.5013"), alike("3 hits", "4 hits")
    (True, False)
    """
    if old == new:
        return True
    for pattern, name in _VARYING:
        old, new = pattern.sub(name, old), pattern.sub(name, new)
    olds, news = _NUMBER.split(old), _NUMBER.split(new)
    if len(olds) != len(news) or olds[::2] != news[::2]:
        return False
    return all(
        isclose(float(a), float(b), rel_tol=0.03, abs_tol=0.02) for a, b in zip(olds[1::2], news[1::2], strict=True)
    )
