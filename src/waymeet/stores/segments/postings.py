"""Inversion: from the terms of each document to the postings of each term.

A segment has these arrays:

    documents           the id of each document, by position
    first               the position of each document's first chunk, and the number of chunks
    chunks              the id of each chunk, by position
    owner               the position of each chunk's document
    terms               the ids of the terms that occur, ascending
    starts              where the postings of each term begin, and the number of postings
    positions, codes    the postings: position of the chunk, and field with frequency (see `posting_codec`),
                        ordered by term, then position, then field
    length FIELD        the length of a field, by position of the document or chunk

The terms of a document's fields are repeated for each of its chunks, so that a chunk is scored from its own postings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT, MAX_FREQUENCY, DocumentTerms
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import Arrays

    Ints = NDArray[np.uint64]


class _Rows(NamedTuple):
    """Postings as columns: position of the owner, term, field code, frequency."""

    owner: Ints
    term: Ints
    field: Ints
    frequency: Ints


def build_arrays(documents: Sequence[DocumentTerms]) -> tuple[Arrays, dict[str, Any]]:
    """Build the arrays and attributes of a segment from documents in the order of their paths."""
    chunks = [chunk for document in documents for chunk in document.chunks]
    sizes = np.array([len(document.chunks) for document in documents], dtype=np.uint64)
    first = np.concatenate([np.zeros(1, np.uint64), np.cumsum(sizes, dtype=np.uint64)])
    document_rows = _sum_equal(_unpack([document.terms for document in documents]))
    chunk_rows = _unpack([terms for _, terms in chunks])
    rows = _sort(_concatenate(_copy_to_chunks(document_rows, first), chunk_rows))
    term_starts = np.flatnonzero(np.diff(rows.term, prepend=np.uint64(2**63)))  # no term has that id: the first counts
    arrays: Arrays = {
        "documents": ("I", _uint32([document.id for document in documents])),
        "first": ("I", first.astype(np.uint32)),
        "chunks": ("I", _uint32([chunk for chunk, _ in chunks])),
        "owner": ("I", np.repeat(np.arange(len(documents), dtype=np.uint32), sizes.astype(np.int64))),
        "terms": ("I", rows.term[term_starts].astype(np.uint32)),
        "starts": ("Q", np.append(term_starts, len(rows.term)).astype(np.uint64)),
        "positions": ("I", rows.owner.astype(np.uint32)),
        "codes": ("I", (rows.field << np.uint64(FIELD_SHIFT) | rows.frequency).astype(np.uint32)),
    }
    attributes: dict[str, Any] = {"lengths": {}}
    for fields, own_rows, count in (
        (DOCUMENT_FIELDS, document_rows, len(documents)),
        (CHUNK_FIELDS, chunk_rows, len(chunks)),
    ):
        for field in fields:
            lengths = _field_lengths(own_rows, FIELD_CODES[field], count)
            arrays[f"length {field}"] = ("I", lengths.astype(np.uint32))
            attributes["lengths"][field] = (int(lengths.sum()), int(np.count_nonzero(lengths)))
    return arrays, attributes


def _unpack(packed: Sequence[bytes]) -> _Rows:
    """Decode packed terms. The owner is the index in the sequence."""
    pairs = np.frombuffer(b"".join(packed), dtype="<u4").reshape(-1, 2).astype(np.uint64)
    owner = np.repeat(np.arange(len(packed), dtype=np.uint64), [len(terms) // 8 for terms in packed])
    return _Rows(owner, pairs[:, 0], pairs[:, 1] >> np.uint64(FIELD_SHIFT), pairs[:, 1] & np.uint64(MAX_FREQUENCY))


def _sum_equal(rows: _Rows) -> _Rows:
    """Sum the frequencies of a term in one field: several links may have the same term."""
    rows = _sort(rows)
    if not len(rows.term):
        return rows
    same = (np.diff(rows.term) == 0) & (np.diff(rows.owner) == 0) & (np.diff(rows.field) == 0)
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    frequency = np.minimum(np.add.reduceat(rows.frequency, starts), np.uint64(MAX_FREQUENCY))
    return _Rows(rows.owner[starts], rows.term[starts], rows.field[starts], frequency)


def _copy_to_chunks(document_rows: _Rows, first: Ints) -> _Rows:
    """Repeat the rows of each document for each of its chunks."""
    begin = first[document_rows.owner.astype(np.int64)]
    copies = (first[document_rows.owner.astype(np.int64) + 1] - begin).astype(np.int64)
    row = np.repeat(np.arange(len(copies)), copies)
    copies_before = np.cumsum(copies) - copies
    # The k-th copy of a row belongs to the k-th chunk of its document.
    chunk = begin[row] + (np.arange(len(row)) - copies_before[row]).astype(np.uint64)
    return _Rows(chunk, document_rows.term[row], document_rows.field[row], document_rows.frequency[row])


def _concatenate(one: _Rows, other: _Rows) -> _Rows:
    return _Rows(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


def _sort(rows: _Rows) -> _Rows:
    """Sort by term, then owner, then field.

    The three fit into one 64-bit key: 28 bits of term, 32 of owner, 4 of field. One sort of integers is faster than
    `lexsort` over three columns.
    """
    order = np.argsort(rows.term << np.uint64(36) | rows.owner << np.uint64(4) | rows.field, kind="stable")
    return _Rows(*(column[order] for column in rows))


def _field_lengths(rows: _Rows, code: int, count: int) -> Ints:
    """Sum the frequencies in one field for each owner."""
    in_field = rows.field == np.uint64(code)
    lengths = np.zeros(count, dtype=np.uint64)
    np.add.at(lengths, rows.owner[in_field].astype(np.int64), rows.frequency[in_field])
    return lengths


def _uint32(numbers: Sequence[int]) -> NDArray[np.uint32]:
    return np.array(numbers, dtype=np.uint32)
