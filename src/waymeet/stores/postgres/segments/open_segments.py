"""The lexicon of a collection, and what was fetched of its segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from waymeet.stores.lexical.buffer import BufferedDocument, WriteBuffer
from waymeet.stores.lexical.lexicon import Lexicon
from waymeet.stores.postgres.database.encoding import hash_key
from waymeet.stores.postgres.segments import registry
from waymeet.stores.postgres.segments.term_rows import unpack_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.segments.block_segment import BlockSegment, FetchedBlocks
    from waymeet.stores.postgres.segments.registry import BufferedVersion

MAX_BYTES = 256_000_000
"""Posting lists that a process keeps of one collection. All are fetched again when there are more."""
_BLOCKS_PER_QUERY = 4000


class OpenSegments:
    """Fetches the posting lists of a collection, and keeps them.

    Threads share it without a lock. Each copies a reference once and works with that: another thread may be in another
    generation and replace the attribute at any moment.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._blocks: dict[int, FetchedBlocks] = {}
        self._segments: dict[int, BlockSegment] = {}
        self._buffered: dict[BufferedVersion, BufferedDocument] = {}
        self._lexicon: tuple[tuple[int, int], Lexicon] | None = None
        self._live_terms: dict[tuple[int, frozenset[int]], frozenset[int]] = {}

    def lexicon(self, session: Session, terms: Iterable[str] = ()) -> Lexicon:
        """Return the lexicon of a session's generation with the posting lists of some terms."""
        lexicon = self._find_lexicon(session)
        self._fetch(session, lexicon, terms)
        return lexicon

    def _find_lexicon(self, session: Session) -> Lexicon:
        previous = self._lexicon
        if previous is not None and previous[0] == session.version:
            return previous[1]
        segments = self._segments = self._open_segments(session)
        lexicon = Lexicon(segments, self._read_buffer(session), session.statistics)
        if previous is not None:
            lexicon.reuse_scorers(previous[1])
        self._lexicon = (session.version, lexicon)
        return lexicon

    def _open_segments(self, session: Session) -> dict[int, BlockSegment]:
        states = registry.list_segments(session)
        if not states:
            return {}
        from waymeet.stores.postgres.segments.block_segment import BlockSegment, FetchedBlocks  # noqa: PLC0415 - numpy costs more than a small search

        known, previous = self._blocks, self._segments
        new = registry.read_arrays(session, [state.id for state in states if state.id not in known])
        opened = {id_: FetchedBlocks(arrays, f"the segment {id_}") for id_, arrays in new.items()}
        self._blocks = {state.id: known.get(state.id) or opened[state.id] for state in states}
        segments = {}
        for id_, _, deleted in states:
            segment, blocks = previous.get(id_), self._blocks[id_]
            is_current = segment is not None and segment.blocks is blocks and segment.deleted == deleted
            segments[id_] = segment if segment is not None and is_current else BlockSegment(blocks, deleted)
        return segments

    def _read_buffer(self, session: Session) -> WriteBuffer:
        """Read the documents without a segment. Known versions are not decoded again."""
        known, buffered = self._buffered, registry.list_buffered(session)
        new = [key for key in buffered if key not in known]
        terms = registry.read_terms(session, [key.document for key in new])
        decoded = {key: BufferedDocument(terms[key.document], unpack_hashes) for key in new}
        documents = self._buffered = {key: decoded.get(key) or known[key] for key in buffered}
        return WriteBuffer(list(documents.values()))

    def _fetch(self, session: Session, lexicon: Lexicon, terms: Iterable[str]) -> None:
        """Fetch the posting lists of terms that are not here yet, by one query."""
        segments = [(id_, segment.blocks) for id_, segment in _block_segments(lexicon)]
        hashes = [hash_key(term) for term in terms] if segments else []
        if not hashes:
            return
        import numpy as np  # noqa: PLC0415 - numpy costs more than a small search

        wanted = np.array(hashes, dtype=np.int64)
        missing = [(id_, number) for id_, blocks in segments for number in blocks.find_missing(wanted)]
        if not missing:
            return
        if sum(blocks.kept_bytes for _, blocks in segments) > self._max_bytes:
            self._forget()
        by_id = dict(segments)
        for start in range(0, len(missing), _BLOCKS_PER_QUERY):
            for id_, number, content in registry.read_blocks(session, missing[start : start + _BLOCKS_PER_QUERY]):
                by_id[id_].add(number, content)

    def _forget(self) -> None:
        """Let the next query begin with nothing. The current one keeps what it uses."""
        self._blocks, self._segments, self._lexicon = {}, {}, None

    def count_terms(self, session: Session) -> int:
        """Count the terms that occur in any chunk."""
        lexicon = self.lexicon(session)
        live = {}
        for id_, segment in _block_segments(lexicon):
            key = id_, segment.deleted
            live[key] = self._live_terms.get(key) or self._find_live_terms(session, segment, id_)
        self._live_terms = live
        return len(frozenset().union(*live.values(), lexicon.buffer.terms))

    def _find_live_terms(self, session: Session, segment: BlockSegment, id_: int) -> frozenset[int]:
        """Find the terms of the live chunks of a segment. Its blocks are read, but not kept."""
        from waymeet.stores.postgres.segments.live_terms import find_live_terms  # noqa: PLC0415 - numpy costs more than a small search

        numbers = range(segment.blocks.number)
        parts = (numbers[start : start + _BLOCKS_PER_QUERY] for start in range(0, len(numbers), _BLOCKS_PER_QUERY))
        rows = (row for part in parts for row in registry.read_blocks(session, ((id_, number) for number in part)))
        return find_live_terms(segment, (content for *_, content in rows))


def _block_segments(lexicon: Lexicon) -> Iterator[tuple[int, BlockSegment]]:
    """Yield the segments of a lexicon, all of which are on the server."""
    return ((id_, cast("BlockSegment", segment)) for id_, segment in lexicon.segments.items())
