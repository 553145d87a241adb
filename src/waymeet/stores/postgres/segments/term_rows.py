"""The terms of a document as its row contains them, by the hashes of terms.

The terms of the document and of each of its chunks follow each other. Each part has the hashes of its terms, then for
each of them the field code and the frequency as in `posting_codec`, big-endian like all numbers that the server writes.
"""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING

from waymeet.stores.postgres.database.encoding import hash_key
from waymeet.stores.segments.posting_codec import (
    FIELD_CODES,
    FIELD_NAMES,
    FIELD_SHIFT,
    MAX_FREQUENCY,
    DocumentTerms,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from waymeet.types import Terms

ENTRY_BYTES = 12
"""Bytes of a term in a part."""
HASH_BYTES = 8


def pack_hashes(fields: Mapping[str, Terms]) -> bytes:
    """Encode the terms of fields.

    >>> [(field, number) for _, field, number in unpack_hashes(pack_hashes({"body": {"rank": 2}}))]
    [('body', 2)]
    """
    hashes, codes = array("q"), array("I")
    for field, code in FIELD_CODES.items():
        terms = fields.get(field)
        if terms:
            hashes.extend(map(hash_key, terms))
            codes.extend(code << FIELD_SHIFT | min(frequency, MAX_FREQUENCY) for frequency in terms.values())
    return _join(hashes, codes)


def pack_link_terms(terms: Iterable[int], frequencies: Iterable[int]) -> bytes:
    """Encode the terms of a link as those of its target."""
    code = FIELD_CODES["inbound"] << FIELD_SHIFT
    return _join(array("q", terms), array("I", (code | min(number, MAX_FREQUENCY) for number in frequencies)))


def _join(hashes: array[int], codes: array[int]) -> bytes:
    if sys.byteorder == "little":
        hashes.byteswap()
        codes.byteswap()
    return hashes.tobytes() + codes.tobytes()


def unpack_hashes(packed: bytes) -> Iterator[tuple[int, str, int]]:
    """Decode hash, field and frequency of the terms of a part."""
    middle = len(packed) // ENTRY_BYTES * HASH_BYTES
    hashes, codes = array("q", packed[:middle]), array("I", packed[middle:])
    if sys.byteorder == "little":
        hashes.byteswap()
        codes.byteswap()
    for term, code in zip(hashes, codes, strict=True):
        yield term, FIELD_NAMES[code >> FIELD_SHIFT], code & MAX_FREQUENCY


def join_parts(parts: Sequence[bytes]) -> tuple[list[int], bytes]:
    """Join the terms of a document and of its chunks, and count those of each."""
    return [len(part) // ENTRY_BYTES for part in parts], b"".join(parts)


def split_parts(sizes: Iterable[int], content: bytes) -> list[bytes]:
    """Split what `join_parts` joined."""
    parts, start = [], 0
    for size in sizes:
        end = start + size * ENTRY_BYTES
        parts.append(content[start:end])
        start = end
    return parts


def join_terms(parts: Iterable[bytes]) -> bytes:
    """Join parts to one that has the terms of all."""
    whole = [part for part in parts if part]
    if len(whole) < 2:
        return b"".join(whole)
    middles = [len(part) // ENTRY_BYTES * HASH_BYTES for part in whole]
    hashes = (part[:middle] for part, middle in zip(whole, middles, strict=True))
    codes = (part[middle:] for part, middle in zip(whole, middles, strict=True))
    return b"".join((*hashes, *codes))


def read_row(
    document: int, chunks: Sequence[int], sizes: Sequence[int], content: bytes, links: Iterable[bytes]
) -> DocumentTerms:
    """Decode the terms of a document from its row, with those of the links to it."""
    own, *of_chunks = split_parts(sizes, content)
    return DocumentTerms(document, join_terms((own, *links)), list(zip(chunks, of_chunks, strict=True)))
