"""Words in one generation: where they occur, in segments and in loose documents, and how long fields usually are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.segments.posting_codec import FIELD_CODES
from waymeet.stores.shared import bm25f
from waymeet.stores.sqlite.segments import registry
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import apsw

    from waymeet.settings import Bm25
    from waymeet.stores.segments.bulk_scorer import Scorer
    from waymeet.stores.segments.reader import Occurrence, Segment
    from waymeet.stores.sqlite.segments.buffer import WriteBuffer

    Found = dict[str, dict[int, tuple[int, int]]]


_FEW_CHUNKS = 200
"""Chunks in which words are looked up one by one rather than everywhere."""


class Lexicon:
    """All occurrences of all terms in one generation."""

    def __init__(self, segments: Mapping[int, Segment], loose: WriteBuffer) -> None:
        self.segments = segments
        self.loose = loose
        lengths = {
            field: [*(segment.lengths(field) for segment in segments.values()), loose.lengths(field)]
            for field in FIELDS
        }
        self.statistics = bm25f.Statistics(
            sum(segment.living for segment in segments.values()) + loose.chunks,
            bm25f.averages({field: _sum(each) for field, each in lengths.items()}),
        )
        self._scorers: dict[tuple[int, Bm25], Scorer] = {}

    def work(self, terms: Iterable[int]) -> int:
        """Count the occurrences in segments that terms would have to be looked up in."""
        return sum(end - begin for term in terms for begin, end in (each.span(term) for each in self.segments.values()))

    def postings(self, terms: Sequence[int], fields: Collection[str]) -> Found:
        """Find a word, given by its terms, in some fields of every chunk."""
        found: Found = {field: {} for field in fields}
        for term in terms:
            for segment in self.segments.values():
                _gather(segment.occurrences(term), found)
            _gather(self.loose.occurrences(term), found)
        return found

    def postings_in(
        self,
        connection: apsw.Connection,
        words: Sequence[Sequence[int]],
        fields: Collection[str],
        chunks: Iterable[int],
    ) -> list[Found]:
        """Find words in some fields of some chunks."""
        found: list[Found] = [{field: {} for field in fields} for _ in words]
        for chunk, (segment, place) in registry.whereabouts(connection, chunks).items():
            holder = self.segments.get(segment) if segment is not None else None
            at = holder.place_of(place, chunk) if holder is not None and place is not None else None
            for terms, here in zip(words, found, strict=True):
                for term in terms:
                    if holder is not None and at is not None:
                        _gather(holder.occurrences_in(term, at), here)
                    else:
                        _gather(self.loose.occurrences_in(term, chunk), here)
        return found

    def holding(self, terms: Iterable[int], fields: Collection[str]) -> set[int]:
        """Find the chunks that have any of the terms in any of the fields."""
        codes = {FIELD_CODES[field] for field in fields}
        found: set[int] = set()
        for term in terms:
            found.update(*(segment.holders(term, codes) for segment in self.segments.values()))
            found.update(each.chunk for each in self.loose.occurrences(term) if each.field in fields)
        return found

    def holding_all(self, terms: Sequence[int], fields: Collection[str]) -> set[int]:
        """Find the chunks that have every one of the terms in any of the fields."""
        sets = [self.holding([term], fields) for term in terms]
        return set.intersection(*sets) if sets else set()

    def holding_each(
        self, connection: apsw.Connection, words: Sequence[Sequence[int]], fields: Collection[str]
    ) -> set[int]:
        """Find the chunks that have each of some words, given by their terms, in any of the fields.

        The rarest word is looked up everywhere, others only in the few chunks that are left.
        """
        rarest, *others = sorted(words, key=self.work)
        found = self.holding(rarest, fields)
        for at, word in enumerate(others):
            if len(found) <= _FEW_CHUNKS:
                for here in self.postings_in(connection, others[at:], fields, found):
                    found &= set().union(*here.values())
                break
            found &= self.holding(word, fields)
        return found

    def scorer(self, number: int, bm25: Bm25) -> Scorer:
        """Give what scores a segment under these numbers."""
        if (number, bm25) not in self._scorers:
            from waymeet.stores.segments.bulk_scorer import Scorer  # noqa: PLC0415 - numpy costs more than a small search

            scales = bm25f.scales(bm25, self.statistics.averages)
            self._scorers[number, bm25] = Scorer(self.segments[number], scales, bm25.k1)
        return self._scorers[number, bm25]

    def inherit(self, other: Lexicon) -> None:
        """Take over what the generation before worked out, where it still holds."""
        if self.statistics.averages == other.statistics.averages:
            self._scorers = {
                (number, bm25): scorer
                for (number, bm25), scorer in other._scorers.copy().items()  # others may be asking it
                if number in self.segments and self.segments[number] is scorer.segment
            }

    def count_terms(self) -> int:
        """Count the terms that any living chunk holds."""
        everywhere = set().union(*(segment.terms for segment in self.segments.values()), self.loose.terms)
        if not any(segment.dead for segment in self.segments.values()):
            return len(everywhere)
        return sum(map(self.holds, everywhere))

    def holds(self, term: int) -> bool:
        """Tell whether any living chunk holds a term."""
        loose = next(iter(self.loose.occurrences(term)), None) is not None
        return loose or any(next(each.occurrences(term), None) is not None for each in self.segments.values())

    def held(self, term: int) -> int:
        """Count the living chunks that hold a term."""
        return sum(segment.held(term) for segment in self.segments.values()) + len(
            {each.chunk for each in self.loose.occurrences(term)}
        )


def _sum(parts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    totals = list(parts)
    return sum(total for total, _ in totals), sum(filled for _, filled in totals)


def _gather(occurrences: Iterable[Occurrence], found: Found) -> None:
    """Add the occurrences of one more term."""
    for chunk, field, times, length in occurrences:
        here = found.get(field)
        if here is not None:
            here[chunk] = (here[chunk][0] + times if chunk in here else times), length
