"""Weights worked out while a segment is written: how much each term weighs in each chunk, under the usual numbers.

They hold for one set of numbers and usual lengths, which are written beside them. Where a question comes with others,
the weights are worked out from the occurrences instead; the scores are the same either way, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waymeet.stores.segments.posting_codec import FIELD_CODES, MOST, SHIFT
from waymeet.types import DOCUMENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.postings import Arrays
    from waymeet.stores.shared.bm25f import Scale

    Floats = NDArray[np.float64]


def baked(made: Arrays, scales: Mapping[str, Scale], k1: float) -> tuple[Arrays, dict[str, Any]]:
    """Give the arrays and facts to be written with those of a segment."""
    if len(scales) < len(FIELD_CODES):  # which chunks hold a term would depend on the fields that count
        return {}, {}
    found = {name: array for name, (_, array) in made.items()}
    places, codes, starts = found["places"], found["codes"], found["starts"].astype(np.int64)
    new = np.ones(len(places), dtype=np.bool_)
    new[1:] = places[1:] != places[:-1]
    new[starts[:-1]] = True
    bearer = np.cumsum(new, dtype=np.int32) - np.int32(1)
    frequency = np.zeros(np.count_nonzero(new), dtype=np.float64)
    for field, scale in scales.items():  # in the order in which fields are summed
        here = np.flatnonzero(codes >> np.uint32(SHIFT) == FIELD_CODES[field])
        lengths = found[f"length {field}"][found["owner"]] if field in DOCUMENT_FIELDS else found[f"length {field}"]
        times = (codes[here] & np.uint32(MOST)).astype(np.float64)
        frequency[bearer[here]] += scale.weight * (times / norms(lengths.astype(np.float64), scale)[places[here]])
    return {
        "bearers": ("I", places[new]),
        "weights": ("d", saturated(frequency, k1)),
        "bearer starts": ("Q", np.append(bearer[starts[:-1]], len(frequency)).astype(np.uint64)),
    }, {"baked": recipe(scales, k1)}


def recipe(scales: Mapping[str, Scale], k1: float) -> dict[str, list[float]]:
    """Write down what weights depend on, so that it can be compared."""
    return {"k1": [k1]} | {field: list(scale) for field, scale in scales.items()}


def norms(lengths: Floats, scale: Scale) -> Floats:
    """Compare the lengths of a field with the usual one."""
    _, b, average = scale
    return 1.0 - b + b * lengths / average if average else np.ones_like(lengths)


def saturated(frequency: Floats, k1: float) -> Floats:
    """Let further occurrences count less and less."""
    found: Floats = frequency * (k1 + 1.0) / (frequency + k1)
    return found
