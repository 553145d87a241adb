"""Reading a unified diff: which files, which lines, which names."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from waymeet.analysis.pasted.location import Location

_FILE = re.compile(r"(?:\+\+\+|---) (?P<path>\"?[^\t]+?\"?)(?:\t.*)?")
_HUNK = re.compile(r"@@+ -\d+(?:,\d+)?(?: -\d+(?:,\d+)?)* \+(?P<line>\d+)(?:,\d+)? @@+ ?(?P<within>.*)")
_NAMED = re.compile(
    r"(?:\b(?:def|class|func|fn|function|interface|struct|enum|impl|trait|module)\s+(?:\([^)]*\)\s*)?)(\w+)"
)
_CALLED = re.compile(r"(\w+)\s*\(")
_NAME = re.compile(r"[^\W\d]\w{3,}")
_SUBJECT = re.compile(r"Subject: (?:\[PATCH[^\]]*\] )?(?P<text>.+)|    (?P<body>\S.*)")
_MOST_WORDS = 15
_COMMON = frozenset(
    """self this return import from class function const public private static void else elif none null true false async
    await string with while yield raise throw except catch finally assert lambda print range type export default extends
    package struct interface break continue switch case super require include define""".split()
)
"""Words that every program is full of."""


class Change(Struct, frozen=True):
    """What a diff changes."""

    message: str
    """What the commit says, if it comes with the diff."""
    spots: tuple[Location, ...]
    words: tuple[str, ...]


def diff(lines: Sequence[str]) -> Change | None:
    """Read a unified diff; None if there is none.

    >>> diff(["--- a/x.py", "+++ b/x.py", "@@ -1,3 +7,4 @@ def load(path):", "-    old", "+    handle = opened"])
    Change(message='', spots=(Location(path='x.py', line=7, symbol='load'),), words=('handle', 'opened'))
    """
    spots: list[Location] = []
    names: Counter[str] = Counter()
    path = before = ""
    at, inside = 0, False
    """The line of the new file that comes next, and whether this is a hunk."""
    pending: tuple[int, str] | None = None
    """A hunk whose first changed line was not met yet."""
    first = len(lines)
    for number, line in enumerate(lines):
        hunk = _HUNK.match(line) if path else None
        if hunk:
            first = min(first, number)
            at, inside = int(hunk["line"]), True
            pending = (at, _symbol(hunk["within"]))
        elif inside and line[:1] in {"+", "-", " ", ""} and not _heading(lines, number):
            if line[:1] in {"+", "-"}:
                names.update(_names(line[1:]))
                if pending:
                    spots.append(Location(path, at, pending[1]))
                    pending = None
            at += line[:1] != "-"
        elif found := _FILE.fullmatch(line):
            name, inside = _path(found["path"]), False
            path, before = (name or before, "") if line.startswith("+++") else ("", name)
        elif not line.startswith("\\"):
            inside = False
    if not spots:
        return None
    words = [word for word, _ in sorted(names.items(), key=lambda each: -each[1])]
    return Change(_message(lines[:first]), tuple(dict.fromkeys(spots)), tuple(words[:_MOST_WORDS]))


def _heading(lines: Sequence[str], number: int) -> bool:
    """Tell whether the next file begins here: a removed line can look like one half of that."""
    return lines[number].startswith("--- ") and number + 1 < len(lines) and lines[number + 1].startswith("+++ ")


def _path(written: str) -> str:
    """Read a file's name without git's prefixes; empty for none."""
    name = written.strip('"')
    return "" if name == "/dev/null" else re.sub(r"\A[abciow]/", "", name)


def _symbol(within: str) -> str:
    """Say which function or class a hunk lies in, by what git writes behind its numbers."""
    found = _NAMED.search(within) or _CALLED.search(within)
    return found[1] if found else ""


def _names(line: str) -> Iterable[str]:
    return (name for name in _NAME.findall(line) if name.lower() not in _COMMON)


def _message(above: Sequence[str]) -> str:
    """Gather what a commit says of itself above its diff."""
    found = [each["text"] or each["body"] for line in above if (each := _SUBJECT.fullmatch(line))]
    return " ".join(found)
