"""From what a person or an agent cites to a place in a document."""

import re
from collections.abc import Callable, Collection, Iterable

from msgspec import Struct

from waymeet.analysis import normalise_text
from waymeet.errors import NotIndexedError
from waymeet.ports import Store
from waymeet.search.lookup.did_you_mean import not_indexed_error
from waymeet.types import Document

_LINES = re.compile(r"(?P<path>.+?)#L(?P<start>\d{1,9})(?:-L?(?P<end>\d{1,9}))?(?:~\d{1,9})?", re.DOTALL)
_COUNT = re.compile(r"(?P<path>.+?):(?P<start>\d{1,9})(?::(?P<count>\d{1,9}))?", re.DOTALL)


_MARK = re.compile(r"[#:]")
_PIECE = re.compile(r"~\d{1,9}$")


class LineRange(Struct, frozen=True):
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
    kind: str = ""
    """What sort of knowledge the document is."""


def locate_reference(store: Store, reference: str) -> LineRange:
    """Find what a reference means: `path`, `path#L10-L24`, `path#heading`, `path:10` or `path:10:5`.

    Raises:
        NotIndexedError: nothing has that name; the hint names the likeliest.
    """
    reference = reference.removeprefix("./")
    whole = store.documents([reference, f"{reference}/"])  # a folder may be written without its slash
    if whole:
        return LineRange(whole.get(reference) or whole[f"{reference}/"])
    if _PIECE.search(reference) and (pieces := store.chunks([reference])):
        piece = pieces[reference]
        return LineRange(store.documents([piece.document])[piece.document], piece.start, piece.end, piece.text)
    for pattern in (_LINES, _COUNT):
        match = pattern.fullmatch(reference)
        if match and (found := store.documents([match["path"]])):
            return _lines(found[match["path"]], match)
    path, _, anchor = reference.rpartition("#")
    for chunk in store.chunks_of([path]).get(path, ()):
        if anchor in chunk.anchors or normalise_text(anchor).replace(" ", "-") in chunk.anchors:
            return LineRange(store.documents([path])[path], chunk.start, chunk.end)
    raise not_indexed_error(store, reference)


def documents_of_references(
    references: Collection[str], known: Callable[[Collection[str]], Collection[str]]
) -> dict[str, str]:
    """Say of which document each reference names a place, if of any; `known` tells which of some ids there are.

    The longest id counts, for a path may hold what elsewhere parts it from a place.

    >>> documents_of_references(["a#.md#L1-L2", "a.md:3", "b/", "c.md"], {"a#.md", "a.md", "b/"}.intersection)
    {'a#.md#L1-L2': 'a#.md', 'a.md:3': 'a.md', 'b/': 'b/'}
    """
    ids = {each: [each, f"{each}/", *(each[: mark.start()] for mark in _MARK.finditer(each))] for each in references}
    there = known({id_ for several in ids.values() for id_ in several})
    found = {each: [id_ for id_ in several if id_ in there] for each, several in ids.items()}
    return {each: max(several, key=len) for each, several in found.items() if several}


def cut_excerpt(place: LineRange, reference: str, text: str, notes: Iterable[str]) -> Excerpt:
    """Cut a place out of the text of its document.

    Raises:
        NotIndexedError: it begins behind the end.
    """
    rows = text.removesuffix("\n").split("\n")
    document, end = place.document, min(place.end or len(rows), len(rows))
    if place.start > len(rows):
        raise NotIndexedError(f"{document.id} has {len(rows)} lines; line {place.start} is behind its end.")
    return Excerpt(
        id=reference if place.piece is not None else f"{document.id}#L{place.start}-L{end}",
        document=document.id,
        title=document.title,
        start=place.start,
        end=end,
        lines=len(rows),
        text="\n".join(rows[place.start - 1 : end]) if place.piece is None else place.piece,
        notes=tuple(filter(None, notes)),
        kind=document.kind,
    )


def _lines(document: Document, match: re.Match[str]) -> LineRange:
    start, found = max(int(match["start"]), 1), match.groupdict()
    if found.get("end"):
        return LineRange(document, start, max(int(found["end"]), start))
    if found.get("count"):
        return LineRange(document, start, start + max(int(found["count"]), 1) - 1)
    return LineRange(document, start, start if match.re is _LINES else None)
