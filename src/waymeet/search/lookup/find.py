"""Find a document, section or symbol by any of its names."""

from msgspec import Struct

from waymeet.analysis import file_name_key, normalise_text, path_key, replace_surrogates, symbol_key, title_key
from waymeet.errors import NotIndexedError
from waymeet.ports import Store
from waymeet.search.lookup.citation import LineRange, locate_reference
from waymeet.search.lookup.did_you_mean import list_anchors
from waymeet.types import Document, Node

_MAX_SUGGESTIONS = 3


class Target(Struct, frozen=True):
    """A document, or a section, symbol or range of lines in it."""

    document: Document
    anchor: str = ""
    """The heading or symbol, if named."""
    lines: tuple[int, int] | None = None
    """The first and last line, if named."""

    @property
    def node(self) -> Node:
        """The node of the link graph."""
        return Node(self.document.id, self.anchor)


def find_target(store: Store, reference: str) -> Target:
    """Find a document or place by its id, path, `path#Heading`, file name, title or symbol.

    Raises:
        NotIndexedError: no document has that name, or several have it. The hint names similar ones.
    """
    reference = replace_surrogates(reference)
    name = reference.removeprefix("./")
    if documents := store.documents([name]):  # first, since a path may contain `#` itself
        return Target(documents[name])
    path, separator, anchor = name.rpartition("#")
    if separator and (document := _find_document(store, path)):
        return _find_anchor(store, document, anchor)
    if document := _find_document(store, name):
        return Target(document)
    if document := _document_by_key(store, symbol_key(reference), reference):
        return _find_anchor(store, document, reference)
    return _lines_target(locate_reference(store, reference))


def _lines_target(place: LineRange) -> Target:
    document = place.document
    return Target(document, lines=(place.start, document.lines if place.end is None else place.end))


def _find_document(store: Store, name: str) -> Document | None:
    """Find a document by its path, else by its file name, else by its title."""
    exact = store.documents([name]).get(name)
    if exact is not None:
        return exact
    keys = (path_key(name), file_name_key(name), title_key(name))
    return next((document for key in keys if key and (document := _document_by_key(store, key, name))), None)


def _document_by_key(store: Store, key: str, name: str) -> Document | None:
    """Find the only document with a key, and raise an error if there are several."""
    ids = store.documents_by_key([key]).get(key, ())
    if len(ids) > 1:
        some = ", ".join(ids[:_MAX_SUGGESTIONS]) + ("…" if len(ids) > _MAX_SUGGESTIONS else "")
        raise NotIndexedError(f"{len(ids)} files are called {name!r}.", f"Give the path of one of them: {some}")
    return store.documents(ids).get(ids[0]) if ids else None


def _find_anchor(store: Store, document: Document, anchor: str) -> Target:
    """Find a heading, symbol or range of lines in a document."""
    known = list_anchors(store.chunks_of([document.id]).get(document.id, ()))
    for form in (anchor, normalise_text(anchor).replace(" ", "-")):
        if form in known:
            return Target(document, form)
    last_parts = [name for name in known if name.rpartition(".")[2] == anchor]
    if len(last_parts) == 1:
        return Target(document, last_parts[0])
    return _lines_target(locate_reference(store, f"{document.id}#{anchor}"))
