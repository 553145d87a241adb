"""Impacts: upper bounds of the weight of each term in each chunk, one byte each.

Quantised impacts replace the frequencies of BM25F where candidates are searched (Anh and Moffat, 2002). They are
rounded up, so that no chunk is missed. The scores of the candidates are then computed from their frequencies. Impacts
depend on the settings and the average field lengths, which are stored with them. `impact_range` bounds what other
parameters change.

Arrays, in units of `impact_step`:

    document impacts    the impact of each entry of a document list, in chunks that have no entry for the term
    chunk impacts       what each entry of a chunk list adds to that: their sum is the impact of the term in the chunk
    LEVEL maxima        the highest impact of each term of the level
    document only       the number of chunks without an entry, for each term of the document lists
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.formulas.bm25 import length_norm
from waymeet.stores.segments.posting_lists import LEVELS
from waymeet.stores.shared.bm25f import FieldScale
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import Arrays
    from waymeet.stores.segments.postings import PostingLists, SegmentContent

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

PARAMETERS = "impact parameters"
"""The attribute that holds the parameters of the impacts."""
_HIGHEST = 255
"""The highest impact, in units of `impact_step`."""
_BLOCK = 500_000
"""Entries whose impacts are computed together: memory use stays bounded."""


class ImpactRange(NamedTuple):
    """The lowest and highest ratio of a weight to that under the parameters of the impacts."""

    lowest: float
    highest: float


def compute_impacts(
    content: SegmentContent, scales: Mapping[str, FieldScale], k1: float
) -> tuple[Arrays, dict[str, Any]]:
    """Compute the arrays and attributes of the impacts of a segment."""
    documents, chunks = content.lists["document"], content.lists["chunk"]
    document_frequency = _sum_fields(content, "document", scales)
    document_impacts = _quantise(saturate(document_frequency, k1), k1)
    impacts, additions = (np.empty(len(chunks.positions), dtype=np.uint8) for _ in range(2))
    sizes = np.diff(content.first.astype(np.int64))
    only = np.bincount(documents.term_of_entry, sizes[documents.positions], len(documents.terms)).astype(np.int64)
    for block, entries in _match_documents(content):
        is_matched = entries >= 0
        matched = entries[is_matched]
        frequency = np.zeros(len(entries), dtype=np.float64)
        frequency[is_matched] = document_frequency[matched]
        impacts[block] = _quantise(saturate(_sum_fields(content, "chunk", scales, block, frequency), k1), k1)
        additions[block] = impacts[block]
        additions[block][is_matched] -= document_impacts[matched]
        only -= np.bincount(np.searchsorted(documents.starts, matched, "right") - 1, minlength=len(only))
    arrays: Arrays = {
        "document impacts": ("B", document_impacts),
        "chunk impacts": ("B", additions),
        "document maxima": ("B", _find_maxima(documents, document_impacts)),
        "chunk maxima": ("B", _find_maxima(chunks, impacts)),
        "document only": ("I", only),
    }
    return arrays, {PARAMETERS: impact_parameters(scales, k1)}


def _match_documents(content: SegmentContent) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Yield blocks of chunk entries, with the document entry of the same term for each, or -1."""
    documents, chunks = content.lists["document"], content.lists["chunk"]
    document_keys = documents.terms[documents.term_of_entry].astype(np.uint64) << np.uint64(32) | documents.positions
    for start in range(0, len(chunks.positions), _BLOCK):
        block = slice(start, start + _BLOCK)
        first, last = np.searchsorted(chunks.starts, (start, start + _BLOCK - 1), "right") - 1
        sizes: Ints = np.diff(np.clip(chunks.starts[first : last + 2], start, start + _BLOCK))
        terms = np.repeat(chunks.terms[first : last + 1].astype(np.uint64) << np.uint64(32), sizes)
        keys = terms | content.owner[chunks.positions[block]]
        if not len(document_keys):
            yield block, np.full(len(keys), -1)
            continue
        entries = np.minimum(np.searchsorted(document_keys, keys), len(document_keys) - 1)
        yield block, np.where(document_keys[entries] == keys, entries, -1)


def _sum_fields(
    content: SegmentContent,
    level: str,
    scales: Mapping[str, FieldScale],
    block: slice = slice(None),
    frequency: Floats | None = None,
) -> Floats:
    """Add the weighted frequencies in the fields of a level for a block of entries.

    The order of summation is that of `bm25f.saturations`.
    """
    lists = content.lists[level]
    positions, frequencies = lists.positions[block], lists.frequencies[block]
    summed = np.zeros(len(positions)) if frequency is None else frequency
    for column, field in enumerate(LEVELS[level]):
        if field not in scales:
            continue
        occurs = np.flatnonzero(frequencies[:, column])
        lengths = content.lengths[field][positions[occurs]]
        summed[occurs] += _weigh_frequencies(frequencies[occurs, column], lengths, scales[field])
    return summed


def _quantise(weights: Floats, k1: float) -> NDArray[np.uint8]:
    """Round weights up to whole steps."""
    return np.minimum(np.ceil(weights / impact_step(k1)), _HIGHEST).astype(np.uint8)


def _find_maxima(lists: PostingLists, impacts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Find the highest impact of each term."""
    return np.maximum.reduceat(impacts, lists.starts[:-1]) if len(lists.terms) else impacts


def impact_step(k1: float) -> float:
    """Return the unit of impacts: a weight is below k1 + 1."""
    return (k1 + 1.0) / _HIGHEST


def impact_parameters(scales: Mapping[str, FieldScale], k1: float) -> dict[str, list[float]]:
    """Return the numbers that impacts depend on, in a form that JSON preserves."""
    return {"k1": [k1]} | {field: list(scale) for field, scale in scales.items()}


def impact_range(attributes: Mapping[str, Any], scales: Mapping[str, FieldScale], k1: float) -> ImpactRange | None:
    """Bound the ratio of weights under some parameters to those of the impacts.

    There is no bound if k1 or the weight of a field is 0. The weight of a field's frequency changes by the ratio of
    weights and length norms. The latter is monotone in the length, so the lengths 1 and the longest bound it.
    Saturation changes by no larger ratio than its argument. Its ratio for two values of k1 is monotone in the
    frequency, between those for 0 and for infinity.
    """
    stored = attributes[PARAMETERS]
    if len(scales) < len(FIELDS) or stored.keys() < scales.keys():  # with a field of weight 0, not every entry matches
        return None
    if stored == impact_parameters(scales, k1):
        return ImpactRange(1.0, 1.0)
    stored_k1 = stored["k1"][0]
    if not k1 or not stored_k1:
        return None
    by_field = [1.0]
    for field, (total, _, longest) in attributes["lengths"].items():
        if total:
            scale, stored_scale = scales[field], FieldScale(*stored[field])
            by_field += (_field_ratio(scale, stored_scale, length) for length in (1, longest))
    limit = (k1 + 1.0) / (stored_k1 + 1.0)
    by_k1 = (limit, limit * stored_k1 / k1)
    return ImpactRange(min(by_field) * min(by_k1), max(by_field) * max(by_k1))


def _field_ratio(scale: FieldScale, stored: FieldScale, length: int) -> float:
    """Compute the ratio of the weights of one occurrence in a field."""
    stored_norm, norm = (length_norm(length, average, b) for _, b, average in (stored, scale))
    return scale.weight * stored_norm / (stored.weight * norm)


def _weigh_frequencies(frequencies: Ints, lengths: Ints, scale: FieldScale) -> Floats:
    """Weigh frequencies in a field by length norm and field weight."""
    norms = length_norms(lengths.astype(np.float64), scale)
    weighted: Floats = scale.weight * (frequencies.astype(np.float64) / norms)
    return weighted


def length_norms(lengths: Floats, scale: FieldScale) -> Floats:
    """Compute the length norms of a field (see `formulas.bm25.length_norm`)."""
    _, b, average = scale
    return 1.0 - b + b * lengths / average if average else np.ones_like(lengths)


def saturate(frequency: Floats, k1: float) -> Floats:
    """Compute the saturation of frequencies (see `formulas.bm25.saturation`)."""
    saturated: Floats = frequency * (k1 + 1.0) / (frequency + k1)
    return saturated
