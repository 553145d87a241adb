"""A first look through files that nobody has indexed yet, for a person who is waiting for the first answer."""

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

_LARGEST = 200_000
"""Bytes of a file that a first look reads; larger ones wait for the index."""
_WIDE = 100
"""Characters of a line that are shown."""
_NAMED = 2.0
"""What a word in a path counts against one in the text."""


class Seen(Struct, frozen=True):
    """A line that speaks of what was asked."""

    path: str
    line: int
    text: str
    score: float


class Look(Struct, frozen=True):
    """What a first look found, the best first, and how far it came."""

    seen: tuple[Seen, ...]
    looked: int
    files: int


def first_look(root: Path, ingest: Ingest, question: str, late: Callable[[], bool], most: int = 5) -> Look:
    """Look for a question's words in paths and lines, in files whose names promise most first, until it is late.

    Only whole words of the question count, as they are written; the index knows better. What the ignore rules leave
    out is not opened, and secrets are masked as everywhere.
    """
    wanted = tuple(dict.fromkeys(token.casefold() for token, _ in query_words(question)))
    files: list[FoundFile] = []
    for each in walk(root, ingest):
        if isinstance(each, FoundFile) and not each.path_only_reason and each.size <= _LARGEST:
            files.append(each)
        if late():
            break
    files.sort(key=lambda file: (-_matches(file.path, wanted), file.size))
    seen: list[Seen] = []
    looked = 0
    for file in files:
        if late() and looked:
            break
        looked += 1
        seen.extend(_seen(root, file, wanted))
    seen.sort(key=lambda each: (-each.score, each.path))
    shown = tuple(_masked(each) for each in seen[:most]) if ingest.mask_secrets else tuple(seen[:most])
    return Look(shown, looked, len(files))


def _seen(root: Path, file: FoundFile, wanted: Sequence[str]) -> Iterator[Seen]:
    """Find the line of a file that holds the most of the words."""
    try:
        decoded = decode(read_file(str(root), file.path, _LARGEST).raw)
    except OSError:
        return  # gone meanwhile
    if decoded is None:
        return
    whole = decoded.text.casefold()
    there = [word for word in wanted if word in whole]
    score = len(there) + _NAMED * _matches(file.path, wanted)
    if not there:
        return
    rows = decoded.text.splitlines()
    best = max(range(len(rows)), key=lambda number: (_matches(rows[number], there), -number))
    yield Seen(file.path, best + 1, rows[best].strip()[:_WIDE], score + _matches(rows[best], there))


def _matches(text: str, wanted: Sequence[str]) -> int:
    low = text.casefold()
    return sum(word in low for word in wanted)


def _masked(seen: Seen) -> Seen:
    return Seen(seen.path, seen.line, mask_secrets(seen.text, seen.path).text, seen.score)


def look_lines(look: Look) -> Iterator[Line]:
    """Show what a first look found."""
    yield [(f"A first look at {look.looked} of {look.files} files, while they are indexed:", "dim")]
    for each in look.seen:
        yield [("  ", ""), (f"{each.path}:{each.line}", "cyan place"), (f"  {each.text}", "")]
