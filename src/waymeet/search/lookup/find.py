"""From what a person or an agent calls something to the node that is meant."""

from msgspec import Struct

from waymeet.analysis import file_name_key, normalise_text, path_key, replace_surrogates, symbol_key, title_key
from waymeet.errors import NotIndexedError
from waymeet.ports import Store
from waymeet.search.lookup.citation import LineRange, locate_reference
from waymeet.search.lookup.did_you_mean import anchors
from waymeet.types import Document, Node

_SUGGESTED = 3


class Target(Struct, frozen=True):
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


def find_target(store: Store, reference: str) -> Target:
    """Find what is meant by a name: an id that search shows, a path, `path#Heading`, a file name, a title, a symbol.

    A name that several carry is refused, naming them.

    Raises:
        NotIndexedError: nothing has that name, or several have; the hint names the likeliest.
    """
    reference = replace_surrogates(reference)
    whole = reference.removeprefix("./")
    if exact := store.documents([whole]):  # its own name may hold what elsewhere parts it from a place
        return Target(exact[whole])
    path, mark, anchor = whole.rpartition("#")
    if mark and (document := _named(store, path)):
        return _place(store, document, anchor)
    if document := _named(store, whole):
        return Target(document)
    symbol = _only(store, symbol_key(reference), reference)
    if symbol:
        return _place(store, symbol, reference)
    return _lines(locate_reference(store, reference))


def _lines(place: LineRange) -> Target:
    document = place.document
    return Target(document, lines=(place.start, document.lines if place.end is None else place.end))


def _named(store: Store, name: str) -> Document | None:
    """Find a document by its path, else by its file name, else by its title."""
    exact = store.documents([name]).get(name)
    if exact is not None:
        return exact
    keys = (path_key(name), file_name_key(name), title_key(name))
    return next((found for key in keys if key and (found := _only(store, key, name))), None)


def _only(store: Store, key: str, name: str) -> Document | None:
    carriers = store.documents_by_key([key]).get(key, ())
    if len(carriers) > 1:
        some = ", ".join(carriers[:_SUGGESTED]) + ("…" if len(carriers) > _SUGGESTED else "")
        raise NotIndexedError(f"{len(carriers)} files are called {name!r}.", f"Say which one by its path: {some}")
    return store.documents(carriers).get(carriers[0]) if carriers else None


def _place(store: Store, document: Document, anchor: str) -> Target:
    """Find a heading or symbol in a document; lines stand for the document."""
    known = anchors(store.chunks_of([document.id]).get(document.id, ()))
    for wanted in (anchor, normalise_text(anchor).replace(" ", "-")):
        if wanted in known:
            return Target(document, wanted)
    tails = [each for each in known if each.rpartition(".")[2] == anchor]
    if len(tails) == 1:
        return Target(document, tails[0])
    return _lines(locate_reference(store, f"{document.id}#{anchor}"))
