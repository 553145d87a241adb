"""From occurrences to scores: BM25F over postings, the same for every backend.

A backend says in which chunks and fields each word occurs; everything after that is decided here, once, for the
score and for the evidence that explains it.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from waymeet.formulas.bm25 import idf, normalise_frequency, round_average, saturation
from waymeet.settings import Bm25
from waymeet.types import FIELDS, Evidence, Word

ChunkKey = TypeVar("ChunkKey", bound=Hashable)
"""What a backend calls a chunk by: its id, or a number."""


Postings: TypeAlias = Mapping[str, Mapping[ChunkKey, tuple[int, int]]]
"""Where one word occurs: by field, then by chunk, how often it stands there and how long that field is."""


class Statistics(Struct, frozen=True):
    """What a generation knows of all its chunks."""

    chunks: int
    averages: Mapping[str, float]
    """The usual length of each field, settled."""


class Scale(NamedTuple):
    """How the occurrences in one field count."""

    weight: float
    b: float
    average: float


@lru_cache(maxsize=8)
def counted(bm25: Bm25) -> tuple[str, ...]:
    """Name the fields in which an occurrence counts at all."""
    return tuple(field for field in FIELDS if getattr(bm25.fields, field) > 0.0)


def averages(lengths: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Compute the usual length of each field from the sum of its lengths and the number of places it is filled in.

    >>> averages({"title": (10, 3), "tags": (0, 0)})
    {'title': 3.3, 'tags': 0.0}
    """
    return {field: round_average(total / filled) if filled else 0.0 for field, (total, filled) in lengths.items()}


def scales(bm25: Bm25, usual: Mapping[str, float]) -> dict[str, Scale]:
    """Lay settings and averages together for the fields that count, in the order in which they are summed."""
    return {
        field: Scale(getattr(bm25.fields, field), getattr(bm25.b, field), usual.get(field, 0.0))
        for field in counted(bm25)
    }


def saturations(postings: Postings[ChunkKey], by_field: Mapping[str, Scale], k1: float) -> dict[ChunkKey, float]:
    """Weigh the occurrences of one word in each chunk that holds it.

    The fields are summed in one fixed order, so that equal occurrences give equal numbers in every backend.
    """
    frequencies: dict[ChunkKey, float] = {}
    for field, (weight, b, average) in by_field.items():
        for chunk, (times, length) in postings.get(field, {}).items():
            part = weight * normalise_frequency(times, length, average, b)
            frequencies[chunk] = frequencies.get(chunk, 0.0) + part
    return {chunk: saturation(frequency, k1) for chunk, frequency in frequencies.items()}


def scores(
    words: Sequence[Word], postings: Iterable[Postings[ChunkKey]], statistics: Statistics, bm25: Bm25
) -> dict[ChunkKey, float]:
    """Score every chunk that holds any of the words; the postings of each word are complete."""
    by_field = scales(bm25, statistics.averages)
    found: dict[ChunkKey, float] = {}
    for word, where in zip(words, postings, strict=True):
        held = saturations(where, by_field, bm25.k1)
        rarity = idf(statistics.chunks, len(held))
        for chunk, weighed in held.items():
            found[chunk] = found.get(chunk, 0.0) + word.weight * rarity * weighed
    return found


def holding(postings: Postings[ChunkKey]) -> int:
    """Count the chunks in which a word occurs."""
    return len(set().union(*postings.values()))


def evidence(
    words: Sequence[Word],
    postings: Sequence[Postings[ChunkKey]],
    statistics: Statistics,
    bm25: Bm25,
    *,
    held: Sequence[int],
    chunks: Iterable[ChunkKey],
) -> dict[ChunkKey, tuple[Evidence, ...]]:
    """Say what each word contributes to the scores of some chunks; words that a chunk does not hold are left out.

    `held` says how many chunks hold each word; the postings need only be complete for the chunks asked about.
    """
    by_field = scales(bm25, statistics.averages)
    found: dict[ChunkKey, list[Evidence]] = {chunk: [] for chunk in chunks}
    for word, where, number in zip(words, postings, held, strict=True):
        rarity = idf(statistics.chunks, number)
        for chunk, weighed in saturations(where, by_field, bm25.k1).items():
            if chunk in found:
                fields = tuple(field for field in by_field if chunk in where.get(field, {}))
                name = word.text or " ".join(word.terms)
                found[chunk].append(Evidence(name, word.weight, rarity, weighed, fields))
    return {chunk: tuple(parts) for chunk, parts in found.items()}
