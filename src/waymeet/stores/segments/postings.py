"""Inversion: from the terms of each document to the posting lists of each term.

A segment has these arrays:

    documents           the id of each document, by position
    first               the position of each document's first chunk, and the number of chunks
    chunks              the id of each chunk, by position
    owner               the position of each chunk's document
    length FIELD        the length of a field, by position of the document or chunk

and for each level, `document` and `chunk`, the posting lists of the fields of that level:

    LEVEL terms         the id of each 16th term of those that occur, in ascending order
    LEVEL gaps          the blocks of 16 terms whose ids do not follow each other
    LEVEL term steps    for each term of these blocks the difference to the id before, with 0 for the first one
    LEVEL sizes         the number of entries of each list, for each range of 65,536 positions; from 255 on 255, and
                        the number is in `LEVEL long sizes`, for the indexes in `LEVEL long lists`
    LEVEL starts        where the list of each 32nd size begins
    LEVEL positions     the position of the document or chunk of each entry in its range, ascending in each of them
    LEVEL codes         the frequencies in the fields of the level (see `frequency_codes`), with the arrays
                        `LEVEL codebook`, `LEVEL escaped` and `LEVEL escaped frequencies`

The fields of a document count for each of its chunks, but are stored once. Each array has the smallest type of
integers that holds its numbers.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.array_file import integer_code
from waymeet.stores.segments.frequency_codes import FrequencyCodes, decode_frequencies, encode_frequencies
from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT, MAX_FREQUENCY
from waymeet.stores.segments.posting_lists import BLOCK, LEVELS, LONG, RANGE, SIZES, count_ranges
from waymeet.stores.segments.reader import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import ArrayContent, Arrays
    from waymeet.stores.segments.posting_codec import DocumentTerms

    Ints = NDArray[Any]


_FIELD_BITS = np.uint64(4)
_OWNER_BITS = np.uint64(32)
_FIELD_MASK = np.uint64((1 << 4) - 1)
_OWNER_MASK = np.uint64((1 << 32) - 1)


class PostingLists(NamedTuple):
    """The posting lists of one level as columns."""

    terms: Ints
    starts: NDArray[np.int64]
    positions: Ints
    frequencies: Ints
    """One row for each entry, one column for each field of the level."""

    @property
    def term_of_entry(self) -> Ints:
        """Return the index of each entry's term."""
        return np.repeat(np.arange(len(self.terms), dtype=np.uint32), np.diff(self.starts))


class SegmentContent(NamedTuple):
    """What a segment stores, decoded."""

    documents: Ints
    first: Ints
    chunks: Ints
    owner: Ints
    lists: Mapping[str, PostingLists]
    """The posting lists of each level."""
    lengths: Mapping[str, Ints]
    """The length of each field, by position."""


class _PackedTerms:
    """The packed terms of all documents or chunks."""

    def __init__(self) -> None:
        self._content = bytearray()
        self._sizes = array("I")

    def append(self, packed: bytes) -> None:
        """Add the terms of the next document or chunk."""
        self._content += packed
        self._sizes.append(len(packed) // 8)

    def __len__(self) -> int:
        return len(self._sizes)

    def sort(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Sort the terms by key, and return keys and frequencies.

        The terms, which take much memory, are freed.
        Term, owner and field fit into one 64-bit key: one sort of integers is faster than `lexsort` over three columns.
        """
        pairs = np.frombuffer(self._content, dtype="<u4").reshape(-1, 2)
        keys = pairs[:, 0].astype(np.uint64)
        keys <<= _OWNER_BITS
        keys |= np.repeat(np.arange(len(self), dtype=np.uint32), self._sizes)
        keys <<= _FIELD_BITS
        keys |= pairs[:, 1] >> np.uint32(FIELD_SHIFT)
        order = np.argsort(keys)
        frequencies = pairs[:, 1][order]
        frequencies &= np.uint32(MAX_FREQUENCY)
        del pairs, order
        self._content = bytearray()
        keys.sort()  # in place, with less memory than `keys[order]`
        return keys, frequencies


def invert(documents: Iterable[DocumentTerms]) -> SegmentContent:
    """Compute the content of a segment from documents in the order of their paths."""
    document_ids, chunk_ids, sizes_ = array("I"), array("I"), array("I")
    packed = {level: _PackedTerms() for level in LEVELS}
    for document in documents:
        document_ids.append(document.id)
        sizes_.append(len(document.chunks))
        packed["document"].append(document.terms)
        for chunk, terms in document.chunks:
            chunk_ids.append(chunk)
            packed["chunk"].append(terms)
    sizes = np.array(sizes_, dtype=np.int64)
    lists: dict[str, PostingLists] = {}
    lengths: dict[str, Ints] = {}
    for level in LEVELS:
        has_chunks = sizes > 0 if level == "document" and not sizes.all() else None
        lists[level], level_lengths = _invert_level(packed[level], LEVELS[level], has_chunks)
        lengths |= level_lengths
    return SegmentContent(
        np.array(document_ids, dtype=np.uint32),
        np.concatenate([np.zeros(1, np.uint32), np.cumsum(sizes, dtype=np.uint32)]),
        np.array(chunk_ids, dtype=np.uint32),
        np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes),
        lists,
        lengths,
    )


def _invert_level(
    packed: _PackedTerms, fields: Sequence[str], is_listed: NDArray[np.bool_] | None
) -> tuple[PostingLists, dict[str, Ints]]:
    """Compute the posting lists of one level, and the lengths of its fields.

    The terms of a document without chunks count for the lengths, but occur nowhere. Arrays are deleted as soon as
    possible: they determine the memory that indexing takes.
    """
    keys, frequencies = _sum_equal(*packed.sort())
    columns = np.zeros(len(FIELD_CODES) + 1, dtype=np.uint8)
    columns[[FIELD_CODES[field] for field in fields]] = range(len(fields))
    column = columns[(keys & _FIELD_MASK).astype(np.uint8)]
    keys >>= _FIELD_BITS
    owners = (keys & _OWNER_MASK).astype(np.uint32)
    lengths = {}
    for index, field in enumerate(fields):
        in_field = column == index
        lengths[field] = np.bincount(owners[in_field], frequencies[in_field], len(packed)).astype(np.uint32)
    if is_listed is not None:
        keep = is_listed[owners]
        keys, column, frequencies = keys[keep], column[keep], frequencies[keep]
    del owners
    is_new = _differs_from_previous(keys)
    table = _build_table(is_new, column, frequencies, len(fields))
    del column, frequencies
    keys = keys[is_new]
    positions = (keys & _OWNER_MASK).astype(np.uint32)
    keys >>= _OWNER_BITS
    starts = np.flatnonzero(_differs_from_previous(keys))
    terms = keys[starts].astype(np.uint32)
    return PostingLists(terms, np.append(starts, len(keys)).astype(np.int64), positions, table), lengths


def _build_table(is_new: NDArray[np.bool_], column: Ints, frequencies: Ints, fields: int) -> Ints:
    """Build the frequencies of entries: one row for each, one column for each field."""
    entries = np.cumsum(is_new, dtype=np.int32)
    entries -= 1
    table = np.zeros((np.count_nonzero(is_new), fields), dtype=np.uint32)
    for field in range(fields):
        in_field = column == field
        table[entries[in_field], field] = frequencies[in_field]
    return table


def _sum_equal(keys: Ints, frequencies: NDArray[np.uint32]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Sum the frequencies of equal keys: several links to a document may have the same term."""
    is_new = _differs_from_previous(keys)
    if is_new.all():
        return keys, frequencies
    sums = np.add.reduceat(frequencies, np.flatnonzero(is_new), dtype=np.uint64)
    return keys[is_new], np.minimum(sums, np.uint64(MAX_FREQUENCY)).astype(np.uint32)


def _differs_from_previous(values: Ints) -> NDArray[np.bool_]:
    """Return for each value whether it is the first or differs from the one before."""
    differs = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def build_arrays(content: SegmentContent) -> tuple[Arrays, dict[str, Any]]:
    """Build the arrays and attributes of a segment."""
    columns: dict[str, Ints] = {
        "documents": content.documents,
        "first": content.first,
        "chunks": content.chunks,
        "owner": content.owner,
    }
    counts = {"document": len(content.documents), "chunk": len(content.chunks)}
    for level, lists in content.lists.items():
        encoded = encode_frequencies(lists.frequencies)
        columns |= {f"{level} {name}": array for name, array in _encode_lists(lists, counts[level]).items()}
        columns |= {
            f"{level} codes": encoded.codes,
            f"{level} codebook": encoded.codebook.ravel(),
            f"{level} escaped": encoded.escaped,
            f"{level} escaped frequencies": encoded.escaped_frequencies.ravel(),
        }
    columns |= {f"length {field}": lengths for field, lengths in content.lengths.items()}
    lengths = {
        field: (int(lengths.sum(dtype=np.uint64)), int(np.count_nonzero(lengths)), int(lengths.max(initial=0)))
        for field, lengths in content.lengths.items()
    }
    arrays = {name: (integer_code(int(array.max(initial=0))), array) for name, array in columns.items()}
    return arrays, {"format": FORMAT, "lengths": lengths}


def _encode_lists(lists: PostingLists, count: int) -> dict[str, Ints]:
    """Encode the lists of a level with that many documents or chunks, except for frequencies."""
    steps = np.zeros(-(-len(lists.terms) // BLOCK) * BLOCK, dtype=np.uint32)
    steps[1 : len(lists.terms)] = np.diff(lists.terms)
    blocks = steps.reshape(-1, BLOCK)
    blocks[:, 0] = 0
    has_gap = (blocks[:, 1:] != 1).any(axis=1)
    ranges = count_ranges(count)
    sizes = np.diff(lists.starts)
    if ranges > 1 and len(sizes):
        numbers = lists.positions // np.uint32(RANGE)
        parts = [np.add.reduceat(numbers == number, lists.starts[:-1], dtype=np.int64) for number in range(ranges)]
        sizes = np.stack(parts, axis=1).ravel()
    long_lists = np.flatnonzero(sizes >= LONG)
    return {
        "terms": lists.terms[::BLOCK],
        "gaps": np.flatnonzero(has_gap),
        "term steps": blocks[has_gap].ravel(),
        "starts": (np.cumsum(sizes) - sizes)[::SIZES],
        "sizes": np.minimum(sizes, LONG),
        "long lists": long_lists,
        "long sizes": sizes[long_lists],
        "positions": lists.positions % np.uint32(RANGE) if ranges > 1 else lists.positions,
    }


def read_content(file: ArrayContent) -> SegmentContent:
    """Read the content of a segment."""
    lists = {level: read_lists(file, level) for level in LEVELS}
    lengths = {field: file.array(f"length {field}") for fields in LEVELS.values() for field in fields}
    documents, first, chunks, owner = (file.array(name) for name in ("documents", "first", "chunks", "owner"))
    return SegmentContent(documents, first, chunks, owner, lists, lengths)


def read_lists(file: ArrayContent, level: str) -> PostingLists:
    """Read all posting lists of a level."""
    encoded = read_codes(file, level)
    return PostingLists(*read_positions(file, level), decode_frequencies(encoded, np.arange(len(encoded.codes))))


def read_positions(file: ArrayContent, level: str) -> tuple[Ints, NDArray[np.int64], Ints]:
    """Read the terms of a level, the starts of their lists, and all positions."""
    ranges = count_ranges(len(file.integers(f"{level}s")))
    sizes = file.array(f"{level} sizes").astype(np.int64)
    sizes[file.array(f"{level} long lists")] = file.array(f"{level} long sizes")
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    positions: Ints = file.array(f"{level} positions")
    if ranges > 1:
        offsets = np.arange(len(sizes), dtype=np.uint32) % np.uint32(ranges) * np.uint32(RANGE)
        positions = positions + np.repeat(offsets, sizes)
    return _read_terms(file, level)[: len(sizes) // ranges], starts[::ranges], positions


def _read_terms(file: ArrayContent, level: str) -> Ints:
    """Read the ids of the terms of a level, in whole blocks."""
    firsts: Ints = file.array(f"{level} terms")
    steps = np.ones((len(firsts), BLOCK), dtype=np.uint32)
    steps[file.array(f"{level} gaps")] = file.array(f"{level} term steps").reshape(-1, BLOCK)
    steps[:, 0] = firsts
    return np.cumsum(steps, axis=1, dtype=np.uint32).ravel()


def read_codes(file: ArrayContent, level: str) -> FrequencyCodes:
    """Read the encoded frequencies of a level."""
    codes, codebook, escaped, frequencies = (
        file.array(f"{level} {name}") for name in ("codes", "codebook", "escaped", "escaped frequencies")
    )
    fields = len(LEVELS[level])
    return FrequencyCodes(codes, codebook.reshape(-1, fields), escaped, frequencies.reshape(-1, fields))  # type: ignore[arg-type]
