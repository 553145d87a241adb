"""From what a person or an agent cites to a place in a document."""

import re

from msgspec import Struct

from waymeet.analysis import plain
from waymeet.errors import NotIndexedError
from waymeet.ports import Store
from waymeet.types import Document

_LINES = re.compile(r"(?P<path>.+?)#L(?P<start>\d{1,9})(?:-L?(?P<end>\d{1,9}))?(?:~\d{1,9})?", re.DOTALL)
_COUNT = re.compile(r"(?P<path>.+?):(?P<start>\d{1,9})(?::(?P<count>\d{1,9}))?", re.DOTALL)


_PIECE = re.compile(r"~\d{1,9}$")


class Place(Struct, frozen=True):
    """Some lines of a document."""

    document: Document
    start: int = 1
    end: int | None = None
    """The last line; None for the document's last."""
    piece: str | None = None
    """The text, if the place is only a piece of a long line."""


class Excerpt(Struct, frozen=True):
    """Some lines of a document with their text."""

    id: str
    document: str
    title: str
    start: int
    end: int
    lines: int
    """How many lines the document has."""
    text: str
    notes: tuple[str, ...] = ()


def locate(store: Store, reference: str) -> Place:
    """Find what a reference means: `path`, `path#L10-L24`, `path#heading`, `path:10` or `path:10:5`."""
    reference = reference.removeprefix("./")
    whole = store.documents([reference, f"{reference}/"])  # a folder may be written without its slash
    if whole:
        return Place(whole.get(reference) or whole[f"{reference}/"])
    if _PIECE.search(reference) and (pieces := store.chunks([reference])):
        piece = pieces[reference]
        return Place(store.documents([piece.document])[piece.document], piece.start, piece.end, piece.text)
    for pattern in (_LINES, _COUNT):
        match = pattern.fullmatch(reference)
        if match and (found := store.documents([match["path"]])):
            return _lines(found[match["path"]], match)
    path, _, anchor = reference.rpartition("#")
    for chunk in store.chunks_of([path]).get(path, ()):
        if anchor in chunk.anchors or plain(anchor).replace(" ", "-") in chunk.anchors:
            return Place(store.documents([path])[path], chunk.start, chunk.end)
    raise NotIndexedError(
        f"Nothing indexed is called {reference!r}.",
        "Use an id that search shows (path#L10-L24) or the path of an indexed file.",
    )


def _lines(document: Document, match: re.Match[str]) -> Place:
    start, found = max(int(match["start"]), 1), match.groupdict()
    if found.get("end"):
        return Place(document, start, max(int(found["end"]), start))
    if found.get("count"):
        return Place(document, start, start + max(int(found["count"]), 1) - 1)
    return Place(document, start, start if match.re is _LINES else None)
