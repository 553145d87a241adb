"""Compare two texts line by line, for showing them side by side."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

_MAX_LINES = 5000
"""Lines above which equal lines are not searched for, because that would take seconds."""
_MAX_CHARS = 500
"""Characters of a line whose words are compared."""
_CJK = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_WORDS = re.compile(rf"{_CJK}|(?:(?!{_CJK})[^\W_])+|\s+|[\W_]")
"""Words, and single characters where words are not separated by spaces."""
_CONTEXT = 3
"""Equal lines that are shown around a difference."""


class Row(NamedTuple):
    """A line of both texts."""

    left: str
    right: str
    left_line: int
    right_line: int
    """Numbers of the lines, 0 where a text has none."""
    kind: str
    """Of the row: same, changed, left, right, or skipped for equal lines that are left out."""

    @property
    def parts(self) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
        """Split both lines into parts, each with whether it differs from the other line."""
        if self.kind != "changed":
            return [(self.left, self.kind == "left")], [(self.right, self.kind == "right")]
        return split_changes(self.left, self.right)


def split_changes(left: str, right: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Split two lines into words that are equal and words that differ.

    >>> split_changes("three days", "five days")
    ([('three', True), (' days', False)], [('five', True), (' days', False)])
    """
    first, second = _WORDS.findall(left[:_MAX_CHARS]), _WORDS.findall(right[:_MAX_CHARS])
    sides: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = [], []
    for name, *ranges in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        for parts, words, (start, end) in zip(sides, (first, second), (ranges[:2], ranges[2:]), strict=True):
            if start < end:
                parts.append(("".join(words[start:end]), name != "equal"))
    for parts, line in zip(sides, (left, right), strict=True):
        if len(line) > _MAX_CHARS:
            parts.append((line[_MAX_CHARS:], True))
    return sides


def compare_lines(left: str, right: str) -> list[Row]:
    r"""Pair the lines of two texts.

    >>> [(row.left, row.right, row.kind) for row in compare_lines("a\nb", "a\nc\nd")]
    [('a', 'a', 'same'), ('b', 'c', 'changed'), ('', 'd', 'right')]
    """
    first, second = left.splitlines(), right.splitlines()
    if max(len(first), len(second)) > _MAX_LINES:
        return list(_pair(first, second, 0, 0))
    rows: list[Row] = []
    for name, start, end, other, last in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        pairs = list(_pair(first[start:end], second[other:last], start, other))
        rows += pairs if name != "equal" else _shorten(pairs, is_first=not start, is_last=end == len(first))
    return rows


def _pair(first: list[str], second: list[str], start: int, other: int) -> Iterator[Row]:
    for number in range(max(len(first), len(second))):
        left = first[number] if number < len(first) else None
        right = second[number] if number < len(second) else None
        kind = "right" if left is None else "left" if right is None else "same" if left == right else "changed"
        lines = start + number + 1 if left is not None else 0, other + number + 1 if right is not None else 0
        yield Row(left or "", right or "", *lines, kind)


def _shorten(rows: list[Row], *, is_first: bool, is_last: bool) -> list[Row]:
    """Leave out equal lines that are far from every difference."""
    before, after = 0 if is_first else _CONTEXT, 0 if is_last else _CONTEXT
    left_out = len(rows) - before - after
    if left_out <= 2 * _CONTEXT:
        return rows
    note = Row(f"{left_out} equal lines", "", 0, 0, "skipped")
    return [*rows[:before], note, *rows[len(rows) - after :]]
