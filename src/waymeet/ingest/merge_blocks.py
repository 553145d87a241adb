"""Cutting a range of lines into blocks that are better not cut any further."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple


class Block(NamedTuple):
    """Some lines that hold together."""

    start: int
    end: int
    """First and last line, counted from 1, both included."""
    opens: bool = True
    """Whether a new thought begins here: a paragraph, or code that is not indented."""
    part: str | None = None
    """A piece of a line that is too long for one chunk; such a block stands alone."""


class Lines:
    r"""The lines of a file, with how long any run of them is.

    >>> lines = Lines("one\n\nthree")
    >>> lines.text(1, 3), lines.length(1, 3), lines.blank(2)
    ('one\n\nthree', 10, True)
    """

    def __init__(self, text: str) -> None:
        self._lines: Sequence[str] = text.split("\n")
        self._before = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        return self._lines[number - 1]

    def blank(self, number: int) -> bool:
        """Tell whether there is nothing to read in a line."""
        return not self._lines[number - 1].strip()

    def text(self, first: int, last: int) -> str:
        """Give some lines as one text."""
        return "\n".join(self._lines[first - 1 : last])

    def length(self, first: int, last: int) -> int:
        """Say how long that text is."""
        return self._before[last] - self._before[first - 1] - 1

    def held(self, ranges: Iterable[tuple[int, int]]) -> set[int]:
        """List the blank lines inside of some ranges, at which they shall not be cut."""
        return {
            number for first, last in ranges for number in range(first, min(last, len(self)) + 1) if self.blank(number)
        }


def blocks(lines: Lines, start: int, end: int, held: Collection[int], limit: int) -> Iterator[Block]:
    """Yield the paragraphs of some lines; one that is longer than the limit is cut at lines, then inside of them."""
    for first, last in _paragraphs(lines, start, end, held):
        if lines.length(first, last) <= limit:
            yield Block(first, last, opens=not lines[first][0].isspace())
        else:
            yield from _rows(lines, first, last, limit)


def _paragraphs(lines: Lines, start: int, end: int, held: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last written lines between blank lines, except for those that shall not be cut at."""
    first = last = 0
    for number in range(start, end + 1):
        if not lines.blank(number):
            first, last = first or number, number
        elif first and number not in held:
            yield first, last
            first = 0
    if first:
        yield first, last


def _rows(lines: Lines, first: int, last: int, limit: int) -> Iterator[Block]:
    """Yield single lines, and pieces of those that are too long by themselves."""
    for number in range(first, last + 1):
        if lines.blank(number):
            continue
        if lines.length(number, number) <= limit:
            yield Block(number, number, opens=number == first)
        else:
            for part in _parts(lines[number], limit):
                yield Block(number, number, opens=False, part=part)


def _parts(line: str, limit: int) -> Iterator[str]:
    """Cut a line into pieces of about the same length, at a space if there is one near.

    >>> list(_parts("one two three four", 10))
    ['one two', 'three four']
    """
    rest = line.strip()
    while len(rest) > limit:
        even = -(-len(rest) // -(-len(rest) // limit))
        space = rest.rfind(" ", even // 2, even + 1)
        cut = space if space > 0 else even
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    yield rest
