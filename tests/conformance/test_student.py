"""Approximate vectors leave no trace once all sections are embedded."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.corpus import Page, entry
from support.student import ConstantStudent, EnglishModel

from waymeet.analysis.embedded.student_state import CORRECTION_KEY, STATE_KEY
from waymeet.ingest.embed import model_switch
from waymeet.ingest.embed.batches import embed_chunks
from waymeet.ingest.embed.student_vectors import StudentVectors
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Filters

from .backends import Backend

PAGES = {f"{number}.md": Page((f"Page {number} about tea.", f"More of {number}.")) for number in range(12)}
QUESTIONS = ("tea", "more of 7", "page 3")


class Killed(BaseException):
    """Ends a run as a kill does: nothing is caught, nothing is cleaned up."""


def fill(store: Store) -> Store:
    store.put([entry(path, page) for path, page in PAGES.items()])
    return store


def describe(store: Store) -> Mapping[str, Any]:
    """Collect all that a search can see of vectors."""
    model = EnglishModel()
    return {
        "spaces": dict(store.spaces()),
        "counts": store.counts(),
        "metadata": [store.metadata(key) for key in (STATE_KEY, CORRECTION_KEY, "embedding", "refused")],
        "missing": store.chunks_without_vector([model.space], 100),
        "rankings": [store.rank_vectors(model.space, model.embed_query(text), 30, Filters()) for text in QUESTIONS],
        "statistics": [
            tuple(round(value, 6) for value in store.similarity_statistics(model.space, model.embed_query(text)))
            for text in QUESTIONS
        ],
    }


def embed_all(store: Store) -> None:
    settings, models = Settings(), [EnglishModel()]
    model_switch.record_models(store, models, settings.embedding)
    report = embed_chunks(store, models, settings)
    model_switch.finish_switch(store, models, settings.embedding, report)
    store.optimize()


def run_job(store: Store) -> None:
    vectors = StudentVectors(store, [EnglishModel()], ConstantStudent())
    vectors.predict_missing()
    vectors.correct(5, 2)
    embed_all(store)


@pytest.fixture
def without_student(backend: Backend, tmp_path: Path) -> Mapping[str, Any]:
    folder = tmp_path / "reference"
    folder.mkdir()
    store = fill(backend.make(folder))
    embed_all(store)
    described = describe(store)
    store.close()
    return described


def test_after_full_embedding_the_index_equals_one_that_never_had_a_student(
    store: Store, without_student: Mapping[str, Any]
) -> None:
    fill(store)
    run_job(store)
    assert describe(store) == without_student


@pytest.mark.parametrize("writes", range(11))
def test_a_kill_at_any_write_loses_nothing(
    store: Store,
    reopen: Callable[[Store], Store],
    without_student: Mapping[str, Any],
    writes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(store)
    left = writes

    def killing(write: Callable[..., None]) -> Callable[..., None]:
        def write_or_die(*arguments: object) -> None:
            nonlocal left
            if left == 0:
                raise Killed
            left -= 1
            write(*arguments)

        return write_or_die

    with monkeypatch.context() as patch:
        for name in ("put_vectors", "drop_vectors", "set_metadata"):
            patch.setattr(store, name, killing(getattr(store, name)))
        with pytest.raises(Killed):
            run_job(store)
    store = reopen(store)
    embedded = store.coverage([EnglishModel().space])[0]
    run_job(store)
    assert store.coverage([EnglishModel().space])[0] >= embedded
    assert describe(store) == without_student
