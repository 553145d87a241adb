"""One generation of the memory store: a few plain dictionaries, and everything that follows from them.

Nothing derived is kept up to date; it is worked out anew for each generation, which is slow and easy to believe.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from waymeet.stores.shared.bm25f import Statistics, averages
from waymeet.stores.shared.filters import admits, leaves_out, says
from waymeet.stores.shared.link_resolution import Carriers
from waymeet.stores.shared.validation import length
from waymeet.types import DOCUMENT_FIELDS, FIELDS, Edge, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from waymeet.ports import Vector
    from waymeet.types import Chunk, Document, Filters, IndexEntry, Link, Terms, Word


class Placed(Struct, frozen=True):
    """A chunk with its document and the terms of all fields that are not empty, its own and its document's."""

    chunk: Chunk
    document: Document
    fields: Mapping[str, Terms]


class Drawn(Struct, frozen=True):
    """A link with the edge it makes."""

    link: Link
    edge: Edge


class Snapshot(Struct, frozen=True, dict=True):
    """All that one generation keeps (`dict=True` gives the cached properties a place)."""

    generation: int = 0
    entries: Mapping[str, IndexEntry] = {}
    vectors: Mapping[str, Mapping[str, Vector]] = {}
    """By space, then by chunk; a space without vectors is not there."""
    notes: Mapping[str, str] = {}

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The documents in the order of their ids."""
        return {document: self.entries[document].document for document in sorted(self.entries)}

    @cached_property
    def chunks(self) -> dict[str, Placed]:
        """The chunks in the order of document and position, which is also the order of ties."""
        return {
            chunk.id: Placed(chunk, document, {field: found for field, found in fields.items() if found})
            for document in self.documents.values()
            for chunk, fields in self._with_fields(self.entries[document.id])
        }

    def _with_fields(self, entry: IndexEntry) -> Iterator[tuple[Chunk, dict[str, Terms]]]:
        shared = {**entry.terms, "inbound": self.inbound.get(entry.document.id, {})}
        pairs = zip(entry.chunks, entry.chunk_terms, strict=True)
        for chunk, own in sorted(pairs, key=lambda pair: pair[0].ordinal):
            yield chunk, {**shared, **own}

    @cached_property
    def carriers(self) -> dict[str, list[str]]:
        """The documents that carry each key, in the order of their ids."""
        found: dict[str, list[str]] = defaultdict(list)
        for document in self.documents.values():
            for key in set(document.names):
                found[key].append(document.id)
        return dict(found)

    @cached_property
    def edges(self) -> list[Drawn]:
        """The links in the order of document and position, each led to where it goes now."""
        carriers = Carriers(self.carriers)
        return [
            Drawn(link, _edge(document, link, carriers.target(document, link.refs)))
            for document in self.documents
            for link in self.entries[document].links
        ]

    @cached_property
    def inbound(self) -> dict[str, Terms]:
        """What links say of each document that they lead to."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for drawn in self.edges:
            if drawn.edge.target:
                found[drawn.edge.target.document].update(drawn.link.terms)
        return dict(found)

    @cached_property
    def statistics(self) -> Statistics:
        """The number of chunks and the usual length of each field."""
        lengths: dict[str, list[int]] = {field: [] for field in FIELDS}
        for document, entry in self.entries.items():
            owned = {**entry.terms, "inbound": self.inbound.get(document, {})}
            for field in DOCUMENT_FIELDS:
                lengths[field].append(length(owned.get(field, {})))
            for own in entry.chunk_terms:
                for field, terms in own.items():
                    lengths[field].append(length(terms))
        filled = {field: (sum(found), sum(each > 0 for each in found)) for field, found in lengths.items()}
        return Statistics(len(self.chunks), averages(filled))

    @cached_property
    def uses(self) -> Counter[str]:
        """How many chunks hold each term in any field."""
        found: Counter[str] = Counter()
        for placed in self.chunks.values():
            found.update({term for terms in placed.fields.values() for term in terms})
        return found

    def postings(self, word: Word, fields: Sequence[str]) -> dict[str, dict[str, tuple[int, int]]]:
        """Find a word in some fields of every chunk; a term that the word lists twice counts once."""
        found: dict[str, dict[str, tuple[int, int]]] = {field: {} for field in fields}
        for chunk, placed in self.chunks.items():
            for field in fields:
                here = placed.fields.get(field, {})
                frequency = sum(here.get(term, 0) for term in set(word.terms))
                if frequency:
                    found[field][chunk] = frequency, length(here)
        return found

    def passes(self, chunk: str, filters: Filters) -> bool:
        """Tell whether a chunk passes all filters."""
        placed = self.chunks[chunk]
        searched = {term for field in ("title", "headings", "body") for term in placed.fields.get(field, ())}
        return (
            admits(filters, placed.document)
            and not leaves_out(filters.without, searched)
            and says(filters.phrases, placed.chunk, placed.document.title)
        )


def _edge(document: str, link: Link, target: str | None) -> Edge:
    return Edge(
        source=Node(document, link.source_anchor),
        target=None if target is None else Node(target, link.anchor),
        kind=link.kind,
        text=link.text,
        sentence=link.sentence,
        ref=link.refs[0] if link.refs else "",
        line=link.line,
    )
