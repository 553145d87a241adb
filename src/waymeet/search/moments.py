"""When documents and what they refer to last changed, worked out while indexing and remembered in the store.

A search only reads what is remembered: a document that changed since then has the time of its file.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec import Struct

from waymeet.analysis import located
from waymeet.formulas.staleness import Moment
from waymeet.ports import Store
from waymeet.types import Document, Edge

SOURCE = "source"
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
    """What a source is called, if that is not its path: it is missing, or has another path now."""


class Remembered(Struct, frozen=True, array_like=True):
    """When a document got the content with a digest."""

    digest: str
    moment: Moment


class Moments(Struct, frozen=True):
    """What is remembered of all documents that refer to something, and of what they refer to."""

    generation: int = -1
    """The generation of the store that was looked at."""
    head: str = ""
    """The commit that was checked out then."""
    problem: str = ""
    """Why less is known than there might be."""
    times: Mapping[str, Remembered] = {}
    gone: Mapping[str, tuple[int, str]] = {}
    """When a source that is missing vanished, and which path has had its content since, if any."""
    beside: Mapping[str, Moment] = {}
    """When sources that are there but not indexed, such as pictures, last changed."""

    def of(self, document: Document) -> Moment:
        """Say when a document last changed."""
        found = self.times.get(document.id)
        if found is None:
            return Moment(document.modified_ns)
        return found.moment if found.digest == document.digest else Moment(document.modified_ns, "edit")


def recalled(store: Store) -> Moments:
    """Read back what is remembered."""
    return _decoded(store.note(NOTE))


@lru_cache(maxsize=4)
def _decoded(text: str) -> Moments:
    return msgspec.json.decode(text, type=Moments) if text else Moments()


def references(store: Store, documents: Collection[str]) -> dict[str, list[Reference]]:
    """List what each document refers to, those left out that refer to nothing."""
    found: dict[str, list[Reference]] = {}
    if not documents:
        return found
    for document, around in store.neighbours(documents).items():
        for other, kind, outward, _ in around:
            if outward and kind not in {_CONTAINS, SOURCE}:
                found.setdefault(document, []).append(Reference(other, source=False))
    wanted = set(documents)
    for edge in store.edges(documents, (SOURCE,)):
        if edge.source.document in wanted:
            target = edge.target.document if edge.target else None
            found.setdefault(edge.source.document, []).append(Reference(target, source=True, name=_former(edge)))
    return found


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
    if edge.target is not None and located(edge.target.document) == edge.ref:
        return ""
    return edge.text if located(edge.text) == edge.ref else edge.ref.partition(":")[2]
