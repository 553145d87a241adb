"""BM25F over the postings table.

The server finds the best chunks. Their scores are then computed by the rules that all stores share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.stores.postgres.database.encoding import hash_key, unescape_text
from waymeet.stores.postgres.read.filters import filter_condition, select_with_phrases
from waymeet.stores.shared import bm25f
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, FIELDS, ScoredChunk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from waymeet.settings import Bm25
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.shared.bm25f import FieldScale
    from waymeet.types import Evidence, Filters, Ranking, Word

    Postings = dict[str, dict[int, tuple[int, int]]]
    """The occurrences of a word: by field, then by chunk, its frequency and the length of that field."""

_INBOUND = FIELDS.index("inbound")
_LENGTH = f"CASE WHEN p.field = {_INBOUND} THEN d.inbound_length ELSE d.lengths[p.field + 1] END"
# A length norm is base + slope · length. It is 0 only for an empty field, in which nothing occurs.
_OCCURRENCES = f"""
WITH input (word, term) AS (SELECT * FROM unnest(%(words)s::int[], %(terms)s::bigint[])),
scales (field, weight, base, slope) AS (
    SELECT * FROM unnest(%(fields)s::int[], %(weights)s::float8[], %(bases)s::float8[], %(slopes)s::float8[])
),
occurrences AS (
    SELECT word, chunk, document, sum(frequency) AS frequency FROM (
        SELECT i.word, p.chunk, p.document,
            %(headings_weight)s::float8 * p.headings
                / greatest(%(headings_base)s::float8 + %(headings_slope)s::float8 * p.headings_length, 1e-9)
            + %(body_weight)s::float8 * p.body
                / greatest(%(body_base)s::float8 + %(body_slope)s::float8 * p.body_length, 1e-9) AS frequency
        FROM input i JOIN chunk_postings p ON p.collection_id = %(collection)s AND p.term = i.term
        WHERE (p.body > 0 AND %(body_weight)s::float8 > 0) OR (p.headings > 0 AND %(headings_weight)s::float8 > 0)
        UNION ALL
        SELECT i.word, c.id, c.document,
            s.weight * p.frequency / greatest(s.base + s.slope * ({_LENGTH}), 1e-9)
        FROM input i JOIN document_postings p ON p.collection_id = %(collection)s AND p.term = i.term
            JOIN scales s ON s.field = p.field
            JOIN documents d ON d.collection_id = %(collection)s AND d.id = p.document
            JOIN chunks c ON c.collection_id = %(collection)s AND c.document = p.document
    ) AS parts GROUP BY word, chunk, document
),
frequencies AS (SELECT word, count(*) AS chunks FROM occurrences GROUP BY word)
"""  # noqa: S608 - our own constants
# Sums may differ in the last digits, by their order on the server. Rounded, equal chunks are equal.
_RANK = """
, inverse (word, idf) AS (
    SELECT f.word, w.weight * ln((%(chunks)s::float8 - f.chunks + 0.5) / (f.chunks + 0.5) + 1)
    FROM frequencies f JOIN unnest(%(word_weights)s::float8[]) WITH ORDINALITY AS w (weight, number)
        ON w.number = f.word + 1
),
scores AS (
    SELECT chunk, document,
        round((sum(idf * frequency * (%(k1)s::float8 + 1) / (frequency + %(k1)s::float8)) * 1e10)) AS score
    FROM occurrences JOIN inverse USING (word) GROUP BY chunk, document
),
passing AS (SELECT * FROM scores s WHERE {condition}),
best AS (SELECT * FROM passing ORDER BY score DESC FETCH FIRST %(limit)s ROWS WITH TIES)
SELECT b.chunk, d.path, c.ordinal, c.key, ARRAY(SELECT word FROM frequencies ORDER BY word),
    ARRAY(SELECT chunks FROM frequencies ORDER BY word)
FROM best b
    JOIN chunks c ON c.collection_id = %(collection)s AND c.id = b.chunk
    JOIN documents d ON d.collection_id = %(collection)s AND d.id = c.document
ORDER BY b.score DESC, d.path, c.ordinal, c.id LIMIT %(limit)s
"""
_COUNT = "SELECT word, chunks FROM frequencies"
_IN_CHUNKS = f"""
SELECT p.term, p.chunk, {FIELDS.index("headings")}, p.headings, p.headings_length FROM chunk_postings p
WHERE p.collection_id = %(collection)s AND p.term = ANY(%(terms)s) AND p.chunk = ANY(%(chunks)s) AND p.headings > 0
UNION ALL
SELECT p.term, p.chunk, {FIELDS.index("body")}, p.body, p.body_length FROM chunk_postings p
WHERE p.collection_id = %(collection)s AND p.term = ANY(%(terms)s) AND p.chunk = ANY(%(chunks)s) AND p.body > 0
UNION ALL
SELECT p.term, c.id, p.field, p.frequency, {_LENGTH}
FROM chunks c JOIN documents d ON d.collection_id = %(collection)s AND d.id = c.document
    JOIN document_postings p ON p.collection_id = %(collection)s AND p.term = ANY(%(terms)s) AND p.document = c.document
WHERE c.collection_id = %(collection)s AND c.id = ANY(%(chunks)s)
"""  # noqa: S608 - our own constants
_GROWTH = 8
"""Factor by which more chunks are read while too few of them have the phrases."""


class Located(NamedTuple):
    """A chunk with its place, which is also the order of ties."""

    document: str
    ordinal: int
    key: str


class Scoring(NamedTuple):
    """The words to score in a session."""

    session: Session
    words: Sequence[Word]
    bm25: Bm25
    known: dict[Any, int]
    """Cached numbers of chunks, by the terms of a word and the scored fields."""


def rank(scoring: Scoring, limit: int, filters: Filters) -> Ranking:
    """Rank chunks by BM25F."""
    if limit <= 0 or not any(word.terms for word in scoring.words):
        return ()
    located = _find_best(scoring, limit, filters)
    evidence = _collect_evidence(scoring, located)
    scores = {chunk: sum(_scores(parts)) for chunk, parts in evidence.items()}
    order = sorted(located, key=lambda chunk: (-scores[chunk], located[chunk]))[:limit]
    return tuple(ScoredChunk(located[chunk].key, located[chunk].document, scores[chunk]) for chunk in order)


def explain(scoring: Scoring, chunks: Mapping[str, int]) -> dict[str, tuple[Evidence, ...]]:
    """Split the scores of chunks, given with their numbers, by word."""
    evidence = _collect_evidence(scoring, chunks.values())
    return {chunk: evidence[number] for chunk, number in chunks.items()}


def _collect_evidence(scoring: Scoring, chunks: Collection[int]) -> dict[int, tuple[Evidence, ...]]:
    return bm25f.collect_evidence(
        scoring.words,
        _read_postings(scoring.session, scoring.words, chunks),
        scoring.session.statistics,
        scoring.bm25,
        frequencies=count_words(scoring),
        chunks=chunks,
    )


def _scores(parts: Iterable[Evidence]) -> Iterable[float]:
    return (part.weight * part.idf * part.saturation for part in parts)


def _find_best(scoring: Scoring, limit: int, filters: Filters) -> dict[int, Located]:
    """Find the best chunks that pass the filters, ties in the order of document and position."""
    session, condition = scoring.session, filter_condition(filters, "s")
    sql = _OCCURRENCES + _RANK.format(condition=condition.sql)
    parameters = {
        **_parameters(scoring, scoring.words),
        **condition.parameters,
        "chunks": session.statistics.chunks,
        "word_weights": [word.weight for word in scoring.words],
        "k1": scoring.bm25.k1,
    }
    size = limit
    while True:
        rows = session.named(sql, {**parameters, "limit": size})
        if rows:
            _remember(scoring, dict(zip(*rows[0][4:6], strict=True)))
        chunks = {row[0]: Located(unescape_text(row[1]), row[2], unescape_text(row[3])) for row in rows}
        if not filters.phrases:
            return chunks
        with_phrases = select_with_phrases(session, chunks, filters.phrases)
        if len(with_phrases) >= limit or len(chunks) < size:
            return {chunk: place for chunk, place in chunks.items() if chunk in with_phrases}
        size *= _GROWTH


def _remember(scoring: Scoring, counted: Mapping[int, int]) -> None:
    """Cache the numbers of chunks with each word, given by position."""
    fields = bm25f.scored_fields(scoring.bm25)
    pairs = ((word.terms, counted.get(number, 0)) for number, word in enumerate(scoring.words) if word.terms)
    scoring.known.update({(terms, fields): number for terms, number in pairs})


def _parameters(scoring: Scoring, words: Sequence[Word]) -> dict[str, Any]:
    """Return the parameters of `_OCCURRENCES` for some of the words."""
    scales = bm25f.field_scales(scoring.bm25, scoring.session.statistics.averages)
    pairs = [(number, hash_key(term)) for number, word in enumerate(words) for term in set(word.terms)]
    fields = [field for field in DOCUMENT_FIELDS if field in scales]
    norms = [_norm(scales[field]) for field in fields]
    parameters: dict[str, Any] = {
        "words": [number for number, _ in pairs],
        "terms": [term for _, term in pairs],
        "fields": [FIELDS.index(field) for field in fields],
        "weights": [scales[field].weight for field in fields],
        "bases": [base for base, _ in norms],
        "slopes": [slope for _, slope in norms],
    }
    for field in CHUNK_FIELDS:
        scale = scales.get(field)
        base, slope = _norm(scale) if scale else (1.0, 0.0)
        values = {"weight": scale.weight if scale else 0.0, "base": base, "slope": slope}
        parameters.update({f"{field}_{name}": value for name, value in values.items()})
    return parameters


def _norm(scale: FieldScale) -> tuple[float, float]:
    """Return base and slope of a field's length norm."""
    return (1.0 - scale.b, scale.b / scale.average) if scale.average else (1.0, 0.0)


def count_words(scoring: Scoring) -> list[int]:
    """Count, for each word, the chunks in which it occurs in a scored field."""
    known, fields = scoring.known, bm25f.scored_fields(scoring.bm25)
    unknown = [word for word in scoring.words if word.terms and (word.terms, fields) not in known]
    if unknown:
        counted = dict(scoring.session.named(_OCCURRENCES + _COUNT, _parameters(scoring, unknown)))
        known.update({(word.terms, fields): counted.get(number, 0) for number, word in enumerate(unknown)})
    return [known[word.terms, fields] if word.terms else 0 for word in scoring.words]


def _read_postings(session: Session, words: Sequence[Word], chunks: Collection[int]) -> list[Postings]:
    """Read the occurrences of words in chunks."""
    by_term: dict[int, list[int]] = {}
    for number, word in enumerate(words):
        for term in set(word.terms):
            by_term.setdefault(hash_key(term), []).append(number)
    postings: list[Postings] = [{field: {} for field in FIELDS} for _ in words]
    if not by_term or not chunks:
        return postings
    rows = session.named(_IN_CHUNKS, {"terms": list(by_term), "chunks": list(chunks)})
    for term, chunk, field, frequency, length in rows:
        for number in by_term[term]:
            of_field = postings[number][FIELDS[field]]
            of_field[chunk] = of_field.get(chunk, (0, 0))[0] + frequency, length
    return postings
