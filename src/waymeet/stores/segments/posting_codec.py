"""Occurrences as numbers: the term, and in one number the field and how often the term stands there.

In this form they lie in the truth, document by document, and in segments, term by term.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from waymeet.types import FIELDS, Terms

FIELD_CODES = {field: code for code, field in enumerate(FIELDS, start=1)}
"""Fields as numbers, in the order in which they are summed. A number is never given to another field."""
FIELD_NAMES = {code: field for field, code in FIELD_CODES.items()}

SHIFT = 24
MOST = (1 << SHIFT) - 1
"""The highest frequency that fits; a text of more than sixteen million equal words counts as one of so many."""


class Leaf(NamedTuple):
    """A document as a segment takes it in."""

    number: int
    terms: bytes
    """The packed terms of its own fields and of what links say of it, in any order; equal ones add up."""
    chunks: Sequence[tuple[int, bytes]]
    """Number and packed terms of its chunks, in their order."""


def packed(fields: Mapping[str, Terms], numbers: Mapping[str, int]) -> bytes:
    """Write down the terms of some fields: pairs of numbers, 32 bits each.

    >>> list(unpacked(packed({"body": {"rank": 2}, "title": {"rank": 1}}, {"rank": 7})))
    [(7, 'title', 1), (7, 'body', 2)]
    """
    pairs = array("I")
    for field, code in FIELD_CODES.items():
        for term, times in fields.get(field, {}).items():
            pairs.extend((numbers[term], code << SHIFT | min(times, MOST)))
    return pairs.tobytes()


def unpacked(blob: bytes) -> Iterator[tuple[int, str, int]]:
    """Read back term, field and frequency."""
    pairs = memoryview(blob).cast("I")
    for at in range(0, len(pairs), 2):
        yield pairs[at], FIELD_NAMES[pairs[at + 1] >> SHIFT], pairs[at + 1] & MOST
