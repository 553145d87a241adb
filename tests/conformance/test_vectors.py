"""Vectors: storing, refusing and ranking them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import replace

from waymeet.errors import EmbeddingError
from waymeet.formulas.vector_codes import encode_vectors, rotate
from waymeet.types import Filters

from .make import entry, link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from waymeet.ports import Store, Vector
    from waymeet.types import IndexEntry, Link


def vector(*numbers: float) -> Vector:
    return np.array(numbers, dtype=np.float32)


@pytest.fixture
def filled(store: Store) -> Store:
    store.put([entry("a.md", "one", "two"), entry("b.md", "three")])
    return store


def near(store: Store, *numbers: float, space: str = "space", limit: int = 10) -> list[tuple[str, float]]:
    return [(hit.chunk, hit.score) for hit in store.rank_vectors(space, vector(*numbers), limit, Filters())]


def test_the_nearest_come_first(filled: Store) -> None:
    filled.put_vectors(
        "space", {"a.md#L1-L1": vector(1, 0), "a.md#L2-L2": vector(0.6, 0.8), "b.md#L1-L1": vector(-1, 0)}
    )
    assert filled.generation == 2
    hits = near(filled, 0, 1)
    assert [chunk for chunk, _ in hits] == ["a.md#L2-L2", "a.md#L1-L1", "b.md#L1-L1"]
    assert [score for _, score in hits] == pytest.approx([0.8, 0.0, 0.0], abs=1e-6)
    assert near(filled, 0, 1, limit=1) == hits[:1]
    assert near(filled, 0, 1, limit=0) == []


def test_cosine_does_not_depend_on_length(filled: Store) -> None:
    filled.put_vectors("space", {"a.md#L1-L1": vector(30, 40)})
    ((_, score),) = near(filled, 0, 7)
    assert score == pytest.approx(0.8, abs=1e-6)


def test_equal_vectors_tie_by_document_and_position(store: Store) -> None:
    rng = np.random.default_rng(7)
    one, question = rng.standard_normal((2, 384)).astype(np.float32)
    names = sorted(f"{number}.md" for number in range(60))
    store.put([entry(name, "x", "y") for name in names])
    store.put_vectors("space", {f"{name}#L{line}-L{line}": one for name in names[::-1] for line in (2, 1)})
    hits = store.rank_vectors("space", question, 1000, Filters())
    assert [hit.chunk for hit in hits] == [f"{name}#L{line}-L{line}" for name in names for line in (1, 2)]
    assert len({hit.score for hit in hits}) == 1
    assert store.rank_vectors("space", question, 7, Filters()) == hits[:7]


def test_vectors_that_hardly_differ_are_ranked_exactly(store: Store) -> None:
    rng = np.random.default_rng(3)
    rows = (rng.standard_normal(768) + rng.standard_normal((2000, 768)) * 1e-3).astype(np.float32)
    question = rng.standard_normal(768).astype(np.float32)
    store.put([entry("a.md", *["x"] * 2000)])
    store.put_vectors("space", {f"a.md#L{n}-L{n}": row for n, row in enumerate(rows, 1)})
    codes = encode_vectors(rows).astype(np.float64)
    asked = rotate((question / np.linalg.norm(question.astype(np.float64))).astype(np.float32)[np.newaxis])[0]
    exact = (codes @ asked.astype(np.float64) / np.linalg.norm(codes, axis=1)).tolist()
    hits = store.rank_vectors("space", question, 5, Filters())
    assert len({hit.score for hit in hits}) == 5
    assert [hit.score for hit in hits] == pytest.approx(sorted(exact, reverse=True)[:5], rel=1e-13)


def test_a_vector_is_replaced_by_a_later_one(filled: Store) -> None:
    filled.put_vectors("space", {"a.md#L1-L1": vector(1, 0)})
    filled.put_vectors("space", {"a.md#L1-L1": vector(0, 1)})
    assert near(filled, 0, 1) == [("a.md#L1-L1", 1.0)]
    assert filled.counts().vectors == {"space": 1}


def test_what_is_usual_in_a_space_is_its_mean_and_deviation(filled: Store) -> None:
    """Cosines with (1, 0) are 1, 0 and .6: their mean is .5333, their deviation √((.4667² + .5333² + .0667²)/3)."""
    filled.put_vectors(
        "space", {"a.md#L1-L1": vector(1, 0), "a.md#L2-L2": vector(0, 1), "b.md#L1-L1": vector(0.6, 0.8)}
    )
    assert filled.similarity_statistics("space", vector(2, 0)) == pytest.approx((0.5333, 0.4110), abs=1e-4)
    assert filled.similarity_statistics("nowhere", vector(1, 0)) == (0.0, 0.0)


def test_spaces_are_apart(filled: Store) -> None:
    filled.put_vectors("three", {"a.md#L1-L1": vector(1, 0, 0)})
    filled.put_vectors("two", {"b.md#L1-L1": vector(1, 0), "a.md#L2-L2": vector(0, 1)})
    assert filled.spaces() == {"three": 3, "two": 2}
    assert filled.counts().vectors == {"three": 1, "two": 2}
    assert near(filled, 1, 0, 0, space="three") == [("a.md#L1-L1", 1.0)]
    assert near(filled, 1, 0, space="unknown") == []


def test_chunks_without_a_vector_are_listed_in_order(filled: Store) -> None:
    assert filled.chunks_without_vector(["space"], 10) == ["a.md#L1-L1", "a.md#L2-L2", "b.md#L1-L1"]
    filled.put_vectors("space", {"a.md#L1-L1": vector(1, 0)})
    assert filled.chunks_without_vector(["space"], 1) == ["a.md#L2-L2"]
    assert filled.chunks_without_vector(["space"], 10) == ["a.md#L2-L2", "b.md#L1-L1"]
    assert len(filled.chunks_without_vector(["other space"], 10)) == 3
    assert filled.chunks_without_vector(["space"], 0) == []


def test_vectors_go_with_their_document(filled: Store) -> None:
    filled.put_vectors("space", {"a.md#L1-L1": vector(1, 0), "b.md#L1-L1": vector(0, 1)})
    filled.put([entry("a.md", "rewritten")])
    assert [chunk for chunk, _ in near(filled, 1, 1)] == ["b.md#L1-L1"]
    filled.drop(["b.md"])
    assert near(filled, 1, 1) == []
    assert filled.spaces() == {}
    assert filled.counts().vectors == {}


def test_an_emptied_space_may_change_its_dimension(filled: Store) -> None:
    filled.put_vectors("space", {"b.md#L1-L1": vector(0, 1)})
    filled.drop(["b.md"])
    filled.put_vectors("space", {"a.md#L1-L1": vector(0, 0, 1)})
    assert filled.spaces() == {"space": 3}


def test_unknown_chunks_are_ignored(filled: Store) -> None:
    filled.put_vectors("space", {"unknown": vector(1, 0)})
    assert filled.generation == 1
    assert filled.spaces() == {}
    filled.put_vectors("space", {"unknown": vector(1, 0), "a.md#L1-L1": vector(1, 0)})
    assert filled.generation == 2
    assert filled.counts().vectors == {"space": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        vector(0, 0),
        vector(float("nan"), 1),
        vector(float("inf"), 1),
        vector(1, 0, 0),
        vector(1),
        vector(),
        np.ones((2, 2), np.float32),
    ],
    ids=["zero", "nan", "inf", "too long", "too short", "empty", "a matrix"],
)
def test_one_bad_vector_keeps_all_out(filled: Store, wrong: Vector) -> None:
    filled.put_vectors("space", {"a.md#L1-L1": vector(1, 0)})
    with pytest.raises(EmbeddingError, match="space"):
        filled.put_vectors("space", {"a.md#L2-L2": vector(0, 1), "b.md#L1-L1": wrong})
    assert filled.generation == 2
    assert near(filled, 1, 0) == [("a.md#L1-L1", 1.0)]
    with pytest.raises(EmbeddingError):
        filled.rank_vectors("space", wrong, 10, Filters())


def test_the_first_vector_decides_the_dimension_of_a_space(filled: Store) -> None:
    with pytest.raises(EmbeddingError):
        filled.put_vectors("space", {"a.md#L1-L1": vector(1, 0), "b.md#L1-L1": vector(1, 0, 0)})
    assert filled.spaces() == {}


def changed_at(moment: int, path: str, *texts: str, links: Sequence[Link] = (), kind: str = "docs") -> IndexEntry:
    made = entry(path, *texts, links=links, kind=kind)
    return replace(made, document=replace(made.document, changed_ns=moment))


def test_what_will_be_missed_most_is_listed_first(store: Store) -> None:
    hub, space = [link("hub")], ["space"]
    store.put(
        [
            changed_at(9, "a/", "folder", links=[link("new", kind="contains")], kind="folders"),
            changed_at(1, "hub.md", "one", "two", links=[link("hub"), link("linked")]),
            *(changed_at(2, f"{n}.md", "x", links=[*hub, *hub]) for n in range(4)),
            changed_at(1, "linked.md", "x"),
            changed_at(5, "new.md", "x"),
            changed_at(5, "also.md", "x"),
        ]
    )
    assert store.chunks_without_vector(space, 20) == [
        *("hub.md#L1-L1", "hub.md#L2-L2"),  # four documents link to it: a step above one
        "linked.md#L1-L1",
        *("also.md#L1-L1", "new.md#L1-L1"),  # that its folder contains it does not count
        *(f"{n}.md#L1-L1" for n in range(4)),
        "a/#L1-L1",
    ]
    store.put_vectors("space", {"hub.md#L1-L1": vector(1, 0)})
    assert store.chunks_without_vector(space, 2) == ["hub.md#L2-L2", "linked.md#L1-L1"]


def test_it_is_known_which_chunks_have_a_vector(filled: Store) -> None:
    filled.put_vectors("space", {"a.md#L1-L1": vector(1, 0)})
    filled.put_vectors("other", {"b.md#L1-L1": vector(1, 0)})
    every = ["a.md#L1-L1", "a.md#L2-L2", "b.md#L1-L1", "unknown"]
    assert filled.chunks_with_vector(["space"], every) == {"a.md#L1-L1"}
    assert filled.chunks_with_vector(["space", "other"], every) == {"a.md#L1-L1", "b.md#L1-L1"}
    assert filled.chunks_with_vector([], every) == filled.chunks_with_vector(["space"], []) == frozenset()
    assert filled.coverage(["space"]) == (1, 3)
    assert filled.coverage(["space", "other"]) == (2, 3)
    filled.put_vectors("space", {"b.md#L1-L1": vector(1, 0)})
    assert filled.coverage(["space", "other"]) == (2, 3)
    assert filled.coverage([]) == (0, 3)


def test_spaces_are_swapped_together_with_remarks(filled: Store) -> None:
    filled.put_vectors("old", {"a.md#L1-L1": vector(1, 0), "b.md#L1-L1": vector(0, 1)})
    filled.put_vectors("new", {"a.md#L1-L1": vector(1, 0, 0), "b.md#L1-L1": vector(0, 1, 0)})
    before = filled.generation
    filled.drop_vectors(
        {"old": None, "new": ["b.md#L1-L1", "a.md#L2-L2", "unknown"], "never": None}, {"k": "v", "l": ""}
    )
    assert filled.generation == before + 1
    assert filled.metadata("k") == "v"
    assert filled.spaces() == {"new": 3}
    assert near(filled, 1, 0, space="old") == []
    assert near(filled, 1, 0, 0, space="new") == [("a.md#L1-L1", 1.0)]
    assert filled.coverage(["old", "new"]) == (1, 3)
    filled.drop_vectors({"old": None}, {"k": "w"})
    assert filled.generation == before + 1
    assert filled.metadata("k") == "w"
    filled.put_vectors("old", {"a.md#L1-L1": vector(1, 0, 0, 0)})
    assert filled.spaces() == {"new": 3, "old": 4}
    filled.optimize()
    assert near(filled, 1, 0, 0, 0, space="old") == [("a.md#L1-L1", 1.0)]


def test_a_vector_of_a_text_that_changed_meanwhile_is_left_out(filled: Store) -> None:
    before = {id_: each.digest for id_, each in filled.fingerprints().items()}
    filled.put([entry("a.md", "one", "three")])  # the same places, another text
    digests = {"a.md#L1-L1": before["a.md"], "b.md#L1-L1": before["b.md"]}
    filled.put_vectors("space", {chunk: vector(1, 0) for chunk in (*digests, "a.md#L2-L2")}, digests)
    assert filled.chunks_with_vector(["space"], [*digests, "a.md#L2-L2"]) == {"b.md#L1-L1"}


def test_a_chunk_without_meaning_needs_no_vector(store: Store) -> None:
    plain = entry("a.md", "one", "two")
    partly = replace(plain, chunks=(plain.chunks[0], replace(plain.chunks[1], is_embedded=False)))
    lock = entry("b.lock", "three")
    lock = replace(
        lock,
        document=replace(lock.document, role="lock file"),
        chunks=tuple(replace(chunk, is_embedded=False) for chunk in lock.chunks),
    )
    store.put([replace(partly, document=replace(plain.document, role="documentation")), lock])
    assert list(store.chunks_without_vector(["space"], 10)) == ["a.md#L1-L1"]
    assert store.coverage(["space"]) == (0, 1)
    store.put_vectors("space", {"a.md#L1-L1": vector(1, 0)})
    assert store.coverage(["space"]) == (1, 1)
    counts = store.counts()
    assert (counts.chunks, counts.roles) == (3, {"documentation": 1, "lock file": 1})
    assert counts.not_embedded == {"documentation": 1, "lock file": 1}
    assert store.corpus_profile().chunks == 3
    assert store.documents(["b.lock"])["b.lock"].role == "lock file"
    assert [chunk.is_embedded for chunk in store.chunks_of(["a.md"])["a.md"]] == [True, False]


PARTS, OTHER_PARTS = "model/1 parts/1 ja", "model/1 parts/1 en"


def test_sections_are_ranked_by_their_whole_text_and_their_best_part(filled: Store) -> None:
    axes = np.eye(64, dtype=np.float32)
    filled.put_vectors(
        PARTS,
        {
            "a.md#L1-L1": np.stack([axes[0], axes[1], axes[2]]),
            "a.md#L2-L2": np.stack([axes[0], axes[3]]),
            "b.md#L1-L1": axes[5:6],
        },
    )
    assert filled.spaces() == {PARTS: 64}
    assert filled.coverage([PARTS]) == (3, 3)
    hits = filled.rank_vectors(PARTS, axes[2], 10, Filters())
    assert [hit.chunk for hit in hits] == ["a.md#L1-L1", "a.md#L2-L2", "b.md#L1-L1"]
    assert hits[0].score > 0.4 > hits[1].score + 0.2
    assert filled.rank_vectors(PARTS, axes[2], 1, Filters()) == hits[:1]
    only = filled.rank_vectors(PARTS, axes[2], 10, Filters(paths=("b.md",)))
    assert [hit.chunk for hit in only] == ["b.md#L1-L1"]
    mean, deviation = filled.similarity_statistics(PARTS, axes[2])
    assert mean == pytest.approx(np.mean([hit.score for hit in hits]))
    assert deviation > 0


def test_chunks_are_compared_by_their_parts_as_in_a_ranking(filled: Store) -> None:
    axes = np.eye(64, dtype=np.float32)
    filled.put_vectors(PARTS, {"a.md#L1-L1": np.stack([axes[0], axes[1]]), "a.md#L2-L2": axes[3:4]})
    filled.put_vectors(OTHER_PARTS, {"b.md#L1-L1": np.stack([axes[1], axes[2], axes[3]])})
    spaces, query = [PARTS, OTHER_PARTS], 2 * axes[1] + axes[3]
    hits = [hit for space in spaces for hit in filled.rank_vectors(space, query, 10, Filters())]
    scores = {hit.chunk: hit.score for hit in hits}
    assert filled.part_similarities(spaces, query, [*scores, "gone.md#L1-L1"]) == scores
    assert filled.part_similarities([PARTS], query, ["b.md#L1-L1"]) == {}
    assert filled.part_similarities(["nowhere"], query, list(scores)) == {}
    with pytest.raises(EmbeddingError, match="shape"):
        filled.part_similarities(spaces, np.ones(8, dtype=np.float32), ["b.md#L1-L1"])


def test_vectors_of_parts_are_replaced_and_dropped(filled: Store) -> None:
    axes = np.eye(64, dtype=np.float32)
    filled.put_vectors(PARTS, {"a.md#L1-L1": axes[:3], "b.md#L1-L1": axes[:1]})
    filled.put_vectors(PARTS, {"a.md#L1-L1": axes[4:5]})
    filled.optimize()
    (first, *_) = filled.rank_vectors(PARTS, axes[4], 10, Filters())
    assert first.chunk == "a.md#L1-L1"
    assert first.score > 0.8
    filled.drop(["a.md"])
    assert [hit.chunk for hit in filled.rank_vectors(PARTS, axes[4], 10, Filters())] == ["b.md#L1-L1"]
    filled.drop_vectors({PARTS: None}, {})
    assert filled.rank_vectors(PARTS, axes[4], 10, Filters()) == ()
    assert filled.spaces() == {}


def test_unusable_vectors_of_parts_are_refused_together(filled: Store) -> None:
    axes = np.eye(64, dtype=np.float32)
    with pytest.raises(EmbeddingError, match="is zero"):
        filled.put_vectors(PARTS, {"a.md#L1-L1": axes[:2], "b.md#L1-L1": np.zeros((1, 64), dtype=np.float32)})
    assert filled.spaces() == {}
    filled.put_vectors(PARTS, {"a.md#L1-L1": axes[:2]})
    with pytest.raises(EmbeddingError, match="shape"):
        filled.put_vectors(PARTS, {"b.md#L1-L1": np.eye(2, 128, dtype=np.float32)})
    with pytest.raises(EmbeddingError, match="shape"):
        filled.rank_vectors(PARTS, np.ones(8, dtype=np.float32), 5, Filters())


TRUE, STUDENT = "model/1", "model/1 student/1"


def test_a_true_vector_replaces_the_approximate_one(filled: Store) -> None:
    axes = np.eye(64, dtype=np.float32)
    filled.put_vectors(STUDENT, {"a.md#L1-L1": axes[0], "a.md#L2-L2": axes[1], "b.md#L1-L1": axes[2]})
    filled.put_vectors(TRUE, {"a.md#L1-L1": axes[5]})
    assert [hit.chunk for hit in filled.rank_vectors(TRUE, axes[0], 10, Filters())] == ["a.md#L1-L1"]
    approximate = filled.rank_vectors(STUDENT, axes[1], 10, Filters())
    assert [hit.chunk for hit in approximate] == ["a.md#L2-L2", "b.md#L1-L1"]
    generation = filled.generation
    filled.put_vectors(STUDENT, {"a.md#L1-L1": axes[0]})
    assert filled.chunks_with_vector([STUDENT], ["a.md#L1-L1"]) == frozenset()
    assert filled.generation == generation


def test_a_space_of_approximate_vectors_ends_with_the_last_true_one(filled: Store) -> None:
    axes = np.eye(64, dtype=np.float32)
    filled.put_vectors(STUDENT, {"a.md#L1-L1": axes[0], "b.md#L1-L1": axes[2]})
    filled.put_vectors(TRUE, {"a.md#L1-L1": axes[5], "b.md#L1-L1": axes[6]})
    assert filled.spaces() == {TRUE: 64}
    assert filled.coverage([STUDENT]) == (0, 3)


def test_a_true_vector_of_another_version_leaves_the_approximate_one(filled: Store) -> None:
    axes = np.eye(64, dtype=np.float32)
    filled.put_vectors(STUDENT, {"a.md#L1-L1": axes[0]})
    filled.put_vectors(TRUE, {"a.md#L1-L1": axes[5]}, {"a.md#L1-L1": "another digest"})
    assert filled.spaces() == {STUDENT: 64}
