"""When documents and what they refer to last changed, worked out while indexing and remembered in the store.

A search only reads what is remembered: a document that changed since then has the time of its file.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec import Struct

from waymeet.analysis import path_key
from waymeet.formulas.staleness import ChangeTime
from waymeet.ports import Store
from waymeet.types import Document, Edge

SOURCE = "source"
_MENTIONS = "mentions"
_CONTAINS = "contains"
NOTE = "moments"
"""Under which name the store keeps them."""


class Reference(NamedTuple):
    """That a document refers to something."""

    target: str | None
    """None if it is not indexed."""
    source: bool
    """Whether it names it as a source; else it links to it or mentions it."""
    name: str = ""
    """What it is called, if that is not its path: a source that is missing or has another path now, or a mention.

    A mention that leads nowhere counts only if it is remembered that there was such a file.
    """
    symbol: str = ""
    """What is meant in the target, if not all of it."""


class Remembered(Struct, frozen=True, array_like=True):
    """When a document got the content with a digest."""

    digest: str
    moment: ChangeTime


class ChangeDates(Struct, frozen=True):
    """What is remembered of all documents that refer to something, and of what they refer to."""

    generation: int = -1
    """The generation of the store that was looked at."""
    head: str = ""
    """The commit that was checked out then."""
    problem: str = ""
    """Why less is known than there might be."""
    times: Mapping[str, Remembered] = {}
    gone: Mapping[str, tuple[int, str]] = {}
    """When a source or mentioned file that is missing vanished, and which path has had its content since, if any."""
    beside: Mapping[str, ChangeTime] = {}
    """When sources that are there but not indexed, such as pictures, last changed."""
    symbols: Mapping[str, Remembered] = {}
    """Since when symbols that documents refer to have had their text, by `path#symbol`."""

    def of(self, document: Document) -> ChangeTime:
        """Say when a document last changed."""
        found = self.times.get(document.id)
        if found is None:
            return ChangeTime(document.modified_ns)
        return found.moment if found.digest == document.digest else ChangeTime(document.modified_ns, "edit")

    def knew(self, name: str) -> bool:
        """Tell whether there is or was something of a name."""
        return name in self.times or self.gone.get(name, (0, ""))[0] > 0

    def knows(self, document: Document, symbol: str) -> str:
        """Give the digest of a symbol's text if it is remembered of the content that its file has."""
        whole, part = self.times.get(document.id), self.symbols.get(f"{document.id}#{symbol}")
        return part.digest if part and whole and whole.digest == document.digest else ""

    def of_symbol(self, document: Document, symbol: str, digest: str) -> ChangeTime:
        """Say when a symbol last changed whose text has a digest now; one that is not remembered, when its file did."""
        whole, found = self.of(document), self.symbols.get(f"{document.id}#{symbol}")
        same = found is not None and digest and found.digest == digest
        return min(found.moment, whole, key=lambda each: each.time_ns) if found is not None and same else whole


def recalled(store: Store) -> ChangeDates:
    """Read back what is remembered."""
    return _decoded(store.metadata(NOTE))


@lru_cache(maxsize=4)
def _decoded(text: str) -> ChangeDates:
    return msgspec.json.decode(text, type=ChangeDates) if text else ChangeDates()


def references(store: Store, documents: Collection[str]) -> dict[str, list[Reference]]:
    """List what each document refers to, those left out that refer to nothing."""
    found: dict[str, list[Reference]] = {}
    if not documents:
        return found
    for document, around in store.neighbours(documents).items():
        for other, kind, outward, _ in around:
            if outward and kind not in {_CONTAINS, SOURCE, _MENTIONS}:
                found.setdefault(document, []).append(Reference(other, source=False))
    wanted = set(documents)
    for edge in store.edges(documents, (SOURCE, _MENTIONS)):
        document = edge.source.document
        if document in wanted and (meant := [each for each in _meant(edge) if each.target != document]):
            found.setdefault(document, []).extend(meant)
    return found


def _meant(edge: Edge) -> list[Reference]:
    """Say what a source or mention refers to; a mention that leads nowhere, by the paths it may mean."""
    target, symbol = edge.target or (None, "")
    if edge.kind == SOURCE:
        return [Reference(target, source=True, name=_former(edge), symbol=symbol)]
    if target:
        return [Reference(target, source=False, symbol=symbol)]
    sort, _, path = edge.ref.partition(":")
    written = edge.text.removeprefix("./").partition("#")[0].partition(":")[0]
    names = dict.fromkeys((written, path)) if sort == "p" else {}
    return [Reference(None, source=False, name=name) for name in names if name]


def _former(edge: Edge) -> str:
    """Give the path that a source is called by, unless that is the path it has.

    >>> from waymeet.types import Node
    >>> _former(Edge(Node("a.md"), None, "source", "src/Auth.py:10", ref="p:src/auth.py"))
    'src/auth.py'
    >>> _former(Edge(Node("a.md"), None, "source", "src/Auth.py", ref="p:src/auth.py"))
    'src/Auth.py'
    >>> _former(Edge(Node("a.md"), Node("src/Auth.py"), "source", "src/Auth.py", ref="p:src/auth.py"))
    ''
    """
    if edge.target is not None and path_key(edge.target.document) == edge.ref:
        return ""
    return edge.text if path_key(edge.text) == edge.ref else edge.ref.partition(":")[2]
