"""BM25F over postings, the same for every backend.

A backend returns in which chunks and fields each word occurs. Everything after that is computed here, for the score
and for the evidence that explains it.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from waymeet.formulas.bm25 import idf, normalise_frequency, round_average, saturation
from waymeet.settings import Bm25
from waymeet.types import FIELDS, Evidence, Word

ChunkKey = TypeVar("ChunkKey", bound=Hashable)
"""A chunk as the backend identifies it: its id, or a number."""


Postings: TypeAlias = Mapping[str, Mapping[ChunkKey, tuple[int, int]]]
"""The occurrences of one word: by field, then by chunk, its frequency and the length of that field."""


class Statistics(Struct, frozen=True):
    """Statistics of all chunks in one generation."""

    chunks: int
    averages: Mapping[str, float]
    """The average length of each field, rounded by `round_average`."""


class FieldScale(NamedTuple):
    """The BM25F parameters of one field, with its average length."""

    weight: float
    b: float
    average: float


@lru_cache(maxsize=8)
def scored_fields(bm25: Bm25) -> tuple[str, ...]:
    """List the fields of weight above 0."""
    return tuple(field for field in FIELDS if getattr(bm25.fields, field) > 0.0)


def average_lengths(lengths: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Compute the average length of each field from total length and number of non-empty values.

    >>> average_lengths({"title": (10, 3), "tags": (0, 0)})
    {'title': 3.3, 'tags': 0.0}
    """
    return {field: round_average(total / filled) if filled else 0.0 for field, (total, filled) in lengths.items()}


def field_scales(bm25: Bm25, averages: Mapping[str, float]) -> dict[str, FieldScale]:
    """Combine settings and average lengths for the scored fields, in the order of summation."""
    return {
        field: FieldScale(getattr(bm25.fields, field), getattr(bm25.b, field), averages.get(field, 0.0))
        for field in scored_fields(bm25)
    }


def saturations(postings: Postings[ChunkKey], scales: Mapping[str, FieldScale], k1: float) -> dict[ChunkKey, float]:
    """Compute the saturated frequency of one word in each chunk that contains it.

    The fields are summed in one fixed order, so that equal occurrences give equal numbers in every backend.
    """
    frequencies: dict[ChunkKey, float] = {}
    for field, (weight, b, average) in scales.items():
        parts: dict[tuple[int, int], float] = {}  # frequency and length are often the same
        for chunk, occurrence in postings.get(field, {}).items():
            part = parts.get(occurrence)
            if part is None:
                part = parts[occurrence] = weight * normalise_frequency(*occurrence, average, b)
            frequencies[chunk] = frequencies.get(chunk, 0.0) + part
    return {chunk: saturation(frequency, k1) for chunk, frequency in frequencies.items()}


def score_chunks(
    words: Sequence[Word], postings: Iterable[Postings[ChunkKey]], statistics: Statistics, bm25: Bm25
) -> dict[ChunkKey, float]:
    """Score every chunk that contains any of the words. The postings of each word are complete."""
    scales = field_scales(bm25, statistics.averages)
    scores: dict[ChunkKey, float] = {}
    for word, word_postings in zip(words, postings, strict=True):
        weights = saturations(word_postings, scales, bm25.k1)
        word_idf = idf(statistics.chunks, len(weights))
        for chunk, weight in weights.items():
            scores[chunk] = scores.get(chunk, 0.0) + word.weight * word_idf * weight
    return scores


def count_chunks(postings: Postings[ChunkKey]) -> int:
    """Count the chunks in which a word occurs."""
    return len(set().union(*postings.values()))


def collect_evidence(
    words: Sequence[Word],
    postings: Sequence[Postings[ChunkKey]],
    statistics: Statistics,
    bm25: Bm25,
    *,
    frequencies: Sequence[int],
    chunks: Iterable[ChunkKey],
) -> dict[ChunkKey, tuple[Evidence, ...]]:
    """Compute what each word contributes to the scores of chunks.

    A word that does not occur in a chunk is left out. `frequencies` are the numbers of chunks that contain each word.
    The postings need to be complete for `chunks` only.
    """
    scales = field_scales(bm25, statistics.averages)
    evidence: dict[ChunkKey, list[Evidence]] = {chunk: [] for chunk in chunks}
    for word, word_postings, containing in zip(words, postings, frequencies, strict=True):
        word_idf = idf(statistics.chunks, containing)
        for chunk, weight in saturations(word_postings, scales, bm25.k1).items():
            if chunk in evidence:
                fields = tuple(field for field in scales if chunk in word_postings.get(field, {}))
                name = word.text or " ".join(word.terms)
                evidence[chunk].append(Evidence(name, word.weight, word_idf, weight, fields))
    return {chunk: tuple(parts) for chunk, parts in evidence.items()}
