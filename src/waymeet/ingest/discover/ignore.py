"""Which paths the lines of an ignore file leave out, as git reads them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from waymeet.ingest.discover.glob import as_bytes, compiled
from waymeet.ingest.read.safe_read import read_file
from waymeet.settings import Ingest

_WILD = re.compile(r"[*?\[\\]")
_NONE = -1


class _Table:
    """Patterns that need no expression, by what they say; the numbers are those of their lines."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.paths: dict[str, int] = {}
        self.endings: dict[str, int] = {}
        self.any_ending: tuple[str, ...] = ()

    def last(self, path: str, name: str) -> int:
        """Give the number of the last line that matches."""
        found = self.names.get(name, _NONE)
        if self.paths:
            found = max(found, self.paths.get(path, _NONE))
        if name.endswith(self.any_ending):
            found = max(found, *(number for ending, number in self.endings.items() if name.endswith(ending)))
        return found


class _Pattern(NamedTuple):
    """A pattern that only an expression can decide."""

    number: int
    folders_only: bool
    expression: re.Pattern[str]


class _Patterns:
    """Patterns for the same part of a path, and one expression that tells whether any of them fits."""

    def __init__(self) -> None:
        self.each: list[_Pattern] = []
        self.any: re.Pattern[str] | None = None

    def last(self, text: str, *, folder: bool) -> int:
        """Give the number of the last line that matches."""
        text = as_bytes(text)
        if self.any is None or not self.any.fullmatch(text):
            return _NONE
        fitting = (
            pattern.number
            for pattern in reversed(self.each)
            if (folder or not pattern.folders_only) and pattern.expression.fullmatch(text)
        )
        return next(fitting, _NONE)


class Rules:
    """The patterns of one ignore file, ready to be asked.

    >>> rules = Rules(["*.log", "!keep.log", "/build/"], folder="web/")
    >>> rules.verdict("web/a/x.log", "x.log", folder=False), rules.verdict("web/keep.log", "keep.log", folder=False)
    (True, False)
    >>> rules.verdict("web/build", "build", folder=True), rules.verdict("web/a/build", "build", folder=True)
    (True, None)
    """

    def __init__(self, lines: Iterable[str], folder: str = "", above: str = "") -> None:
        """Read the lines of a file that lies in a folder, given as path with a slash at the end, or empty.

        One that lies above the folder all paths start from needs the path from there to that folder, `above`.
        """
        self._start = len(folder)
        self._above = above
        self._bring_back: list[bool] = []
        self._any = _Table()
        self._folders = _Table()
        self._for_names = _Patterns()
        self._for_paths = _Patterns()
        for line in lines:
            pattern = _trimmed(line)
            if pattern and not pattern.startswith("#"):
                self._add(pattern)
        for table in (self._any, self._folders):
            table.any_ending = tuple(table.endings)
        for patterns in (self._for_names, self._for_paths):
            if patterns.each:
                patterns.any = re.compile("|".join(each.expression.pattern for each in patterns.each), re.DOTALL)

    def verdict(self, path: str, name: str, *, folder: bool) -> bool | None:
        """Say whether a path below the rules' folder is left out (True), brought back (False) or not meant (None)."""
        inside = self._above + path[self._start :]
        best = self._any.last(inside, name)
        if folder:
            best = max(best, self._folders.last(inside, name))
        if self._for_names.any:
            best = max(best, self._for_names.last(name, folder=folder))
        if self._for_paths.any:
            best = max(best, self._for_paths.last(inside, folder=folder))
        return None if best == _NONE else not self._bring_back[best]

    def _add(self, pattern: str) -> None:
        number = len(self._bring_back)
        self._bring_back.append(pattern.startswith("!"))
        pattern = pattern.removeprefix("!")
        folders_only = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        table = self._folders if folders_only else self._any
        whole_path = "/" in pattern
        pattern = pattern.removeprefix("/")
        if not _WILD.search(pattern):
            (table.paths if whole_path else table.names)[pattern] = number
        elif not whole_path and len(pattern) > 1 and pattern[0] == "*" and not _WILD.search(pattern, 1):
            table.endings[pattern[1:]] = number
        else:
            patterns = self._for_paths if whole_path else self._for_names
            patterns.each.append(_Pattern(number, folders_only, compiled(pattern)))


def _trimmed(line: str) -> str:
    r"""Cut the line's end and the spaces before it, but none behind a backslash.

    >>> _trimmed("a b  \r\n"), _trimmed("a\\ \n")
    ('a b', 'a\\ ')
    """
    line = line.removesuffix("\n").removesuffix("\r")
    end = len(line.rstrip(" "))
    escapes = end - len(line[:end].rstrip("\\"))
    return line[: end + 1] if escapes % 2 and end < len(line) else line[:end]


_LARGEST = 1_000_000
_FILES = (".waymeetignore", ".gitignore")
_EXCLUDE = ".git/info/exclude"


def matching_ignore_rule(root: Path, path: str, ingest: Ingest) -> str:
    """Name the rule that leaves a path out, or a folder it lies in; empty if none does.

    The strongest rule decides, as in `discover.walk`; rules from outside of the project are not looked at.
    """
    parts = path.strip("/").split("/")
    for depth in range(1, len(parts) + 1):
        above = ["/".join(parts[:n]) + "/" if n else "" for n in range(depth - 1, -1, -1)]
        told = _decided(root, "/".join(parts[:depth]), above, ingest, folder=depth < len(parts) or path.endswith("/"))
        if told:
            return told
    return ""


def _decided(root: Path, path: str, above: Sequence[str], ingest: Ingest, *, folder: bool) -> str:
    for where, lines, base in _rules(root, above, ingest):
        for number in range(len(lines), 0, -1):
            verdict = Rules([lines[number - 1]], base).verdict(path, path.rpartition("/")[2], folder=folder)
            if verdict is not None:
                line = f", line {number}" if where.rpartition("/")[2] in {*_FILES, "exclude"} else ""
                return f"{where}{line}: {lines[number - 1].strip()}" if verdict else ""
    return ""


def _rules(root: Path, above: Sequence[str], ingest: Ingest) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield the rules that hold for a path, the strongest first: where they stand, what they say, for which folder."""
    for name in _FILES:
        for folder in above:
            yield folder + name, _lines(root, folder + name), folder
    yield _EXCLUDE, _lines(root, _EXCLUDE), ""
    yield "setting ingest.ignore", ingest.ignore, ""
    yield "setting ingest.default_ignore", ingest.default_ignore, ""


def _lines(root: Path, file: str) -> Sequence[str]:
    try:
        return read_file(str(root), file, _LARGEST).raw.decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return ()
