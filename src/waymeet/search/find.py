"""From what a person or an agent calls something to the node that is meant."""

from difflib import get_close_matches

from msgspec import Struct

from waymeet.analysis import called, defined, located, plain, titled, well_formed
from waymeet.errors import NotIndexedError
from waymeet.ports import Store
from waymeet.search.read import Place, locate
from waymeet.types import Chunk, Document, Node

_SUGGESTED = 3


class Meant(Struct, frozen=True):
    """A document, or a place in it, that was asked about."""

    document: Document
    anchor: str = ""
    """The heading or symbol, if one was named."""
    lines: tuple[int, int] | None = None
    """The first and last line, if some were named."""

    @property
    def node(self) -> Node:
        """The end of edges that it is."""
        return Node(self.document.id, self.anchor)


def find(store: Store, reference: str) -> Meant:
    """Find what is meant by a name: an id that search shows, a path, `path#Heading`, a file name, a title, a symbol.

    A name that several carry is refused, naming them.

    Raises:
        NotIndexedError: nothing has that name, or several have; the hint names the likeliest.
    """
    reference = well_formed(reference)
    path, mark, anchor = reference.removeprefix("./").rpartition("#")
    if mark and (document := _named(store, path)):
        return _place(store, document, anchor)
    if document := _named(store, reference.removeprefix("./")):
        return Meant(document)
    symbol = _only(store, defined(reference), reference)
    if symbol:
        return _place(store, symbol, reference)
    try:
        return _lines(locate(store, reference))
    except NotIndexedError:
        raise _nothing(store, reference) from None


def _lines(place: Place) -> Meant:
    document = place.document
    return Meant(document, lines=(place.start, document.lines if place.end is None else place.end))


def _named(store: Store, name: str) -> Document | None:
    """Find a document by its path, else by its file name, else by its title."""
    exact = store.documents([name]).get(name)
    if exact is not None:
        return exact
    keys = (located(name), called(name), titled(name))
    return next((found for key in keys if key and (found := _only(store, key, name))), None)


def _only(store: Store, key: str, name: str) -> Document | None:
    carriers = store.named([key]).get(key, ())
    if len(carriers) > 1:
        some = ", ".join(carriers[:_SUGGESTED]) + ("…" if len(carriers) > _SUGGESTED else "")
        raise NotIndexedError(f"{len(carriers)} files are called {name!r}.", f"Say which one by its path: {some}")
    return store.documents(carriers).get(carriers[0]) if carriers else None


def _place(store: Store, document: Document, anchor: str) -> Meant:
    """Find a heading or symbol in a document; lines stand for the document."""
    chunks = store.chunks_of([document.id]).get(document.id, ())
    known = [*_anchors(chunks)]
    for wanted in (anchor, plain(anchor).replace(" ", "-")):
        if wanted in known:
            return Meant(document, wanted)
    tails = [each for each in known if each.rpartition(".")[2] == anchor]
    if len(tails) == 1:
        return Meant(document, tails[0])
    try:
        return _lines(locate(store, f"{document.id}#{anchor}"))
    except NotIndexedError:
        close = get_close_matches(anchor, known, n=_SUGGESTED) or known[:_SUGGESTED]
        hint = f"It has: {', '.join(close)}" if close else "It has no headings or symbols."
        raise NotIndexedError(f"{document.id} has no {anchor!r}.", hint) from None


def _anchors(chunks: tuple[Chunk, ...]) -> dict[str, None]:
    return dict.fromkeys(anchor for chunk in chunks for anchor in (*chunk.anchors, *(s.name for s in chunk.symbols)))


def _nothing(store: Store, reference: str) -> NotIndexedError:
    close = near(reference.partition("#")[0], list(store.fingerprints()))
    hint = f"Did you mean {' or '.join(close)}?" if close else "Use an id that search shows, or the path of a file."
    return NotIndexedError(f"Nothing indexed is called {reference!r}.", hint)


def near(name: str, paths: list[str], number: int = _SUGGESTED) -> list[str]:
    """List paths whose last part is that of a name, or is spelled much like it; those in like folders first.

    >>> near("docs/stup.md", ["src/setup.md", "docs/setup.md", "docs/other.md"])
    ['docs/setup.md', 'src/setup.md']
    """
    last = _last(name)
    ends: dict[str, list[str]] = {}
    for path in paths:
        end = _last(path)
        for form in {end, end.rpartition(".")[0] or end}:
            ends.setdefault(form, []).append(path)
    alike = [last] if last in ends else get_close_matches(last, ends, n=number, cutoff=0.75)
    folders = set(name.casefold().split("/")[:-1])
    found: list[str] = []
    for end in alike:
        found += sorted(ends[end], key=lambda path: (-len(folders & set(path.casefold().split("/"))), path))
    return list(dict.fromkeys(found))[:number]


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].casefold()
