"""The rules that all stores share, each against its definition written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.analysis import contains_phrase, normalise_text
from waymeet.formulas.vector_codes import cosines, encode_vectors
from waymeet.settings import Bm25, FieldNorms, FieldWeights
from waymeet.stores.shared import bm25f
from waymeet.stores.shared.filters import contains_phrases, document_passes
from waymeet.stores.shared.link_resolution import LinkResolver
from waymeet.types import Chunk, Document, Filters, Word

paths = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)
texts = st.text(st.sampled_from("aAbß Kﬁ①１é\u0301-_'検索. \n"), max_size=12)


def shared_folders(one: str, two: str) -> int:
    """Count the folders that two paths have in common from the root on."""
    mine, theirs = one.split("/")[:-1], two.split("/")[:-1]
    same = [a == b for a, b in zip(mine, theirs, strict=False)]
    return same.index(False) if False in same else len(same)


@given(
    source=paths,
    refs=st.lists(st.sampled_from("xyz"), max_size=3),
    documents=st.dictionaries(st.sampled_from("xyz"), st.lists(paths, max_size=6)),
)
def test_a_link_is_resolved_by_the_rule(source: str, refs: list[str], documents: dict[str, list[str]]) -> None:
    candidates = next((documents[ref] for ref in refs if documents.get(ref)), [])
    best = min(candidates, key=lambda path: (-shared_folders(source, path), len(path), path), default=None)
    assert LinkResolver(documents).resolve(source, refs) == best


@given(text=texts, heading=texts, title=texts, phrases=st.lists(texts.map(normalise_text), max_size=2))
def test_a_phrase_is_found_where_the_definition_finds_it(
    text: str, heading: str, title: str, phrases: list[str]
) -> None:
    chunk = Chunk("a#L1-L1", "a", 0, 1, 1, text, ("first", heading))
    expected = all(
        any(contains_phrase(normalise_text(field), phrase) for field in (text, f"first {heading}", title))
        for phrase in phrases
        if phrase
    )
    assert contains_phrases(phrases, chunk, title) == expected


def test_a_phrase_may_span_headings() -> None:
    chunk = Chunk("a#L1-L1", "a", 0, 1, 1, "", ("Rank", "Fusion"))
    assert contains_phrases(["rank fusion"], chunk, "")


@pytest.mark.parametrize("path", ["docs", "docs/", "docs/a.md", ".", "", "./docs", "/"])
def test_a_path_filter_passes_what_is_below(path: str) -> None:
    assert document_passes(Filters(paths=(path,)), Document("docs/a.md", "docs", ""))


@pytest.mark.parametrize("path", ["doc", "docs/a", "a.md", "docs/a.md/b"])
def test_a_path_filter_passes_nothing_else(path: str) -> None:
    assert not document_passes(Filters(paths=(path,)), Document("docs/a.md", "docs", ""))


def test_equal_vectors_have_equal_cosines_wherever_they_stand() -> None:
    rng = np.random.default_rng(11)
    for dimension in (1, 3, 7, 64, 255, 384):
        row, query = rng.standard_normal((2, dimension)).astype(np.float32)
        row = encode_vectors(row[np.newaxis])[0]
        for height in (1, 2, 5, 33):
            matrix = encode_vectors(rng.standard_normal((height, dimension)).astype(np.float32))
            matrix[height // 2] = matrix[-1] = row
            found = cosines(matrix, query)
            assert found[height // 2] == found[-1] == cosines([row], query)[0]


def test_one_field_of_weight_one_is_plain_bm25() -> None:
    """The worked example of the specification: N 10, n 2, tf 3, usual length → 2.3282."""
    bm25 = Bm25(k1=1.2, b=FieldNorms(*[0.75] * 8), fields=FieldWeights(*[1.0] * 8))
    statistics = bm25f.Statistics(10, {"body": 7.0})
    postings = [{"body": {"a": (3, 7), "b": (1, 7)}}]
    assert bm25f.score_chunks([Word(("rank",))], postings, statistics, bm25)["a"] == pytest.approx(2.3282, abs=5e-5)


@given(
    tfs=st.dictionaries(st.sampled_from(["title", "body", "inbound"]), st.integers(1, 9), min_size=1),
    weight=st.floats(0.1, 5),
)
def test_evidence_multiplies_to_the_score(tfs: dict[str, int], weight: float) -> None:
    statistics = bm25f.Statistics(5, {"title": 2.0, "body": 12.0, "inbound": 3.0})
    postings = [{field: {"a": (tf, tf + 3)} for field, tf in tfs.items()}]
    words = [Word(("rank",), weight)]
    score = bm25f.score_chunks(words, postings, statistics, Bm25())["a"]
    ((part,),) = bm25f.collect_evidence(words, postings, statistics, Bm25(), frequencies=[1], chunks=["a"]).values()
    assert part.weight * part.idf * part.saturation == score
    assert set(part.fields) == set(tfs)
    assert part.word == "rank"
