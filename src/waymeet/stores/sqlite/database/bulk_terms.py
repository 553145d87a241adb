"""Encoding and decoding of the terms of documents by numpy, which takes a third of the time."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from waymeet.stores.segments.posting_codec import FIELD_SHIFT, MAX_FREQUENCY
from waymeet.stores.sqlite.database.compression import split_planes
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.database.term_codec import FIELD_LISTS, check_postings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_Term = TypeVar("_Term", str, int)


def pack_lists(lists: Sequence[Mapping[_Term, int]], ids: Mapping[_Term, int]) -> Iterable[bytes]:
    """Encode the ids that occur in lists, the postings and the frequencies."""
    sizes = list(map(len, lists))
    count = sum(sizes)
    all_ids = np.fromiter(map(ids.__getitem__, chain.from_iterable(lists)), np.int64, count)
    frequencies = np.fromiter(chain.from_iterable(terms.values() for terms in lists), np.int64, count)
    return pack_postings(all_ids, np.repeat(np.arange(len(lists)), sizes), len(lists), frequencies)


def pack_postings(
    ids: NDArray[np.int64], places: NDArray[np.int64], lists: int, frequencies: NDArray[np.int64]
) -> Iterable[bytes]:
    """Encode postings: ids of terms, indexes of lists (of so many) and frequencies."""
    occurring, index = np.unique(ids, return_inverse=True)
    postings = index * lists + places
    order = np.argsort(postings)
    yield pack_array(np.diff(occurring, prepend=0))
    yield pack_array(np.diff(postings[order], prepend=0))
    yield pack_array(np.minimum(frequencies, MAX_FREQUENCY)[order])


def pack_array(numbers: NDArray[np.int64]) -> bytes:
    """Encode numbers as `compression.pack_numbers` does."""
    planes = (int(numbers.max(initial=0)).bit_length() + 7) // 8
    head = len(numbers).to_bytes(4, "little") + bytes([planes])
    return head + numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :planes].T.tobytes()


def unpack_lists(data: bytes, start: int, owners: int, numbers: Sequence[int]) -> list[bytes]:
    """Decode ids, postings and frequencies, and return the pairs of each owner."""
    id_steps, end = unpack_array(data, start)
    steps, end = unpack_array(data, end)
    frequencies, end = unpack_array(data, end)
    if end != len(data) or len(frequencies) != len(steps):
        raise UnreadableError("packed terms contradict each other")
    ids, postings = np.cumsum(id_steps, dtype=np.uint64), np.cumsum(steps, dtype=np.uint64)
    highest = int(postings.max()) if len(postings) else -1
    check_postings(len(ids) * len(numbers), highest, int(frequencies.max(initial=0)))
    list_numbers = np.array(numbers, np.int64)
    index, place = np.divmod(postings, np.uint64(max(len(numbers), 1)))
    order = np.argsort(place.astype(np.uint16) if len(numbers) <= 1 << 16 else place, kind="stable")
    place = list_numbers[place[order]]
    pairs = np.empty((len(postings), 2), dtype=np.uint32)
    pairs[:, 0] = ids[index[order]]
    pairs[:, 1] = place % FIELD_LISTS << FIELD_SHIFT | frequencies[order].astype(np.int64)
    bounds = (8 * np.searchsorted(place, np.arange(owners + 1) * FIELD_LISTS)).tolist()
    encoded = pairs.tobytes()
    return [encoded[bounds[owner] : bounds[owner + 1]] for owner in range(owners)]


def unpack_array(data: bytes, start: int) -> tuple[NDArray[Any], int]:
    """Decode numbers, and return the position after them."""
    count, planes, position = split_planes(data, start)
    numbers = np.zeros((count, 8), dtype=np.uint8)
    end = position + planes * count
    numbers[:, :planes] = np.frombuffer(data, np.uint8, planes * count, position).reshape(planes, count).T
    return numbers.view("<u8").ravel(), end
