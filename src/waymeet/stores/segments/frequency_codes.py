"""The frequencies of a term in the fields of a chunk or document, in one byte.

Few combinations of frequencies occur often. A segment lists the most frequent ones in a codebook, and an entry of a
posting list has the index of its combination. The frequencies of other entries are listed separately, by entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from waymeet.stores.segments.posting_lists import ESCAPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Frequencies = NDArray[np.uint32]
    """One row for each entry, one column for each field."""

_KEY_BITS = 60
_BLOCK = 500_000
"""Entries that are encoded together: memory use stays bounded."""


class FrequencyCodes(NamedTuple):
    """Encoded frequencies."""

    codes: NDArray[np.uint8]
    codebook: Frequencies
    """The combinations of frequencies, by code."""
    escaped: NDArray[np.uint32]
    """The indexes of the entries with the code `ESCAPE`, ascending."""
    escaped_frequencies: Frequencies


def encode_frequencies(frequencies: Frequencies) -> FrequencyCodes:
    """Encode the frequencies of entries."""
    fields = frequencies.shape[1]
    bits = min(int(frequencies.max(initial=0)).bit_length(), _KEY_BITS // fields)
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(frequencies), _BLOCK)]
    combinations, counts = _count_combinations(frequencies, blocks, bits)
    frequent = np.sort(combinations[np.argsort(counts, kind="stable")[-ESCAPE:]])
    shifts = np.arange(fields - 1, -1, -1, dtype=np.uint64) * np.uint64(bits)
    codebook = (frequent.astype(np.uint64)[:, None] >> shifts & np.uint64(2**bits - 1)).astype(np.uint32)
    codes = np.empty(len(frequencies), dtype=np.uint8)
    for block in blocks:
        index = np.minimum(np.searchsorted(frequent, _pack(frequencies[block], bits)), len(frequent) - 1)
        codes[block] = np.where((codebook[index] == frequencies[block]).all(axis=1), index, ESCAPE)
    escaped = np.flatnonzero(codes == ESCAPE).astype(np.uint32)
    return FrequencyCodes(codes, codebook, escaped, frequencies[escaped])


def _count_combinations(
    frequencies: Frequencies, blocks: Sequence[slice], bits: int
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """List the different combinations of frequencies as keys, and how often each occurs."""
    counted = [np.unique(_pack(frequencies[block], bits), return_counts=True) for block in blocks]
    if not counted:
        return _pack(frequencies, bits), np.empty(0, np.int64)
    combinations, places = np.unique(np.concatenate([keys for keys, _ in counted]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([counts for _, counts in counted]))
    return combinations, counts.astype(np.int64)


def _pack(frequencies: Frequencies, bits: int) -> NDArray[Any]:
    """Compute a key for the frequencies of each entry, with so many bits for a field."""
    fields = frequencies.shape[1]
    keys: NDArray[Any] = np.zeros(len(frequencies), dtype=np.uint32 if bits * fields <= 32 else np.uint64)
    for field in range(fields):
        keys <<= keys.dtype.type(bits)
        keys |= np.minimum(frequencies[:, field], np.uint32(2**bits - 1)).astype(keys.dtype)
    return keys


def decode_frequencies(encoded: FrequencyCodes, entries: NDArray[np.int64]) -> Frequencies:
    """Decode the frequencies of entries, given by index."""
    codes = encoded.codes[entries]
    is_escaped = codes == ESCAPE
    if not is_escaped.any():
        return encoded.codebook[codes]
    frequencies = np.empty((len(codes), encoded.codebook.shape[1]), dtype=np.uint32)
    frequencies[~is_escaped] = encoded.codebook[codes[~is_escaped]]
    rows = np.searchsorted(encoded.escaped, entries[is_escaped].astype(np.uint32))
    frequencies[is_escaped] = encoded.escaped_frequencies[rows]
    return frequencies
