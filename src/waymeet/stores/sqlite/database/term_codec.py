"""The encoding of terms in the tables.

All terms of a document and its chunks are one value. A list has the terms of a field of the document or of a chunk.
Stored are the number of documents and chunks, the numbers of the lists that are not empty, the term ids that occur,
and the postings by term: the posting of the term with the index i in the list with the index j, of L, is the number
i · L + j, and its frequency. Numbers of lists, ids and postings ascend. Their differences and the frequencies are
stored in planes of bytes and compressed: 1.2 bytes a posting.

Readers get the pairs of 32-bit numbers that segments are written from (see `waymeet.stores.segments.posting_codec`).
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from itertools import accumulate, chain, pairwise
from operator import sub
from typing import TYPE_CHECKING, TypeVar

from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT, MAX_FREQUENCY
from waymeet.stores.sqlite.database.compression import compress_numbers, decompress, pack_numbers, unpack_numbers
from waymeet.stores.sqlite.database.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_Term = TypeVar("_Term", str, int)
FIELD_LISTS = max(FIELD_CODES.values()) + 1
"""Lists of an owner, a document or chunk: one for each field code."""
_INBOUND_BITS = FIELD_CODES["inbound"] << FIELD_SHIFT
_MAX_ID = (1 << 32) - 1
_MORE = 0x80
_LOW_BITS = 0x7F


def pack_document_terms(owners: Iterable[Mapping[str, Mapping[_Term, int]]], ids: Mapping[_Term, int]) -> bytes:
    """Encode the terms of a document and of its chunks, given by field.

    >>> packed = pack_document_terms([{"title": {"rank": 1}}, {"body": {"rank": 2}}], {"rank": 7})
    >>> [array("I", pairs).tolist() for pairs in unpack_document_terms(packed)]
    [[7, 16777217], [7, 134217730]]
    """
    count = 0
    numbers: list[int] = []
    lists: list[Mapping[_Term, int]] = []
    for fields in owners:
        for code, terms in sorted((FIELD_CODES[field], terms) for field, terms in fields.items() if terms):
            numbers.append(count * FIELD_LISTS + code)
            lists.append(terms)
        count += 1
    if "numpy" in sys.modules:  # importing it takes longer than encoding a few documents
        from waymeet.stores.sqlite.database.bulk_terms import pack_lists  # noqa: PLC0415

        columns: Iterable[bytes] = pack_lists(lists, ids)
    else:
        columns = _pack_lists(lists, ids)
    return compress_numbers(b"".join((pack_numbers([count]), pack_numbers(_differences(numbers)), *columns)))


def _pack_lists(lists: Sequence[Mapping[_Term, int]], ids: Mapping[_Term, int]) -> Iterable[bytes]:
    """Encode the ids that occur in lists, the postings and the frequencies."""
    occurring = sorted({ids[term] for terms in lists for term in terms})
    first = dict(zip(occurring, range(0, len(occurring) * len(lists), len(lists)), strict=True)) if lists else {}
    postings = sorted(
        (first[ids[term]] + number) << FIELD_SHIFT | min(frequency, MAX_FREQUENCY)
        for number, terms in enumerate(lists)
        for term, frequency in terms.items()
    )
    yield pack_numbers(_differences(occurring))
    yield pack_numbers(_differences([posting >> FIELD_SHIFT for posting in postings]))
    yield pack_numbers([posting & MAX_FREQUENCY for posting in postings])


def unpack_document_terms(packed: bytes) -> list[bytes]:
    """Decode the terms of a document and of each of its chunks, as pairs of 32-bit numbers."""
    data = decompress(packed)
    (owners, *others), end = unpack_numbers(data, 0) if data[:1] == b"\x01" else ([0, 0], 0)
    steps, end = unpack_numbers(data, end)
    numbers = list(accumulate(steps))
    if others or (numbers and numbers[-1] >= owners * FIELD_LISTS):
        raise UnreadableError("packed terms contradict each other")
    unpack = _unpack_lists
    if "numpy" in sys.modules:
        from waymeet.stores.sqlite.database.bulk_terms import unpack_lists as unpack  # noqa: PLC0415
    return unpack(data, end, owners, numbers)


def _unpack_lists(data: bytes, start: int, owners: int, numbers: Sequence[int]) -> list[bytes]:
    """Decode ids, postings and frequencies, and return the pairs of each owner."""
    id_steps, end = unpack_numbers(data, start)
    steps, end = unpack_numbers(data, end)
    frequencies, end = unpack_numbers(data, end)
    ids, postings = list(accumulate(id_steps)), list(accumulate(steps))
    check_postings(len(ids) * len(numbers), postings[-1] if postings else -1, max(frequencies, default=0))
    if end != len(data) or len(frequencies) != len(postings):
        raise UnreadableError("packed terms contradict each other")
    pairs = [array("I") for _ in numbers]
    for posting, frequency in zip(postings, frequencies, strict=True):
        index, number = divmod(posting, len(numbers))
        pairs[number].append(ids[index])
        pairs[number].append(numbers[number] % FIELD_LISTS << FIELD_SHIFT | frequency)
    bounds = [bisect_left(numbers, owner * FIELD_LISTS) for owner in range(owners + 1)]
    return [b"".join(pairs[begin:end]) for begin, end in pairwise(bounds)]


def check_postings(size: int, last: int, highest: int) -> None:
    """Raise an error if there are postings at or above a number, or too high frequencies."""
    if last >= size or highest > MAX_FREQUENCY:
        raise UnreadableError("packed terms contradict each other")


def _differences(ascending: Sequence[int]) -> list[int]:
    return list(map(sub, ascending, chain((0,), ascending)))


def pack_link_terms(terms: Iterable[tuple[int, int]]) -> bytes:
    """Encode the term ids and frequencies of a link in a few bytes each.

    Numbers have seven bits a byte. The difference to the last id is doubled, plus 1 if a frequency follows.

    >>> array("I", unpack_link_terms(pack_link_terms([(300, 1), (7, 2)]))).tolist()
    [7, 100663298, 300, 100663297]
    """
    packed, last = bytearray(), 0
    for id_, frequency in sorted(terms):
        has_frequency = frequency != 1
        _append(packed, (id_ - last) << 1 | has_frequency)
        if has_frequency:
            _append(packed, min(frequency, MAX_FREQUENCY))
        last = id_
    return bytes(packed)


def unpack_link_terms(packed: bytes) -> bytes:
    """Decode the terms of a link as pairs of 32-bit numbers of the field `inbound`."""
    pairs, last, number, shift, expects_frequency = array("I"), 0, 0, 0, False
    for byte in packed:
        if byte >= _MORE:
            number |= (byte & _LOW_BITS) << shift
            shift += 7
            continue
        number |= byte << shift
        if expects_frequency:
            pairs.append(_INBOUND_BITS | number & MAX_FREQUENCY)
            expects_frequency = False
        else:
            last += number >> 1
            pairs.append(last & _MAX_ID)
            if number & 1:
                expects_frequency = True
            else:
                pairs.append(_INBOUND_BITS | 1)
        number = shift = 0
    if shift or expects_frequency:
        raise UnreadableError("the terms of a link are truncated")
    return pairs.tobytes()


def _append(packed: bytearray, number: int) -> None:
    while number >= _MORE:
        packed.append(number & _LOW_BITS | _MORE)
        number >>= 7
    packed.append(number)
