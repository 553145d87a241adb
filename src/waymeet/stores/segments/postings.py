"""Turning the terms of documents into postings: from "what stands in this chunk" to "where this term stands"."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.posting_codec import FIELD_CODES, MOST, SHIFT, Leaf
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    Ints = NDArray[np.uint64]
    Arrays = dict[str, tuple[str, NDArray[Any]]]


class _Rows(NamedTuple):
    """Occurrences: whose, which term, in which field, how often."""

    owner: Ints
    term: Ints
    field: Ints
    times: Ints


def arrays(leaves: Sequence[Leaf]) -> tuple[Arrays, dict[str, Any]]:
    """Make the arrays and facts of a segment out of documents, given in the order of their paths."""
    chunks = [chunk for leaf in leaves for chunk in leaf.chunks]
    sizes = np.array([len(leaf.chunks) for leaf in leaves], dtype=np.uint64)
    first = np.concatenate([np.zeros(1, np.uint64), np.cumsum(sizes, dtype=np.uint64)])
    shared = _summed(_rows([leaf.terms for leaf in leaves]))
    own = _rows([terms for _, terms in chunks])
    inside = _sorted(_joined(_spread(shared, first), own))
    new_term = np.flatnonzero(np.diff(inside.term, prepend=np.uint64(2**63)))
    made: Arrays = {
        "documents": ("I", _small([leaf.number for leaf in leaves])),
        "first": ("I", first.astype(np.uint32)),
        "chunks": ("I", _small([number for number, _ in chunks])),
        "owner": ("I", np.repeat(np.arange(len(leaves), dtype=np.uint32), sizes.astype(np.int64))),
        "terms": ("I", inside.term[new_term].astype(np.uint32)),
        "starts": ("Q", np.append(new_term, len(inside.term)).astype(np.uint64)),
        "places": ("I", inside.owner.astype(np.uint32)),
        "codes": ("I", (inside.field << np.uint64(SHIFT) | inside.times).astype(np.uint32)),
    }
    facts: dict[str, Any] = {"lengths": {}}
    for fields, rows, count in ((DOCUMENT_FIELDS, shared, len(leaves)), (CHUNK_FIELDS, own, len(chunks))):
        for field in fields:
            lengths = _lengths(rows, FIELD_CODES[field], count)
            made[f"length {field}"] = ("I", lengths.astype(np.uint32))
            facts["lengths"][field] = (int(lengths.sum()), int(np.count_nonzero(lengths)))
    return made, facts


def _rows(blobs: Sequence[bytes]) -> _Rows:
    """Lay packed terms one after the other."""
    pairs = np.frombuffer(b"".join(blobs), dtype="<u4").reshape(-1, 2).astype(np.uint64)
    owner = np.repeat(np.arange(len(blobs), dtype=np.uint64), [len(blob) // 8 for blob in blobs])
    return _Rows(owner, pairs[:, 0], pairs[:, 1] >> np.uint64(SHIFT), pairs[:, 1] & np.uint64(MOST))


def _summed(rows: _Rows) -> _Rows:
    """Add up what is said of one field by several links."""
    rows = _sorted(rows)
    if not len(rows.term):
        return rows
    same = (np.diff(rows.term) == 0) & (np.diff(rows.owner) == 0) & (np.diff(rows.field) == 0)
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    times = np.minimum(np.add.reduceat(rows.times, starts), np.uint64(MOST))
    return _Rows(rows.owner[starts], rows.term[starts], rows.field[starts], times)


def _spread(shared: _Rows, first: Ints) -> _Rows:
    """Give every chunk the occurrences of its document's fields."""
    begin = first[shared.owner.astype(np.int64)]
    copies = (first[shared.owner.astype(np.int64) + 1] - begin).astype(np.int64)
    row = np.repeat(np.arange(len(copies)), copies)
    before = np.cumsum(copies) - copies
    chunk = begin[row] + (np.arange(len(row)) - before[row]).astype(np.uint64)
    return _Rows(chunk, shared.term[row], shared.field[row], shared.times[row])


def _joined(one: _Rows, other: _Rows) -> _Rows:
    return _Rows(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


def _sorted(rows: _Rows) -> _Rows:
    """Order by term, then owner, then field."""
    order = np.argsort(rows.term << np.uint64(36) | rows.owner << np.uint64(4) | rows.field, kind="stable")
    return _Rows(*(column[order] for column in rows))


def _lengths(rows: _Rows, code: int, count: int) -> Ints:
    """Add up how many terms stand in one field of each owner."""
    here = rows.field == np.uint64(code)
    found = np.zeros(count, dtype=np.uint64)
    np.add.at(found, rows.owner[here].astype(np.int64), rows.times[here])
    return found


def _small(numbers: Sequence[int]) -> NDArray[np.uint32]:
    return np.array(numbers, dtype=np.uint32)
