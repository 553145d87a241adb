"""Segments: what is written is read, and impacts bound the weights under any settings."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.recipes import RECIPES
from waymeet.settings import Bm25, FieldNorms, FieldWeights, Layer, resolve
from waymeet.settings.bm25 import AUTO_BM25
from waymeet.stores.segments.array_file import ArrayContent, ArrayFile, encode_arrays, write_arrays
from waymeet.stores.segments.bulk_scorer import SegmentScorer
from waymeet.stores.segments.impacts import compute_impacts, impact_range, impact_step
from waymeet.stores.segments.posting_codec import DocumentTerms, pack_terms
from waymeet.stores.segments.posting_lists import NO_SPAN, FileLevelReader
from waymeet.stores.segments.postings import build_arrays, invert, read_content
from waymeet.stores.segments.reader import Segment
from waymeet.stores.shared import bm25f
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, FIELDS

TERMS = {"a": 1, "b": 2, "c": 7, "d": 300}

counts = st.dictionaries(st.sampled_from(sorted(TERMS)), st.integers(1, 40), max_size=3)


def fields(names: tuple[str, ...]) -> st.SearchStrategy[bytes]:
    return st.dictionaries(st.sampled_from(names), counts, max_size=4).map(lambda terms: pack_terms(terms, TERMS))


chunks = st.lists(fields(CHUNK_FIELDS), max_size=4)
documents = st.lists(st.tuples(fields(DOCUMENT_FIELDS), chunks), min_size=1, max_size=6)
positive = st.floats(0.1, 3.0)
settings = st.builds(
    Bm25,
    st.floats(0.2, 3.0),
    st.builds(FieldNorms, *[st.floats(0.0, 1.0)] * len(FIELDS)),
    st.builds(FieldWeights, *[positive] * len(FIELDS)),
)


def number_chunks(contents: list[tuple[bytes, list[bytes]]]) -> list[DocumentTerms]:
    numbers = iter(range(10_000))
    return [
        DocumentTerms(id_, terms, [(next(numbers), each) for each in own]) for id_, (terms, own) in enumerate(contents)
    ]


def write(folder: Path, contents: list[DocumentTerms], bm25: Bm25) -> ArrayFile:
    content = invert(contents)
    arrays, attributes = build_arrays(content)
    scales = bm25f.field_scales(bm25, averages(attributes))
    impacts, parameters = compute_impacts(content, scales, bm25.k1)
    write_arrays(folder / "some.segment", arrays | impacts, attributes | parameters)
    return ArrayFile(folder / "some.segment")


def averages(attributes: dict[str, object]) -> dict[str, float]:
    return bm25f.average_lengths({field: tuple(numbers[:2]) for field, numbers in attributes["lengths"].items()})  # type: ignore[attr-defined]


@given(documents)
def test_a_segment_contains_what_was_written(contents: list[tuple[bytes, list[bytes]]]) -> None:
    with TemporaryDirectory() as folder:
        terms = number_chunks(contents)
        expected, read = invert(terms), read_content(write(Path(folder), terms, Bm25()))
        for name in ("documents", "first", "chunks", "owner"):
            assert np.array_equal(getattr(read, name), getattr(expected, name))
        for level, lists in expected.lists.items():
            assert all(np.array_equal(*pair) for pair in zip(read.lists[level], lists, strict=True))
        assert all(np.array_equal(read.lengths[field], expected.lengths[field]) for field in FIELDS)


@given(documents, settings, settings)
def test_impacts_bound_weights_under_any_settings(
    contents: list[tuple[bytes, list[bytes]]], written: Bm25, asked: Bm25
) -> None:
    with TemporaryDirectory() as folder:
        file = write(Path(folder), number_chunks(contents), written)
        segment, scales = Segment(file), bm25f.field_scales(asked, averages(dict(file.attributes)))
        bounds = impact_range(file.attributes, scales, asked.k1)
        assert bounds is not None
        step, positions = impact_step(written.k1), np.arange(len(segment.chunks))
        scorer = SegmentScorer(segment, scales, asked.k1)
        scorer.unit = bounds.highest * step  # also if the bounds are too far apart to be of use
        for term in TERMS.values() if len(positions) else ():
            upper = np.zeros(len(positions), dtype=np.float32)
            scorer.add_bounds(upper, 1.0, scorer.bounds(term))
            weights = scorer.score([((term,), 1.0)], positions)
            impacts = upper / scorer.unit
            assert (weights <= upper * (1 + 1e-5)).all()
            assert (weights >= bounds.lowest * step * (impacts - 1.0) * (1 - 1e-5)).all()
            assert impacts.max() <= scorer.bounds(term).highest * (1 + 1e-5)
            assert scorer.count_chunks((term,)) == np.count_nonzero(weights)


def test_a_field_of_weight_zero_has_no_bounds() -> None:
    attributes = {"impact parameters": {"k1": [1.2]}, "lengths": {}}
    assert impact_range(attributes, bm25f.field_scales(Bm25(fields=FieldWeights(path=0.0)), {}), 1.2) is None


def test_positions_have_at_most_16_bits() -> None:
    packed = pack_terms({"body": {"a": 1}}, TERMS)
    for number, code in ((255, "B"), (256, "B"), (257, "H"), (65_536, "H"), (65_537, "H")):
        arrays, _ = build_arrays(invert([DocumentTerms(1, b"", [(chunk, packed) for chunk in range(number)])]))
        assert (arrays["chunk positions"][0], len(arrays["chunk positions"][1])) == (code, number)


def test_lists_with_several_ranges_of_positions(tmp_path: Path) -> None:
    """Terms in the first, the last and all ranges, and in chunks whose positions are equal in two ranges."""
    occurs = {"a": range(0, 140_000, 7), "b": range(300), "c": range(131_000, 139_000, 50), "d": (70_000,)}
    by_chunk: list[dict[str, int]] = [{} for _ in range(140_000)]
    for term, positions in occurs.items():
        for position in positions:
            by_chunk[position][term] = 1 + position % 3
    terms = [DocumentTerms(1, b"", [(n, pack_terms({"body": own}, TERMS)) for n, own in enumerate(by_chunk)])]
    segment = Segment(write(tmp_path, terms, Bm25()))
    content = read_content(segment.file)
    assert all(np.array_equal(*pair) for pair in zip(content.lists["chunk"], invert(terms).lists["chunk"], strict=True))
    lists = segment.chunk_lists
    assert list(lists.terms) == sorted(TERMS[term] for term in occurs)
    scales = bm25f.field_scales(Bm25(), averages(dict(segment.file.attributes)))
    scorer = SegmentScorer(segment, scales, 1.2)
    every = np.arange(140_000)
    for term, positions in occurs.items():
        span = lists.span(TERMS[term])
        assert lists.read_positions(span) == lists.read_position_array(span).tolist() == list(positions)
        assert [(p, found) for p, ((_, found),) in lists.entries(span)] == [(p, 1 + p % 3) for p in positions]
        for position in (*list(positions)[::100], 0, 4464, 65_535, 65_536, 70_000, 131_072, 139_999):
            expected = span.begin + list(positions).index(position) if position in positions else None
            assert lists.find_entry(span, position) == expected
        weights = scorer.score([((TERMS[term],), 1.0)], every)
        assert np.flatnonzero(weights).tolist() == list(positions)
        assert np.array_equal(scorer.find_matches((TERMS[term],)).weights, weights[list(positions)])
        upper = np.zeros(140_000, np.float32)
        scorer.add_bounds(upper, 1.0, scorer.bounds(TERMS[term]))
        assert np.flatnonzero(upper).tolist() == list(positions)


@given(st.sets(st.integers(1, 5000), min_size=1, max_size=120), st.lists(st.integers(1, 300), min_size=1, max_size=50))
def test_lists_are_found_by_term(ids: set[int], sizes: list[int]) -> None:
    names = {str(id_): id_ for id_ in ids}
    size_of = {name: sizes[number % len(sizes)] for number, name in enumerate(names)}
    chunks = [
        (n, pack_terms({"body": {name: 1 for name, size in size_of.items() if n < size}}, names))
        for n in range(max(size_of.values()))
    ]
    arrays, attributes = build_arrays(invert([DocumentTerms(1, b"", chunks)]))
    reader = FileLevelReader(ArrayContent(encode_arrays(arrays, attributes), "test"), "chunk")
    assert list(reader.terms) == sorted(ids)
    begin = 0
    for index, id_ in enumerate(sorted(ids)):
        assert reader.span(id_) == (index, begin, begin + size_of[str(id_)], ())
        begin += size_of[str(id_)]
    assert all(reader.span(id_) == NO_SPAN for id_ in range(5002) if id_ not in ids)


@pytest.mark.parametrize("recipe", ["auto"])
def test_impacts_are_those_of_the_default_recipe(recipe: str) -> None:
    assert resolve((Layer(recipe, RECIPES[recipe].overrides),)).bm25 == AUTO_BM25
