"""Parser of unified diffs: changed files, lines and identifiers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from waymeet.analysis.pasted.location import Location

_FILE = re.compile(r"(?:\+\+\+|---) (?P<path>\"?[^\t]+?\"?)(?:\t.*)?")
_HUNK = re.compile(r"@@+ -\d+(?:,\d+)?(?: -\d+(?:,\d+)?)* \+(?P<line>\d+)(?:,\d+)? @@+ ?(?P<within>.*)")
_DEFINITION = re.compile(
    r"(?:\b(?:def|class|func|fn|function|interface|struct|enum|impl|trait|module)\s+(?:\([^)]*\)\s*)?)(\w+)"
)
_CALL = re.compile(r"(\w+)\s*\(")
_IDENTIFIER = re.compile(r"[^\W\d]\w{3,}")
_SUBJECT = re.compile(r"Subject: (?:\[PATCH[^\]]*\] )?(?P<text>.+)|    (?P<body>\S.*)")
_MAX_WORDS = 15
_KEYWORDS = frozenset(
    """self this return import from class function const public private static void else elif none null true false async
    await string with while yield raise throw except catch finally assert lambda print range type export default extends
    package struct interface break continue switch case super require include define""".split()
)
"""Words that are frequent in every program."""


class Change(Struct, frozen=True):
    """Locations and identifiers that a diff changes."""

    message: str
    """The commit message, if the diff has one above it."""
    locations: tuple[Location, ...]
    words: tuple[str, ...]


def parse_diff(lines: Sequence[str]) -> Change | None:
    """Parse a unified diff, or return None if the text has none.

    >>> parse_diff(["--- a/x.py", "+++ b/x.py", "@@ -1,3 +7,4 @@ def load(path):", "-    old", "+    handle = opened"])
    Change(message='', locations=(Location(path='x.py', line=7, symbol='load'),), words=('handle', 'opened'))
    """
    locations: list[Location] = []
    names: Counter[str] = Counter()
    path = old_path = ""
    new_line, in_hunk = 0, False
    hunk_symbol: str | None = None  # set until the first changed line of a hunk
    first_hunk = len(lines)
    for number, line in enumerate(lines):
        hunk = _HUNK.match(line) if path else None
        if hunk:
            first_hunk = min(first_hunk, number)
            new_line, in_hunk = int(hunk["line"]), True
            hunk_symbol = _find_symbol(hunk["within"])
        elif in_hunk and line[:1] in {"+", "-", " ", ""} and not _is_file_header(lines, number):
            if line[:1] in {"+", "-"}:
                names.update(_list_identifiers(line[1:]))
                if hunk_symbol is not None:
                    locations.append(Location(path, new_line, hunk_symbol))
                    hunk_symbol = None
            new_line += line[:1] != "-"
        elif header := _FILE.fullmatch(line):
            name, in_hunk = _strip_prefix(header["path"]), False
            path, old_path = (name or old_path, "") if line.startswith("+++") else ("", name)
        elif not line.startswith("\\"):
            in_hunk = False
    if not locations:
        return None
    words = [word for word, _ in sorted(names.items(), key=lambda item: -item[1])]
    return Change(_find_message(lines[:first_hunk]), tuple(dict.fromkeys(locations)), tuple(words[:_MAX_WORDS]))


def _is_file_header(lines: Sequence[str], number: int) -> bool:
    """Check whether the header of the next file begins here.

    A removed line may begin with `--- ` too, so that both lines of the header are compared.
    """
    return lines[number].startswith("--- ") and number + 1 < len(lines) and lines[number + 1].startswith("+++ ")


def _strip_prefix(written: str) -> str:
    """Return the path of a file header without git's prefix, empty for /dev/null."""
    name = written.strip('"')
    return "" if name == "/dev/null" else re.sub(r"\A[abciow]/", "", name)


def _find_symbol(context: str) -> str:
    """Return the function or class around a hunk, from the context in the hunk header."""
    match = _DEFINITION.search(context) or _CALL.search(context)
    return match[1] if match else ""


def _list_identifiers(line: str) -> Iterable[str]:
    return (name for name in _IDENTIFIER.findall(line) if name.lower() not in _KEYWORDS)


def _find_message(lines_above: Sequence[str]) -> str:
    """Return the commit message above a diff."""
    parts = [match["text"] or match["body"] for line in lines_above if (match := _SUBJECT.fullmatch(line))]
    return " ".join(parts)
