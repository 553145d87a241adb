"""BM25F over the posting lists of segments and over the documents without a segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.lexical.top_k import rank_chunks, select_top
from waymeet.stores.postgres.database.encoding import hash_key
from waymeet.stores.shared import bm25f

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from waymeet.settings import Bm25
    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.read.filter_set import FilterSet
    from waymeet.types import Evidence, Ranking, Word

    Frequencies = dict[tuple[tuple[str, ...], tuple[str, ...]], int]
    """Numbers of chunks, by the terms of a word and the scored fields."""

_PLACES = """
SELECT c.hash, c.id, s.segment, s.position FROM chunks c
    JOIN document_segments s ON s.collection_id = c.collection_id AND s.document = c.document
WHERE c.collection_id = %s AND c.hash = ANY(%s)
"""


class Scoring(NamedTuple):
    """The words to score, and a lexicon with the posting lists of their terms."""

    lexicon: Lexicon
    words: Sequence[Word]
    bm25: Bm25
    known: Frequencies
    """Cached numbers of chunks."""

    @property
    def hashes(self) -> list[list[int]]:
        """Return the hashes of the terms of each word."""
        return [[hash_key(term) for term in dict.fromkeys(word.terms)] for word in self.words]


def rank(scoring: Scoring, limit: int, filters: FilterSet) -> Ranking:
    """Rank chunks by BM25F."""
    if limit <= 0 or not any(word.terms for word in scoring.words):
        return ()
    fields = bm25f.scored_fields(scoring.bm25)
    ranking, frequencies = (_rank_segments if scoring.lexicon.segments else _rank_buffer)(scoring, limit, filters)
    pairs = zip(scoring.words, frequencies, strict=True)
    scoring.known.update({(word.terms, fields): frequency for word, frequency in pairs})
    return ranking


def _rank_segments(scoring: Scoring, limit: int, filters: FilterSet) -> tuple[Ranking, list[int]]:
    from waymeet.stores.lexical import bulk_ranking  # noqa: PLC0415 - numpy costs more than a small search

    words = list(zip(scoring.words, scoring.hashes, strict=True))
    return bulk_ranking.rank(scoring.lexicon, words, scoring.bm25, filters, limit)


def _rank_buffer(scoring: Scoring, limit: int, filters: FilterSet) -> tuple[Ranking, list[int]]:
    lexicon, fields = scoring.lexicon, bm25f.scored_fields(scoring.bm25)
    postings = [lexicon.buffered_postings(hashes, fields) for hashes in scoring.hashes]
    scores = bm25f.score_chunks(scoring.words, postings, lexicon.statistics, scoring.bm25)
    ranking = rank_chunks(select_top(filters, scores, limit), scores, limit)
    return ranking, list(map(bm25f.count_chunks, postings))


def explain(session: Session, scoring: Scoring, chunks: Collection[str]) -> dict[str, tuple[Evidence, ...]]:
    """Split the scores of chunks by word."""
    rows = session.rows(_PLACES, [hash_key(chunk) for chunk in chunks])
    places = {number: (segment, position) for _, number, segment, position in rows}
    numbers = {hash_: number for hash_, number, *_ in rows}
    evidence = bm25f.collect_evidence(
        scoring.words,
        scoring.lexicon.postings_in(scoring.hashes, bm25f.scored_fields(scoring.bm25), places),
        scoring.lexicon.statistics,
        scoring.bm25,
        frequencies=count_words(scoring),
        chunks=places,
    )
    return {chunk: evidence[numbers[hash_key(chunk)]] for chunk in chunks if hash_key(chunk) in numbers}


def count_words(scoring: Scoring) -> list[int]:
    """Count, for each word, the chunks in which it occurs in a scored field."""
    known, fields = scoring.known, bm25f.scored_fields(scoring.bm25)
    for word, hashes in zip(scoring.words, scoring.hashes, strict=True):
        if (word.terms, fields) not in known:
            known[word.terms, fields] = scoring.lexicon.count_chunks_with_any(hashes, fields)
    return [known[word.terms, fields] for word in scoring.words]
