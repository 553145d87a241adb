"""The encoding of terms in the tables.

All terms of a document and its chunks are one value. It has the term ids that occur, ascending, and the postings: for
each field of the document and then of each chunk the indexes of its terms among those ids, with their frequencies. If
V terms occur, the index i in the list number j with the frequency f is the number (j · V + i) · 256 + f, so all lists
together are one ascending sequence. Differences of ids and of that sequence are stored in planes of bytes and
compressed: 1.6 bytes a posting. If a frequency does not fit into 8 bits, all have 24.

Readers get the pairs of 32-bit numbers that segments are written from (see `waymeet.stores.segments.posting_codec`).
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from itertools import accumulate, chain, pairwise
from operator import or_, sub
from typing import TYPE_CHECKING, TypeVar

from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT, MAX_FREQUENCY
from waymeet.stores.sqlite.database.compression import compress, decompress, pack_numbers, unpack_numbers
from waymeet.stores.sqlite.database.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_Term = TypeVar("_Term", str, int)
FIELD_LISTS = max(FIELD_CODES.values()) + 1
"""Lists of an owner, a document or chunk: one for each field code."""
_FREQUENCY_BITS = (8, FIELD_SHIFT)
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
    lists = list(owners)
    counts = [terms for fields in lists for terms in fields.values()]
    occurring = sorted(set(chain.from_iterable(counts)), key=ids.__getitem__)
    highest = max((max(terms.values()) for terms in counts if terms), default=0)
    bits = _FREQUENCY_BITS[highest >= 1 << _FREQUENCY_BITS[0]]
    index = dict(zip(occurring, range(0, len(occurring) << bits, 1 << bits), strict=True))
    postings: list[int] = []
    for number, fields in enumerate(lists):
        for code, terms in sorted((FIELD_CODES[field], terms) for field, terms in fields.items() if terms):
            frequencies = terms.values() if highest <= MAX_FREQUENCY else map(_limit, terms.values())
            base = (number * FIELD_LISTS + code) * len(occurring) << bits
            postings.extend(map(base.__add__, sorted(map(or_, map(index.__getitem__, terms), frequencies))))
    columns = ([len(lists), bits], _differences([ids[term] for term in occurring]), _differences(postings))
    return compress(b"".join(map(pack_numbers, columns)))


def _limit(frequency: int) -> int:
    return min(frequency, MAX_FREQUENCY)


def unpack_document_terms(packed: bytes) -> list[bytes]:
    """Decode the terms of a document and of each of its chunks, as pairs of 32-bit numbers."""
    data = decompress(packed)
    (owners, bits, *_), end = unpack_numbers(data, 0) if data[:1] == b"\x02" else ([0, 0], 0)
    if bits not in _FREQUENCY_BITS:
        raise UnreadableError("packed terms contradict each other")
    unpack = _unpack_postings
    if "numpy" in sys.modules:  # importing it takes longer than decoding a few documents
        from waymeet.stores.sqlite.database.bulk_terms import unpack_postings as unpack  # noqa: PLC0415
    return unpack(data, end, owners, bits)


def _unpack_postings(data: bytes, start: int, owners: int, bits: int) -> list[bytes]:
    """Decode ids and postings, and return the pairs of each owner."""
    id_steps, end = unpack_numbers(data, start)
    steps, end = unpack_numbers(data, end)
    ids, postings = list(accumulate(id_steps)), list(accumulate(steps))
    size, mask = len(ids) << bits, (1 << bits) - 1
    if end != len(data) or (postings and postings[-1] >= owners * FIELD_LISTS * size):
        raise UnreadableError("packed terms contradict each other")
    pairs = array("I")
    for posting in postings:
        place, index = divmod(posting, size)
        pairs.append(ids[index >> bits])
        pairs.append(place % FIELD_LISTS << FIELD_SHIFT | posting & mask)
    bounds = [bisect_left(postings, owner * FIELD_LISTS * size) for owner in range(owners + 1)]
    return [pairs[2 * begin : 2 * end].tobytes() for begin, end in pairwise(bounds)]


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
