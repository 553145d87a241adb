"""Change dates of documents and of the files they refer to, kept in the store.

Indexing works them out (`update_dates`); a search only reads them. A document that changed since then has the time of
its file.
"""

import re
from collections.abc import Collection, Container, Mapping
from datetime import UTC, datetime
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
METADATA_KEY = "moments"
"""Key of the change dates in the store's metadata."""


class Reference(NamedTuple):
    """Reference of a document to a file or symbol."""

    target: str | None
    """Id of the document referred to; None if it is not indexed."""
    is_source: bool
    """Whether the document names it as a source; otherwise it links to it or mentions it."""
    name: str = ""
    """The name used in the document, if that is not the target's path: a missing or renamed source, or a mention.

    A mention without a target counts only if the file is known to have existed.
    """
    symbol: str = ""
    """The symbol of the target that is referred to; empty for the whole file.

    Without a target, a name that no single file defines.
    """
    text: str = ""
    """The name as the document has it, if there is no target."""


class DatedDigest(Struct, frozen=True, array_like=True):
    """Digest of a content, with the time since which the document or symbol has had it."""

    digest: str
    changed_at: ChangeTime


class Removal(Struct, frozen=True, array_like=True):
    """The removal of a definition."""

    path: str
    """The file that had it."""
    time_ns: int
    """Time of the commit, 0 if it is not known."""
    commit: str = ""
    """Beginning of the commit's id; empty if it was not a commit."""
    renamed_to: str = ""
    """A similar name that the same commit added."""


class GoneName(Struct, frozen=True, array_like=True):
    """A name that the code no longer defines."""

    removal: Removal
    similar: str = ""
    """A name that the code defines now and that may replace it."""


class ChangeDates(Struct, frozen=True):
    """Change dates of all documents that refer to something, and of what they refer to."""

    generation: int = -1
    """Generation of the store for which the dates were worked out."""
    head: str = ""
    """Commit that was checked out then."""
    problem: str = ""
    """Warning for the user if dates may be incomplete; otherwise empty."""
    times: Mapping[str, DatedDigest] = {}
    gone: Mapping[str, tuple[int, str]] = {}
    """Missing sources and mentioned files: time of removal (0 if unknown) and the path that has the content now."""
    unindexed: Mapping[str, ChangeTime] = msgspec.field(name="beside", default_factory=dict)
    """Change times of sources that exist but are not indexed, such as images, and of folders."""
    symbols: Mapping[str, DatedDigest] = {}
    """Digests of symbols that documents refer to, by `path#symbol`."""
    gone_names: Mapping[str, GoneName] = {}
    """Names that documents mention and the code no longer defines."""
    names_head: str = ""
    """Commit up to which the history was searched for removed names; empty if it was not searched."""
    names_since: int = 0
    """Time of the oldest commit that was searched for removed names, 0 if all were."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings for the user about what is not known."""
        since = datetime.fromtimestamp(self.names_since / 1e9, UTC).date() if self.names_since else ""
        names = f"names removed before {since} are not known yet; the next `waymeet stale` searches older commits"
        return tuple(filter(None, (self.problem, names if since else "")))

    def of_document(self, document: Document) -> ChangeTime:
        """Return the time at which a document last changed."""
        dated = self.times.get(document.id)
        if dated is None:
            return ChangeTime(document.modified_ns)
        return dated.changed_at if dated.digest == document.digest else ChangeTime(document.modified_ns, "edit")

    def has_existed(self, name: str) -> bool:
        """Check whether a file of this name exists or is known to have existed."""
        return name in self.times or self.gone.get(name, (0, ""))[0] > 0

    def has_date(self, document: Document, symbol: str) -> bool:
        """Check whether a date is kept for a symbol."""
        return f"{document.id}#{symbol}" in self.symbols

    def symbol_digest(self, document: Document, symbol: str) -> str:
        """Return the digest kept for a symbol, if it belongs to the present content of its file."""
        file, part = self.times.get(document.id), self.symbols.get(f"{document.id}#{symbol}")
        return part.digest if part and file and file.digest == document.digest else ""

    def of_symbol(self, document: Document, symbol: str, digest: str) -> ChangeTime:
        """Return the time at which a symbol got the text with this digest.

        Without a kept date this is the time at which its file changed.
        """
        of_file, dated = self.of_document(document), self.symbols.get(f"{document.id}#{symbol}")
        if dated is None or not digest or dated.digest != digest:
            return of_file
        return min(dated.changed_at, of_file, key=lambda each: each.time_ns)


def load_change_dates(store: Store) -> ChangeDates:
    """Read the change dates from a store."""
    return _decode(store.metadata(METADATA_KEY))


@lru_cache(maxsize=4)
def _decode(text: str) -> ChangeDates:
    return msgspec.json.decode(text, type=ChangeDates) if text else ChangeDates()


def list_references(
    store: Store, documents: Collection[str], names: Container[str] | None = None
) -> dict[str, list[Reference]]:
    """List the references of each document, without the documents that have none.

    With `names`, names of symbols that are not among them are left out.
    """
    references: dict[str, list[Reference]] = {}
    if not documents:
        return references
    for document, neighbours in store.neighbours(documents).items():
        for other, kind, outward, _ in neighbours:
            if outward and kind not in {_CONTAINS, SOURCE, _MENTIONS}:
                references.setdefault(document, []).append(Reference(other, is_source=False))
    requested = set(documents)
    for edge in store.edges(documents, (SOURCE, _MENTIONS)):
        document = edge.source.document
        if document in requested:
            others = [each for each in _edge_references(edge, names) if each.target != document]
            if others:
                references.setdefault(document, []).extend(others)
    return references


def _edge_references(edge: Edge, wanted: Container[str] | None) -> list[Reference]:
    """List the references of a source or mention edge.

    A mention without a target gives one for each path that it may be.
    """
    target, symbol = edge.target or (None, "")
    if edge.kind == SOURCE:
        return [Reference(target, is_source=True, name=_name_unless_path(edge), symbol=symbol)]
    key_type, _, path = edge.ref.partition(":")
    name = symbol or (path if key_type == "s" else "")
    is_wanted = bool(name) and (wanted is None or name in wanted)
    is_present = is_wanted and not _is_about_past(edge)
    names = [Reference(None, is_source=False, symbol=name, text=edge.text)] if is_present else []
    if target:  # the file may only reexport the symbol, so that its name is looked up, too
        return [Reference(target, is_source=False, symbol=symbol), *names]
    if key_type == "s":
        return names
    if key_type == "m" and "." in edge.text:  # a name that is imported from elsewhere
        imported = edge.text.rpartition(".")[2]
        is_wanted = wanted is None or imported in wanted
        return [Reference(None, is_source=False, symbol=imported, text=edge.text)] if is_wanted else []
    written = edge.text.removeprefix("./").partition("#")[0].partition(":")[0]
    paths = dict.fromkeys((written, path)) if key_type == "p" else {}
    return [Reference(None, is_source=False, name=path) for path in paths if path]


_PAST = (
    r"(?i)\b(?:removed?|removal|renamed?|deprecat\w*|no longer|formerly|former|previously|used to|replaced|replaces"
    r"|obsolete|legacy|superseded|dropped|moved|gone|instead of|older|earlier|before version|prior to|lower than|as of"
    r"|since version|upgrad\w+|migrat\w+|changelog|what'?s.new|release.notes|breaking)\b"
)
"""Words of texts about the past, in which a name that is gone is not out of date."""


def _is_about_past(edge: Edge) -> bool:
    """Check whether a mention is part of a text about changes, such as a guide for upgrades."""
    where = re.sub(r"[-_/.]", " ", f"{edge.source.document} {edge.source.anchor}")
    return re.search(_PAST, f"{edge.sentence}\n{where}") is not None


def _name_unless_path(edge: Edge) -> str:
    """Return the path that a document uses for a source, unless that is the path of the target.

    >>> from waymeet.types import Node
    >>> _name_unless_path(Edge(Node("a.md"), None, "source", "src/Auth.py:10", ref="p:src/auth.py"))
    'src/auth.py'
    >>> _name_unless_path(Edge(Node("a.md"), None, "source", "src/Auth.py", ref="p:src/auth.py"))
    'src/Auth.py'
    >>> _name_unless_path(Edge(Node("a.md"), Node("src/Auth.py"), "source", "src/Auth.py", ref="p:src/auth.py"))
    ''
    """
    if edge.target is not None and path_key(edge.target.document) == edge.ref:
        return ""
    return edge.text if path_key(edge.text) == edge.ref else edge.ref.partition(":")[2]
