"""The lexicon of one generation: postings in segments and the buffer, and statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.shared import bm25f
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from waymeet.settings import Bm25
    from waymeet.stores.lexical.buffer import WriteBuffer
    from waymeet.stores.segments.bulk_scorer import SegmentScorer
    from waymeet.stores.segments.reader import Posting, Segment

    Postings = dict[str, dict[int, tuple[int, int]]]
    """By field, then chunk: frequency and length of the field."""

    Place = tuple[int | None, int | None]
    """The segment of a chunk's document and its position in it, or None twice for a buffered one."""


_FEW_CHUNKS = 200
"""Chunks up to which words are looked up in each one rather than in all."""


class Lexicon:
    """All postings of one generation."""

    def __init__(
        self, segments: Mapping[int, Segment], buffer: WriteBuffer, statistics: bm25f.Statistics | None = None
    ) -> None:
        self.segments = segments
        self.buffer = buffer
        self.statistics = statistics or _collect_statistics(segments.values(), buffer)
        self._scorers: dict[tuple[int, Bm25], SegmentScorer] = {}

    def count_postings(self, terms: Iterable[int]) -> int:
        """Count the chunks in segments that contain each of the terms, deleted ones included."""
        return sum(segment.count_matches(term) for term in terms for segment in self.segments.values())

    def postings(self, terms: Sequence[int], fields: Collection[str]) -> Postings:
        """Collect the postings of a word, given by its terms, in some fields."""
        postings: Postings = {field: {} for field in fields}
        for term in terms:
            for segment in self.segments.values():
                segment.add_postings(term, postings)
            _add(self.buffer.postings(term), postings)
        return postings

    def buffered_postings(self, terms: Sequence[int], fields: Collection[str]) -> Postings:
        """Collect the postings of a word in some fields of buffered chunks."""
        postings: Postings = {field: {} for field in fields}
        for term in terms:
            _add(self.buffer.postings(term), postings)
        return postings

    def postings_in(
        self, words: Sequence[Sequence[int]], fields: Collection[str], places: Mapping[int, Place]
    ) -> list[Postings]:
        """Collect the postings of words in some fields of chunks, given with their places."""
        by_word: list[Postings] = [{field: {} for field in fields} for _ in words]
        for chunk, (segment_id, document) in places.items():
            segment = self.segments.get(segment_id) if segment_id is not None else None
            position = segment.position_of(document, chunk) if segment is not None and document is not None else None
            for terms, postings in zip(words, by_word, strict=True):
                for term in terms:
                    if segment is not None and position is not None:
                        _add(segment.postings_in(term, position), postings)
                    else:
                        _add(self.buffer.postings_in(term, chunk), postings)
        return by_word

    def chunks_with_any(self, terms: Iterable[int], fields: Collection[str]) -> set[int]:
        """Find the chunks with any of the terms in any of the fields."""
        chunks: set[int] = set()
        for term in terms:
            chunks.update(*(segment.find_chunks(term, fields) for segment in self.segments.values()))
            chunks.update(posting.chunk for posting in self.buffer.postings(term) if posting.field in fields)
        return chunks

    def count_chunks_with_any(self, terms: Sequence[int], fields: tuple[str, ...]) -> int:
        """Count the chunks with any of the terms in any of the fields."""
        if len(terms) == 1 and fields == FIELDS:
            return self.count_chunks(terms[0])  # the lists have the number
        return len(self.chunks_with_any(terms, fields))

    def chunks_with_all(self, terms: Sequence[int], fields: Collection[str]) -> set[int]:
        """Find the chunks with every one of the terms in any of the fields."""
        sets = [self.chunks_with_any([term], fields) for term in terms]
        return set.intersection(*sets) if sets else set()

    def chunks_with_words(
        self,
        words: Sequence[Sequence[int]],
        fields: Collection[str],
        locate: Callable[[Iterable[int]], Mapping[int, Place]],
    ) -> set[int]:
        """Find the chunks with every word, given by its terms, in any of the fields.

        The rarest word is looked up in all chunks, the others only in those that are left once they are few.
        """
        rarest, *others = sorted(words, key=self.count_postings)
        chunks = self.chunks_with_any(rarest, fields)
        for index, word in enumerate(others):
            if len(chunks) <= _FEW_CHUNKS:
                for postings in self.postings_in(others[index:], fields, locate(chunks)):
                    chunks &= set().union(*postings.values())
                break
            chunks &= self.chunks_with_any(word, fields)
        return chunks

    def scorer(self, segment: int, bm25: Bm25) -> SegmentScorer:
        """Return the scorer of a segment under some settings."""
        if (segment, bm25) not in self._scorers:
            from waymeet.stores.segments.bulk_scorer import MAX_CACHED, SegmentScorer  # noqa: PLC0415 - numpy costs more than a small search

            scales, max_cached = bm25f.field_scales(bm25, self.statistics.averages), MAX_CACHED // len(self.segments)
            self._scorers[segment, bm25] = SegmentScorer(self.segments[segment], scales, bm25.k1, max_cached)
        return self._scorers[segment, bm25]

    def reuse_scorers(self, previous: Lexicon) -> None:
        """Take over the scorers of the previous generation that are still valid."""
        if self.statistics.averages == previous.statistics.averages:
            self._scorers = {
                (segment, bm25): scorer
                for (segment, bm25), scorer in previous._scorers.copy().items()  # other threads may use it
                if segment in self.segments and self.segments[segment] is scorer.segment
            }

    def count_terms(self) -> int:
        """Count the terms that occur in live chunks."""
        terms = set().union(*(ids for segment in self.segments.values() for ids in segment.terms), self.buffer.terms)
        if not any(segment.deleted for segment in self.segments.values()):
            return len(terms)
        return sum(map(self.has_term, terms))

    def has_term(self, term: int) -> bool:
        """Return whether a term occurs in a live chunk."""
        return bool(self.buffer.postings(term)) or any(
            next(segment.postings(term), None) is not None for segment in self.segments.values()
        )

    def count_chunks(self, term: int) -> int:
        """Count the live chunks that contain a term."""
        buffered = {posting.chunk for posting in self.buffer.postings(term)}
        return sum(segment.count_chunks(term) for segment in self.segments.values()) + len(buffered)


def _collect_statistics(segments: Collection[Segment], buffer: WriteBuffer) -> bm25f.Statistics:
    lengths = {
        field: [*(segment.total_length(field) for segment in segments), buffer.total_length(field)] for field in FIELDS
    }
    return bm25f.Statistics(
        sum(segment.live_chunks for segment in segments) + buffer.chunks,
        bm25f.average_lengths({field: _sum_pairs(pairs) for field, pairs in lengths.items()}),
    )


def _sum_pairs(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    totals = list(pairs)
    return sum(total for total, _ in totals), sum(filled for _, filled in totals)


def _add(new: Iterable[Posting], postings: Postings) -> None:
    """Add the postings of one more term, summing frequencies."""
    for chunk, field, frequency, length in new:
        by_chunk = postings.get(field)
        if by_chunk is not None:
            by_chunk[chunk] = (by_chunk[chunk][0] + frequency if chunk in by_chunk else frequency), length
