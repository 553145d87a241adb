"""Rules of ignore files with the semantics of git."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from waymeet.ingest.discover.glob import as_bytes, compile_pattern
from waymeet.ingest.read.safe_read import read_file
from waymeet.settings import Ingest

_WILDCARD = re.compile(r"[*?\[\\]")
_NO_MATCH = -1
_MAX_BYTES = 1_000_000
_FILES = (".waymeetignore", ".gitignore")
_EXCLUDE = ".git/info/exclude"


class _LiteralPatterns:
    """Patterns that need no regular expression, with the number of the last line of each."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.paths: dict[str, int] = {}
        self.suffixes: dict[str, int] = {}
        self.all_suffixes: tuple[str, ...] = ()

    def last(self, path: str, name: str) -> int:
        """Return the number of the last line that matches."""
        number = self.names.get(name, _NO_MATCH)
        if self.paths:
            number = max(number, self.paths.get(path, _NO_MATCH))
        if name.endswith(self.all_suffixes):
            number = max(number, *(line for suffix, line in self.suffixes.items() if name.endswith(suffix)))
        return number


class _Pattern(NamedTuple):
    """A pattern with wildcards as a regular expression."""

    number: int
    folders_only: bool
    expression: re.Pattern[str]


class _WildcardPatterns:
    """Patterns with wildcards for one part of a path, with an expression that joins them all."""

    def __init__(self) -> None:
        self.patterns: list[_Pattern] = []
        self.joined: re.Pattern[str] | None = None

    def last(self, text: str, *, folder: bool) -> int:
        """Return the number of the last line that matches."""
        text = as_bytes(text)
        if self.joined is None or not self.joined.fullmatch(text):
            return _NO_MATCH
        matching = (
            pattern.number
            for pattern in reversed(self.patterns)
            if (folder or not pattern.folders_only) and pattern.expression.fullmatch(text)
        )
        return next(matching, _NO_MATCH)


class Rules:
    """The patterns of one ignore file.

    >>> rules = Rules(["*.log", "!keep.log", "/build/"], folder="web/")
    >>> rules.decide("web/a/x.log", "x.log", folder=False), rules.decide("web/keep.log", "keep.log", folder=False)
    (True, False)
    >>> rules.decide("web/build", "build", folder=True), rules.decide("web/a/build", "build", folder=True)
    (True, None)
    """

    def __init__(self, lines: Iterable[str], folder: str = "", above: str = "") -> None:
        """Compile the lines of an ignore file.

        `folder` is the path of its folder below the root, with a slash at the end. For a file above the root, `above`
        is the path from its folder to the root.
        """
        self._start = len(folder)
        self._above = above
        self._is_negated: list[bool] = []
        self._literals = _LiteralPatterns()
        self._folder_literals = _LiteralPatterns()
        self._for_names = _WildcardPatterns()
        self._for_paths = _WildcardPatterns()
        for line in lines:
            pattern = _strip_line(line)
            if pattern and not pattern.startswith("#"):
                self._add(pattern)
        for table in (self._literals, self._folder_literals):
            table.all_suffixes = tuple(table.suffixes)
        for group in (self._for_names, self._for_paths):
            if group.patterns:
                expressions = (pattern.expression.pattern for pattern in group.patterns)
                group.joined = re.compile("|".join(expressions), re.DOTALL)

    def decide(self, path: str, name: str, *, folder: bool) -> bool | None:
        """Return whether a path is ignored (True), re-included (False) or not matched (None)."""
        inside = self._above + path[self._start :]
        last_line = self._literals.last(inside, name)
        if folder:
            last_line = max(last_line, self._folder_literals.last(inside, name))
        if self._for_names.joined:
            last_line = max(last_line, self._for_names.last(name, folder=folder))
        if self._for_paths.joined:
            last_line = max(last_line, self._for_paths.last(inside, folder=folder))
        return None if last_line == _NO_MATCH else not self._is_negated[last_line]

    def _add(self, pattern: str) -> None:
        number = len(self._is_negated)
        self._is_negated.append(pattern.startswith("!"))
        pattern = pattern.removeprefix("!")
        folders_only = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        table = self._folder_literals if folders_only else self._literals
        is_path = "/" in pattern
        pattern = pattern.removeprefix("/")
        if not _WILDCARD.search(pattern):
            (table.paths if is_path else table.names)[pattern] = number
        elif not is_path and len(pattern) > 1 and pattern[0] == "*" and not _WILDCARD.search(pattern, 1):
            table.suffixes[pattern[1:]] = number
        else:
            group = self._for_paths if is_path else self._for_names
            group.patterns.append(_Pattern(number, folders_only, compile_pattern(pattern)))


def _strip_line(line: str) -> str:
    r"""Strip the line end and the spaces before it, except one after a backslash.

    >>> _strip_line("a b  \r\n"), _strip_line("a\\ \n")
    ('a b', 'a\\ ')
    """
    line = line.removesuffix("\n").removesuffix("\r")
    end = len(line.rstrip(" "))
    escapes = end - len(line[:end].rstrip("\\"))
    return line[: end + 1] if escapes % 2 and end < len(line) else line[:end]


class IgnoreRule(NamedTuple):
    """The rule that ignores a path, and what it matches: the path or a folder above it."""

    rule: str
    matched: str

    @property
    def advice(self) -> str:
        """The change after which the path is indexed.

        What is in an ignored folder is not looked at, so the exception must name that folder. It is made in the root,
        where it is stronger than any rule except those of `.waymeetignore` files themselves.
        """
        is_own_file = self.rule.partition(", line ")[0].endswith(_FILES[0])
        return "remove that line" if is_own_file else f"add the line !/{self.matched} to {_FILES[0]}"


def find_ignore_rule(root: Path, path: str, ingest: Ingest) -> IgnoreRule | None:
    """Find the rule that ignores a path or a folder above it, or None if none does.

    The strongest rule decides, as in `discover.walk`. Rules from outside of the project are not considered.
    """
    parts = path.strip("/").split("/")
    for depth in range(1, len(parts) + 1):
        above = ["/".join(parts[:n]) + "/" if n else "" for n in range(depth - 1, -1, -1)]
        is_folder = depth < len(parts) or path.endswith("/")
        part = "/".join(parts[:depth])
        rule = _deciding_rule(root, part, above, ingest, folder=is_folder)
        if rule:
            return IgnoreRule(rule, f"{part}/" if is_folder else part)
    return None


def _deciding_rule(root: Path, path: str, above: Sequence[str], ingest: Ingest, *, folder: bool) -> str:
    for source, lines, folder_path in _rules(root, above, ingest):
        for number in range(len(lines), 0, -1):
            is_ignored = Rules([lines[number - 1]], folder_path).decide(path, path.rpartition("/")[2], folder=folder)
            if is_ignored is not None:
                line = f", line {number}" if source.rpartition("/")[2] in {*_FILES, "exclude"} else ""
                return f"{source}{line}: {lines[number - 1].strip()}" if is_ignored else ""
    return ""


def _rules(root: Path, above: Sequence[str], ingest: Ingest) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield the rules for a path, the strongest first: their source, lines and folder."""
    for name in _FILES:
        for folder in above:
            yield folder + name, _lines(root, folder + name), folder
    yield _EXCLUDE, _lines(root, _EXCLUDE), ""
    yield "setting ingest.ignore", ingest.ignore, ""
    yield "setting ingest.default_ignore", ingest.default_ignore, ""


def _lines(root: Path, file: str) -> Sequence[str]:
    try:
        return read_file(str(root), file, _MAX_BYTES).raw.decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return ()
