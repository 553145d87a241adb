"""Resolve references to lines of a document, such as `path#L10-L24`."""

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
_SEPARATOR = re.compile(r"[#:]")
_PIECE = re.compile(r"~\d{1,9}$")


class LineRange(Struct, frozen=True):
    """Some lines of a document."""

    document: Document
    start: int = 1
    end: int | None = None
    """The last line, None for the end of the document."""
    piece: str | None = None
    """The text, if the range is only a piece of a long line."""


class Excerpt(Struct, frozen=True):
    """Some lines of a document with their text."""

    id: str
    document: str
    title: str
    start: int
    end: int
    lines: int
    """Number of lines of the document."""
    text: str
    notes: tuple[str, ...] = ()
    kind: str = ""
    """Kind of the document."""


def locate_reference(store: Store, reference: str) -> LineRange:
    """Resolve a reference: `path`, `path#L10-L24`, `path#heading`, `path:10` or `path:10:5`.

    Raises:
        NotIndexedError: no document or section has that name. The hint names similar ones.
    """
    reference = reference.removeprefix("./")
    documents = store.documents([reference, f"{reference}/"])  # a folder may be written without its slash
    if documents:
        return LineRange(documents.get(reference) or documents[f"{reference}/"])
    if _PIECE.search(reference) and (pieces := store.chunks([reference])):
        piece = pieces[reference]
        return LineRange(store.documents([piece.document])[piece.document], piece.start, piece.end, piece.text)
    for pattern in (_LINES, _COUNT):
        match = pattern.fullmatch(reference)
        if match and (documents := store.documents([match["path"]])):
            return _line_range(documents[match["path"]], match)
    path, _, anchor = reference.rpartition("#")
    for chunk in store.chunks_of([path]).get(path, ()):
        if anchor in chunk.anchors or normalise_text(anchor).replace(" ", "-") in chunk.anchors:
            return LineRange(store.documents([path])[path], chunk.start, chunk.end)
    raise not_indexed_error(store, reference)


def documents_of_references(
    references: Collection[str], select_known: Callable[[Collection[str]], Collection[str]]
) -> dict[str, str]:
    """Map each reference to its document, if there is one.

    `select_known` returns the ids that exist. The longest one counts, since a path may contain `#` or `:` itself.

    >>> documents_of_references(["a#.md#L1-L2", "a.md:3", "b/", "c.md"], {"a#.md", "a.md", "b/"}.intersection)
    {'a#.md#L1-L2': 'a#.md', 'a.md:3': 'a.md', 'b/': 'b/'}
    """
    possible_ids = {
        reference: [
            reference,
            f"{reference}/",
            *(reference[: separator.start()] for separator in _SEPARATOR.finditer(reference)),
        ]
        for reference in references
    }
    known = select_known({id_ for ids in possible_ids.values() for id_ in ids})
    known_ids = {reference: [id_ for id_ in ids if id_ in known] for reference, ids in possible_ids.items()}
    return {reference: max(ids, key=len) for reference, ids in known_ids.items() if ids}


def cut_excerpt(place: LineRange, reference: str, text: str, notes: Iterable[str]) -> Excerpt:
    """Cut a range of lines out of the text of its document.

    Raises:
        NotIndexedError: the range begins past the end.
    """
    lines = text.removesuffix("\n").split("\n")
    document, end = place.document, min(place.end or len(lines), len(lines))
    if place.start > len(lines):
        message = f"{document.id} has {len(lines)} lines; line {place.start} is past the end of the file."
        raise NotIndexedError(message)
    return Excerpt(
        id=reference if place.piece is not None else f"{document.id}#L{place.start}-L{end}",
        document=document.id,
        title=document.title,
        start=place.start,
        end=end,
        lines=len(lines),
        text="\n".join(lines[place.start - 1 : end]) if place.piece is None else place.piece,
        notes=tuple(filter(None, notes)),
        kind=document.kind,
    )


def _line_range(document: Document, match: re.Match[str]) -> LineRange:
    start, groups = max(int(match["start"]), 1), match.groupdict()
    if groups.get("end"):
        return LineRange(document, start, max(int(groups["end"]), start))
    if groups.get("count"):
        return LineRange(document, start, start + max(int(groups["count"]), 1) - 1)
    return LineRange(document, start, start if match.re is _LINES else None)
