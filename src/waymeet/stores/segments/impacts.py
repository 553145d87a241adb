"""Impacts: the saturated weight of each term in each chunk, stored in the segment.

Precomputed impacts replace the frequencies of BM25F in query evaluation (Anh and Moffat, 2002). They depend on the
settings and the average field lengths, which are stored with them. A query with other parameters is scored from the
postings instead. The scores are the same either way, to the last bit.

Arrays: `impact positions` and `impacts` list, for each term, the chunks that contain it (in any field, each once) and
the impacts. `impact starts` is where the entries of each term begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT, MAX_FREQUENCY
from waymeet.types import DOCUMENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import Arrays
    from waymeet.stores.shared.bm25f import FieldScale

    Floats = NDArray[np.float64]

PARAMETERS = "impact parameters"
"""The attribute that holds the parameters of the impacts."""


def compute_impacts(
    segment_arrays: Arrays, scales: Mapping[str, FieldScale], k1: float
) -> tuple[Arrays, dict[str, Any]]:
    """Compute the arrays and attributes of the impacts from the arrays of a segment."""
    if len(scales) < len(FIELD_CODES):  # with a field of weight 0, not every posting makes a chunk a match
        return {}, {}
    columns = {name: array for name, (_, array) in segment_arrays.items()}
    positions, codes, starts = columns["positions"], columns["codes"], columns["starts"].astype(np.int64)
    # Postings of one term in several fields of a chunk follow each other: they become one entry.
    is_new = np.ones(len(positions), dtype=np.bool_)
    is_new[1:] = positions[1:] != positions[:-1]
    is_new[starts[:-1]] = True
    entry = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
    frequency = np.zeros(np.count_nonzero(is_new), dtype=np.float64)
    for field, scale in scales.items():  # in the order of summation, as in `bm25f.saturations`
        in_field = np.flatnonzero(codes >> np.uint32(FIELD_SHIFT) == FIELD_CODES[field])
        lengths = columns[f"length {field}"]
        lengths = lengths[columns["owner"]] if field in DOCUMENT_FIELDS else lengths
        raw = (codes[in_field] & np.uint32(MAX_FREQUENCY)).astype(np.float64)
        norms = length_norms(lengths.astype(np.float64), scale)
        frequency[entry[in_field]] += scale.weight * (raw / norms[positions[in_field]])
    return {
        "impact positions": ("I", positions[is_new]),
        "impacts": ("d", saturate(frequency, k1)),
        "impact starts": ("Q", np.append(entry[starts[:-1]], len(frequency)).astype(np.uint64)),
    }, {PARAMETERS: impact_parameters(scales, k1)}


def impact_parameters(scales: Mapping[str, FieldScale], k1: float) -> dict[str, list[float]]:
    """Return the numbers that impacts depend on, in a form that JSON preserves."""
    return {"k1": [k1]} | {field: list(scale) for field, scale in scales.items()}


def length_norms(lengths: Floats, scale: FieldScale) -> Floats:
    """Compute the length norms of a field (see `formulas.bm25.length_norm`)."""
    _, b, average = scale
    return 1.0 - b + b * lengths / average if average else np.ones_like(lengths)


def saturate(frequency: Floats, k1: float) -> Floats:
    """Compute the saturation of frequencies (see `formulas.bm25.saturation`)."""
    saturated: Floats = frequency * (k1 + 1.0) / (frequency + k1)
    return saturated
