"""A quick preview of matching lines, shown while a project is indexed for the first time."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from waymeet.analysis import query_words
from waymeet.ingest.discover.walk import FoundFile, walk
from waymeet.ingest.read.decode import decode
from waymeet.ingest.read.safe_read import read_file
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.interfaces.render.text import Line
from waymeet.settings import Ingest

_MAX_BYTES = 200_000
"""Larger files are not previewed."""
_MAX_CHARS = 100
"""Characters shown of a line."""
_PATH_WEIGHT = 2.0
"""Weight of a word in the path against one in the text."""


class Match(Struct, frozen=True):
    """A line that contains words of the query."""

    path: str
    line: int
    text: str
    score: float


class Preview(Struct, frozen=True):
    """The best matches, and how many of the files were read."""

    matches: tuple[Match, ...]
    files_read: int
    files: int


def preview_files(root: Path, ingest: Ingest, query: str, is_late: Callable[[], bool], max_matches: int = 5) -> Preview:
    """Search paths and lines for the words of a query, until it is late.

    Files with matching names are read first. Words are compared as they are written, without stemming. Ignored files
    are not opened, and secrets are masked.
    """
    words = tuple(dict.fromkeys(token.casefold() for token, _ in query_words(query)))
    files: list[FoundFile] = []
    for entry in walk(root, ingest):
        if isinstance(entry, FoundFile) and not entry.path_only_reason and entry.size <= _MAX_BYTES:
            files.append(entry)
        if is_late():
            break
    files.sort(key=lambda file: (-_count_words(file.path, words), file.size))
    matches: list[Match] = []
    files_read = 0
    for file in files:
        if is_late() and files_read:
            break
        files_read += 1
        matches.extend(_find_match(root, file, words))
    matches.sort(key=lambda match: (-match.score, match.path))
    best = matches[:max_matches]
    return Preview(tuple(map(_mask, best)) if ingest.mask_secrets else tuple(best), files_read, len(files))


def _find_match(root: Path, file: FoundFile, words: Sequence[str]) -> Iterator[Match]:
    """Find the line of a file that contains the most words."""
    try:
        decoded = decode(read_file(str(root), file.path, _MAX_BYTES).raw)
    except OSError:
        return  # deleted meanwhile
    if decoded is None:
        return
    folded = decoded.text.casefold()
    matched = [word for word in words if word in folded]
    score = len(matched) + _PATH_WEIGHT * _count_words(file.path, words)
    if not matched:
        return
    rows = decoded.text.splitlines()
    best = max(range(len(rows)), key=lambda number: (_count_words(rows[number], matched), -number))
    yield Match(file.path, best + 1, rows[best].strip()[:_MAX_CHARS], score + _count_words(rows[best], matched))


def _count_words(text: str, words: Sequence[str]) -> int:
    folded = text.casefold()
    return sum(word in folded for word in words)


def _mask(match: Match) -> Match:
    return Match(match.path, match.line, mask_secrets(match.text, match.path).text, match.score)


def preview_lines(preview: Preview) -> Iterator[Line]:
    """Show the matches of a preview."""
    yield [(f"Preview from {preview.files_read} of {preview.files} files, before they are indexed:", "dim")]
    for match in preview.matches:
        yield [("  ", ""), (f"{match.path}:{match.line}", "cyan place"), (f"  {match.text}", "")]
