"""The encoding of terms in a field: pairs of 32-bit numbers.

The first number is the term id, the second one holds the field code in its upper 8 bits and the frequency in its lower
24 bits. In this form terms are stored in the tables by document, and in segments by term.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from waymeet.types import FIELDS, Terms

FIELD_CODES = {field: code for code, field in enumerate(FIELDS, start=1)}
"""Codes of fields, in the order in which fields are summed. The code of a removed field is not used again."""
FIELD_NAMES = {code: field for field, code in FIELD_CODES.items()}

FIELD_SHIFT = 24
MAX_FREQUENCY = (1 << FIELD_SHIFT) - 1
"""The highest frequency that fits. A higher one, of over 16 million equal terms in a field, is stored as this one."""


class DocumentTerms(NamedTuple):
    """A document as it is written to a segment."""

    id: int
    terms: bytes
    """The packed terms of its own fields and of the links to it, in any order. Equal ones are summed."""
    chunks: Sequence[tuple[int, bytes]]
    """Number and packed terms of its chunks, in their order."""


def pack_terms(fields: Mapping[str, Terms], term_ids: Mapping[str, int]) -> bytes:
    """Encode the terms of fields.

    >>> list(unpack_terms(pack_terms({"body": {"rank": 2}, "title": {"rank": 1}}, {"rank": 7})))
    [(7, 'title', 1), (7, 'body', 2)]
    """
    pairs = array("I")
    for field, code in FIELD_CODES.items():
        for term, frequency in fields.get(field, {}).items():
            pairs.extend((term_ids[term], code << FIELD_SHIFT | min(frequency, MAX_FREQUENCY)))
    return pairs.tobytes()


def unpack_terms(packed: bytes) -> Iterator[tuple[int, str, int]]:
    """Decode term id, field and frequency."""
    pairs = memoryview(packed).cast("I")
    for index in range(0, len(pairs), 2):
        yield pairs[index], FIELD_NAMES[pairs[index + 1] >> FIELD_SHIFT], pairs[index + 1] & MAX_FREQUENCY
