"""Writing documents to segments, and merging segments.

Posting lists are computed outside of the transaction that stores them, so that other writers wait for a moment only.
A document that changed meanwhile stays without a segment. A segment is stored with the list of its documents in one
transaction: a crash at any moment leaves everything as it was.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from waymeet.settings.bm25 import AUTO_BM25
from waymeet.stores.postgres.segments import registry
from waymeet.stores.segments.posting_codec import DocumentTerms
from waymeet.stores.shared import bm25f

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from waymeet.stores.postgres.database.session import Session, WriteSession
    from waymeet.stores.postgres.database.sessions import Sessions
    from waymeet.stores.postgres.segments.posting_blocks import EncodedSegment
    from waymeet.stores.postgres.segments.registry import ListedDocument, SegmentState

_DOCUMENTS_PER_QUERY = 5000


class SegmentLimits(Struct, frozen=True):
    """Sizes at which documents are written to segments. They affect speed, but no result."""

    max_buffered: int = 4000
    """Chunks without a segment above which a change writes one at once."""
    min_segment: int = 64
    """Chunks without a segment up to which `optimize` writes none."""
    max_segment: int = 131_072
    """Chunks per segment: memory use stays bounded."""
    max_small_segments: int = 4
    """Small segments above which `optimize` merges them."""
    max_deleted_share: float = 0.3
    """Share of deleted documents above which `optimize` writes a segment again."""


class SegmentMaintenance:
    """Writes and merges the segments of one collection."""

    def __init__(self, sessions: Sessions, limits: SegmentLimits) -> None:
        self._sessions = sessions
        self._limits = limits

    def flush_if_full(self, buffered: int) -> None:
        """Write segments if many chunks are in none, unless another process does so."""
        if buffered > self._limits.max_buffered:
            with self._sessions.exclusive() as is_exclusive:
                if is_exclusive:
                    self._flush()

    def optimize(self) -> None:
        """Write documents to segments and merge small ones, unless another process does so."""
        with self._sessions.exclusive() as is_exclusive:
            if is_exclusive:
                if self._sessions.read(registry.count_buffered_chunks) > self._limits.min_segment:
                    self._flush()
                self._merge()

    def _flush(self) -> None:
        for documents in self._split(self._sessions.read(registry.list_to_flush)):
            segment = self._sessions.read(partial(_build, documents))
            self._sessions.write(partial(_store, [(segment, documents)], ()))

    def _merge(self) -> None:
        states = self._sessions.read(registry.list_segments)
        sizes = self._sessions.read(registry.count_documents)
        chosen = _choose_segments(states, sizes, self._limits)
        if not chosen:
            return

        def build(session: Session) -> list[tuple[EncodedSegment, Sequence[ListedDocument]]]:
            batches = self._split(registry.list_documents_in(session, chosen))
            return [(_build(batch, session), batch) for batch in batches]

        built = self._sessions.read(build)
        self._sessions.write(partial(_store, built, chosen))

    def _split(self, documents: Sequence[ListedDocument]) -> Iterator[list[ListedDocument]]:
        """Split documents into batches of a segment's size."""
        batch: list[ListedDocument] = []
        chunks = 0
        for document in documents:
            chunks += document.chunks
            if batch and chunks > self._limits.max_segment:
                yield batch
                batch, chunks = [], document.chunks
            batch.append(document)
        if batch:
            yield batch


def _build(documents: Sequence[ListedDocument], session: Session) -> EncodedSegment:
    """Compute a segment of documents."""
    from waymeet.stores.postgres.segments.posting_blocks import build_segment  # noqa: PLC0415 - numpy costs more than a small search

    terms: dict[int, DocumentTerms] = {}
    for start in range(0, len(documents), _DOCUMENTS_PER_QUERY):
        terms |= registry.read_terms(
            session, [each.document for each in documents[start : start + _DOCUMENTS_PER_QUERY]]
        )
    scales = bm25f.field_scales(AUTO_BM25, session.statistics.averages)
    present = [
        terms.get(document) or DocumentTerms(document, b"", []) for document, *_ in documents
    ]  # some may be gone
    return build_segment(present, scales, AUTO_BM25.k1)


def _store(
    segments: Sequence[tuple[EncodedSegment, Sequence[ListedDocument]]], replaced: Sequence[int], session: WriteSession
) -> None:
    """Store segments in place of others, unless these are gone."""
    if replaced and not registry.drop_segments(session, replaced):
        return
    for segment, documents in segments:
        registry.register(session, segment, documents)
    session.raise_registry_version()


def _choose_segments(states: Sequence[SegmentState], documents: dict[int, int], limits: SegmentLimits) -> list[int]:
    """Choose the segments to merge: those with many deletions, and small ones if there are many."""
    chosen, small = set(), set()
    for id_, chunks, deleted in states:
        if len(deleted) > limits.max_deleted_share * (len(deleted) + documents.get(id_, 0)):
            chosen.add(id_)
        if chunks < limits.max_segment / 2:
            small.add(id_)
    return sorted(chosen | (small if len(small) > limits.max_small_segments else set()))
