"""Merging segments gives the same content as inverting their documents together."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from waymeet.stores.segments.array_file import ArrayFile, write_arrays
from waymeet.stores.segments.posting_codec import DocumentTerms, pack_terms
from waymeet.stores.segments.postings import build_arrays, invert
from waymeet.stores.sqlite.segments import segment_merge
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS

TERMS = {"a": 1, "b": 2, "c": 7, "d": 300}
counts = st.dictionaries(st.sampled_from(sorted(TERMS)), st.integers(1, 400), max_size=4)


def fields(names: tuple[str, ...]) -> st.SearchStrategy[bytes]:
    return st.dictionaries(st.sampled_from(names), counts, max_size=3).map(lambda terms: pack_terms(terms, TERMS))


document = st.tuples(fields(DOCUMENT_FIELDS), st.lists(fields(CHUNK_FIELDS), max_size=3))
placed = st.lists(st.tuples(document, st.integers(0, 2), st.booleans()), min_size=1, max_size=8)
"""Documents with the number of their segment, and whether they are still part of it."""


def write(path: Path, documents: list[DocumentTerms]) -> ArrayFile:
    arrays, attributes = build_arrays(invert(documents))
    write_arrays(path, arrays, attributes)
    return ArrayFile(path)


@given(contents=placed, block=st.sampled_from([1, 3, 1000]))
def test_merged_segments_equal_an_inversion_of_their_live_documents(
    contents: list[tuple[tuple[bytes, list[bytes]], int, bool]], block: int
) -> None:
    numbers = iter(range(1000))
    documents = [
        DocumentTerms(id_, terms, [(next(numbers), own) for own in chunks])
        for id_, ((terms, chunks), _, _) in enumerate(contents)
    ]
    by_segment: list[list[DocumentTerms]] = [[], [], []]
    live, places = [], []
    for terms, (_, segment, is_live) in zip(documents, contents, strict=True):
        if is_live:
            live.append(terms)
            places.append((segment, len(by_segment[segment])))
        by_segment[segment].append(terms)
    with TemporaryDirectory() as folder:
        files = [write(Path(folder) / f"{number}.segment", own) for number, own in enumerate(by_segment)]
        with patch.object(segment_merge, "_BLOCK", block):
            merged, expected = segment_merge.merge_segments(files, places), invert(live)
    for name in ("documents", "first", "chunks", "owner"):
        assert np.array_equal(getattr(merged, name), getattr(expected, name)), name
    for level, lists in expected.lists.items():
        for name in ("terms", "starts", "positions", "frequencies"):
            assert np.array_equal(getattr(merged.lists[level], name), getattr(lists, name)), (level, name)
    for field, lengths in expected.lengths.items():
        assert np.array_equal(merged.lengths[field], lengths), field
