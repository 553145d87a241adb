"""One generation of the memory store: a few dictionaries, and everything derived from them.

Nothing derived is updated. It is computed anew for each generation, which is slow and easy to verify.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from waymeet.stores.shared.bm25f import Statistics, average_lengths
from waymeet.stores.shared.filters import contains_phrases, document_passes, is_excluded
from waymeet.stores.shared.link_resolution import LinkResolver
from waymeet.stores.shared.validation import field_length
from waymeet.types import DOCUMENT_FIELDS, FIELDS, Edge, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from waymeet.stores.memory.quantised import Code
    from waymeet.types import Chunk, Document, Filters, IndexEntry, Link, Terms, Word


class ChunkEntry(Struct, frozen=True):
    """A chunk with its document and the terms of all non-empty fields of both."""

    chunk: Chunk
    document: Document
    fields: Mapping[str, Terms]


class ResolvedLink(Struct, frozen=True):
    """A link with its edge."""

    link: Link
    edge: Edge


class Snapshot(Struct, frozen=True, dict=True):
    """The content of one generation (`dict=True` makes cached properties possible)."""

    generation: int = 0
    entries: Mapping[str, IndexEntry] = {}
    vectors: Mapping[str, Mapping[str, Code]] = {}
    """Quantised vectors by space, then by chunk. A space without vectors is left out."""
    metadata: Mapping[str, str] = {}

    def with_commit_dates(self, dates: Mapping[str, int]) -> Snapshot:
        """Return a snapshot with the dates of documents set to those of commits."""
        dated = {
            id_: replace(entry, document=replace(entry.document, changed_ns=dates[id_], changed_by="commit"))
            for id_, entry in self.entries.items()
            if id_ in dates and (entry.document.changed_ns, entry.document.changed_by) != (dates[id_], "commit")
        }
        return replace(self, generation=self.generation + 1, entries={**self.entries, **dated}) if dated else self

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The documents in the order of their ids."""
        return {document: self.entries[document].document for document in sorted(self.entries)}

    @cached_property
    def chunks(self) -> dict[str, ChunkEntry]:
        """The chunks in the order of document and position, which is also the order of ties."""
        return {
            chunk.id: ChunkEntry(chunk, document, {field: terms for field, terms in fields.items() if terms})
            for document in self.documents.values()
            for chunk, fields in self._chunks_with_fields(self.entries[document.id])
        }

    def _chunks_with_fields(self, entry: IndexEntry) -> Iterator[tuple[Chunk, dict[str, Terms]]]:
        document_fields = {**entry.terms, "inbound": self.inbound.get(entry.document.id, {})}
        pairs = zip(entry.chunks, entry.chunk_terms, strict=True)
        for chunk, chunk_fields in sorted(pairs, key=lambda pair: pair[0].ordinal):
            yield chunk, {**document_fields, **chunk_fields}

    @cached_property
    def documents_by_key(self) -> dict[str, list[str]]:
        """The documents that have each key among their names, in the order of their ids."""
        documents: dict[str, list[str]] = defaultdict(list)
        for document in self.documents.values():
            for key in set(document.names):
                documents[key].append(document.id)
        return dict(documents)

    @cached_property
    def links(self) -> list[ResolvedLink]:
        """The links in the order of document and position, resolved."""
        resolver = LinkResolver(self.documents_by_key)
        return [
            ResolvedLink(link, _edge(document, link, resolver.resolve(document, link.refs)))
            for document in self.documents
            for link in self.entries[document].links
        ]

    @cached_property
    def inbound(self) -> dict[str, Terms]:
        """The summed terms of the links to each document."""
        inbound: dict[str, Counter[str]] = defaultdict(Counter)
        for resolved in self.links:
            if resolved.edge.target:
                inbound[resolved.edge.target.document].update(resolved.link.terms)
        return dict(inbound)

    @cached_property
    def statistics(self) -> Statistics:
        """The number of chunks and the average length of each field."""
        lengths: dict[str, list[int]] = {field: [] for field in FIELDS}
        for document, entry in self.entries.items():
            document_fields = {**entry.terms, "inbound": self.inbound.get(document, {})}
            for field in DOCUMENT_FIELDS:
                lengths[field].append(field_length(document_fields.get(field, {})))
            for chunk_fields in entry.chunk_terms:
                for field, terms in chunk_fields.items():
                    lengths[field].append(field_length(terms))
        totals = {field: (sum(values), sum(length > 0 for length in values)) for field, values in lengths.items()}
        return Statistics(len(self.chunks), average_lengths(totals))

    @cached_property
    def term_counts(self) -> Counter[str]:
        """The number of chunks that contain each term in any field."""
        counts: Counter[str] = Counter()
        for entry in self.chunks.values():
            counts.update({term for terms in entry.fields.values() for term in terms})
        return counts

    def postings(self, word: Word, fields: Sequence[str]) -> dict[str, dict[str, tuple[int, int]]]:
        """Collect the postings of a word in some fields. A term listed twice counts once."""
        postings: dict[str, dict[str, tuple[int, int]]] = {field: {} for field in fields}
        for chunk, entry in self.chunks.items():
            for field in fields:
                terms = entry.fields.get(field, {})
                frequency = sum(terms.get(term, 0) for term in set(word.terms))
                if frequency:
                    postings[field][chunk] = frequency, field_length(terms)
        return postings

    def passes(self, chunk: str, filters: Filters) -> bool:
        """Return whether a chunk passes all filters."""
        entry = self.chunks[chunk]
        terms = {term for field in ("title", "headings", "body") for term in entry.fields.get(field, ())}
        return (
            document_passes(filters, entry.document)
            and not is_excluded(filters.without, terms)
            and contains_phrases(filters.phrases, entry.chunk, entry.document.title)
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
