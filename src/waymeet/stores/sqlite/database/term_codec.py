"""The encoding of terms in the tables.

All terms of a document and its chunks are one value. It has the term ids that occur, ascending, and the postings: for
each field of the document and then of each chunk the indexes of its terms among those ids, with their frequencies. If
V terms occur, the index i in the list number j with the frequency f is the number (j · V + i) · 256 + f, so all lists
together are one ascending sequence. Differences of ids and of that sequence are stored in planes of bytes and
compressed: 1.6 bytes a posting. If a frequency does not fit into 8 bits, all have 24.

Readers get the pairs of 32-bit numbers that segments are written from (see `waymeet.stores.segments.posting_codec`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import accumulate, chain
from operator import or_, sub
from typing import TYPE_CHECKING, TypeVar

from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT, MAX_FREQUENCY
from waymeet.stores.sqlite.database.compression import compress, decompress, pack_numbers, unpack_numbers
from waymeet.stores.sqlite.database.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_Term = TypeVar("_Term", str, int)
_LISTS = max(FIELD_CODES.values()) + 1
"""Lists of an owner, a document or chunk: one for each field code."""
_FREQUENCY_BITS = (8, FIELD_SHIFT)
_HEADER = 2
"""Numbers of the header: owners and bits of a frequency."""
_INBOUND = FIELD_CODES["inbound"]
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
            base = (number * _LISTS + code) * len(occurring) << bits
            postings.extend(map(base.__add__, sorted(map(or_, map(index.__getitem__, terms), frequencies))))
    columns = ([len(lists), bits], _differences([ids[term] for term in occurring]), _differences(postings))
    return compress(b"".join(map(pack_numbers, columns)))


def _limit(frequency: int) -> int:
    return min(frequency, MAX_FREQUENCY)


def unpack_document_terms(packed: bytes) -> list[bytes]:
    """Decode the terms of a document and of each of its chunks, as pairs of 32-bit numbers."""
    data = decompress(packed)
    header, end = unpack_numbers(data, 0)
    id_steps, end = unpack_numbers(data, end)
    steps, end = unpack_numbers(data, end)
    ids, postings = list(accumulate(id_steps)), list(accumulate(steps))
    if len(header) != _HEADER or header[1] not in _FREQUENCY_BITS or end != len(data):
        raise UnreadableError("packed terms contradict each other")
    owners, bits = header
    size = len(ids) << bits
    if postings and postings[-1] >= owners * _LISTS * size:
        raise UnreadableError("packed terms contradict each other")
    return [_unpack_owner(postings, ids, bits, owner * _LISTS * size) for owner in range(owners)]


def _unpack_owner(postings: list[int], ids: list[int], bits: int, base: int) -> bytes:
    """Decode the lists of one owner. They begin at the first posting that is not below `base`."""
    terms, codes, size, mask = array("I"), array("I"), len(ids) << bits, (1 << bits) - 1
    end = bisect_left(postings, base + _LISTS * size)
    start = bisect_left(postings, base, hi=end)
    while start < end:
        code = (postings[start] - base) // size
        first = base + code * size
        stop = bisect_left(postings, first + size, start, end)
        part, upper = postings[start:stop], code << FIELD_SHIFT
        terms.extend([ids[(posting - first) >> bits] for posting in part])
        codes.extend([posting & mask | upper for posting in part])
        start = stop
    return _interleave(terms, codes)


def _interleave(terms: array[int], codes: array[int]) -> bytes:
    pairs = array("I", bytes(8 * len(terms)))
    pairs[0::2], pairs[1::2] = terms, codes
    return pairs.tobytes()


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
    pairs, last, numbers = array("I"), 0, _read_numbers(packed)
    try:
        for number in numbers:
            last += number >> 1
            pairs.extend((last, _INBOUND << FIELD_SHIFT | (next(numbers) if number & 1 else 1)))
    except (StopIteration, OverflowError) as error:
        raise UnreadableError("the terms of a link are truncated") from error
    return pairs.tobytes()


def _append(packed: bytearray, number: int) -> None:
    while number >= _MORE:
        packed.append(number & _LOW_BITS | _MORE)
        number >>= 7
    packed.append(number)


def _read_numbers(packed: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in packed:
        number |= (byte & _LOW_BITS) << shift
        shift += 7
        if byte < _MORE:
            yield number
            number = shift = 0
    if shift:
        raise UnreadableError("the terms of a link are truncated")
