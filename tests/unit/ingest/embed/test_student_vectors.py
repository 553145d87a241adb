"""Approximate vectors until sections are embedded."""

import pytest
from support.corpus import Page, chunk_id, entry, store_of
from support.student import CORRECTED, DIMENSION, PLAIN, ConstantStudent, EnglishModel

from waymeet.analysis.embedded.space_names import student_space
from waymeet.analysis.embedded.student_state import CORRECTION_KEY, STATE_KEY, StudentState, decode_state
from waymeet.errors import EmbeddingError
from waymeet.ingest.embed.batches import embed_chunks
from waymeet.ingest.embed.failures import FailedChunks
from waymeet.ingest.embed.student_vectors import StudentVectors
from waymeet.models.hashing import HashingEmbedder
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters

PAGES = {f"{number}.md": Page((f"Page {number} about tea.", f"More of {number}.")) for number in range(10)} | {
    "ja.md": Page(("お茶は熱いうちに飲みます。",))
}
SPACE = student_space(EnglishModel().space)
OTHER = HashingEmbedder(32)
"""The model for other languages."""


def make(
    store: MemoryStore, student: ConstantStudent | None = None, model: EnglishModel | None = None
) -> StudentVectors:
    return StudentVectors(store, [model or EnglishModel(), OTHER], student or ConstantStudent())


def state_of(store: MemoryStore) -> StudentState | None:
    return decode_state(store.metadata(STATE_KEY))


def count_predicted(store: MemoryStore, *, corrected: bool) -> int:
    rows = store.rank_vectors(SPACE, CORRECTED if corrected else PLAIN, 100, Filters())
    return sum(row.score > 0.9 for row in rows)


def test_every_section_in_the_models_language_gets_an_approximate_vector() -> None:
    store, seen = store_of(PAGES), list[tuple[int, int, str]]()
    make(store).predict_missing(lambda *step: seen.append(step))
    assert store.spaces() == {SPACE: DIMENSION}
    assert store.coverage([SPACE]) == (20, 21)
    assert seen == [(21, 21, "approximate vectors")]
    generation = store.generation
    make(store).predict_missing()
    assert store.generation == generation


def test_sections_with_a_true_vector_and_failed_ones_get_none() -> None:
    store, model = store_of(PAGES), EnglishModel()
    store.put_vectors(model.space, {chunk_id("0.md", 0): PLAIN})
    FailedChunks(store).add(model.space, chunk_id("1.md", 0), "Page 1 about tea.", "a vector that is zero")
    make(store).predict_missing()
    assert store.coverage([SPACE]) == (18, 21)


def test_another_version_of_the_student_predicts_all_again() -> None:
    store = store_of(PAGES)
    make(store).predict_missing()
    make(store).correct(5, 2)
    make(store, ConstantStudent("v2")).predict_missing()
    assert state_of(store) == StudentState("v2")
    assert store.metadata(CORRECTION_KEY) == ""
    assert count_predicted(store, corrected=False) == store.coverage([SPACE])[0] == 15


def test_the_student_is_corrected_by_a_few_sections_embedded_first() -> None:
    store, model = store_of(PAGES), EnglishModel()
    vectors = make(store, model=model)
    vectors.predict_missing()
    vectors.correct(5, 2)
    assert len(model.texts) == 5
    assert state_of(store) == StudentState("v1", 0.75, is_applied=True)
    assert store.metadata(CORRECTION_KEY) == "made of 5"
    assert store.coverage([model.space]) == (5, 21)
    assert count_predicted(store, corrected=True) == store.coverage([SPACE])[0] == 15
    vectors.correct(5, 2)
    assert len(model.texts) == 5


def test_a_few_missing_sections_are_embedded_without_a_correction() -> None:
    store, model = store_of(PAGES), EnglishModel()
    vectors = make(store, model=model)
    vectors.predict_missing()
    vectors.correct(11, 2)
    vectors.correct(0, 2)
    assert not model.texts
    assert state_of(store) == StudentState("v1")


def test_a_project_in_another_language_needs_no_student() -> None:
    page, model = Page(("お茶は熱いうちに飲みます。",)), EnglishModel()
    store = store_of({f"{number}.md": page for number in range(30)})
    vectors = make(store, model=model)
    vectors.predict_missing()
    vectors.correct(5, 2)
    assert not model.texts
    assert store.spaces() == {}


def test_new_sections_are_predicted_with_the_correction() -> None:
    store = store_of(PAGES)
    make(store).predict_missing()
    make(store).correct(5, 2)
    store.put([entry("new.md", Page(("A new page.",)))])
    make(store).predict_missing()
    assert count_predicted(store, corrected=True) == 16


@pytest.mark.parametrize("calls", range(8))
def test_an_interrupted_correction_is_completed_by_the_next_run(calls: int) -> None:
    store = store_of(PAGES)
    make(store).predict_missing()
    left = calls

    def is_over() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    StudentVectors(store, [EnglishModel(), OTHER], ConstantStudent(), is_over).correct(5, 2)
    make(store).correct(5, 2)
    assert state_of(store) == StudentState("v1", 0.75, is_applied=True)
    assert count_predicted(store, corrected=True) == store.coverage([SPACE])[0] == 15


def test_an_error_of_the_model_leaves_the_student_as_it_was() -> None:
    class Failing(EnglishModel):
        def embed_passages(self, texts: object) -> object:  # type: ignore[override]
            raise EmbeddingError("the model has died")

    store = store_of(PAGES)
    make(store).predict_missing()
    with pytest.raises(EmbeddingError, match="died"):
        make(store, model=Failing()).correct(5, 2)
    assert state_of(store) == StudentState("v1")
    assert count_predicted(store, corrected=False) == 20


def test_embedding_all_sections_ends_the_approximate_vectors() -> None:
    store, model = store_of(PAGES), EnglishModel()
    make(store).predict_missing()
    embed_chunks(store, [model, OTHER], Settings())
    assert store.spaces() == {OTHER.space: 32, model.space: DIMENSION}
