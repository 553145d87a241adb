"""Loading of models and prediction of vectors beside indexing."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import pytest
from support.corpus import Page, entry, store_of
from support.student import ConstantStudent, EnglishModel

from waymeet.analysis.embedded.space_names import student_space
from waymeet.ports import Progress
from waymeet.project.embedding import student as module
from waymeet.project.embedding.student import EarlyPrediction
from waymeet.settings import Embedding
from waymeet.stores.memory.store import MemoryStore

if TYPE_CHECKING:
    from waymeet.ports import Vector
    from waymeet.project.models import Models

SPACE = student_space(EnglishModel().space)
PAGES = {f"{number}.md": Page((f"Page {number} about tea.",)) for number in range(5)}


class RecordingStudent(ConstantStudent):
    """Records what is started and ended."""

    def __init__(self, version: str = "v1", correction: str = "") -> None:
        super().__init__(version, correction)
        self.calls: list[str] = []

    def prepare(self) -> None:
        self.calls.append("prepare")

    def release(self) -> None:
        self.calls.append("release")


class RecordingModel(EnglishModel):
    """Records that it was loaded."""

    is_loaded = False

    def embed_query(self, text: str) -> "Vector":
        self.is_loaded = True
        return super().embed_query(text)


class OneModel:
    """Models with one student."""

    def __init__(self) -> None:
        self.own, self.model = RecordingStudent(), RecordingModel()

    def student(self, _: Embedding) -> RecordingStudent:
        return self.own

    def chosen(self, _: Embedding) -> tuple[RecordingModel]:
        return (self.model,)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> OneModel:
    monkeypatch.setattr(module, "_LOADING_DELAY", 0.0)
    return OneModel()


def begin(models: OneModel, store: MemoryStore, progress: Progress | None = None) -> EarlyPrediction:
    return EarlyPrediction(cast("Models", models), store, Embedding(), progress)


def wait_until(is_enough: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_enough() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert is_enough()


def test_sections_are_predicted_while_others_are_indexed(models: OneModel) -> None:
    store, seen = store_of(PAGES), list[tuple[int, int, str]]()
    prediction = begin(models, store, lambda *step: seen.append(step))
    prediction(100, 1000, "a.md")
    wait_until(lambda: models.model.is_loaded)
    assert store.coverage([SPACE]) == (0, 5)
    prediction(400, 1000, "b.md")
    wait_until(lambda: store.coverage([SPACE]) == (5, 5))
    store.put([entry("new.md", Page(("About coffee.",)))])
    wait_until(lambda: store.coverage([SPACE]) == (6, 6))
    store.put([entry("last.md", Page(("About cocoa.",)))])
    assert prediction.finish() == ""
    assert store.coverage([SPACE]) == (7, 7)
    assert seen == [(100, 1000, "a.md"), (400, 1000, "b.md")]
    assert models.own.calls == ["prepare", "release"]


def test_few_files_are_predicted_after_indexing(models: OneModel) -> None:
    store = store_of(PAGES)
    prediction = begin(models, store)
    prediction(299, 299, "a.md")
    wait_until(lambda: models.model.is_loaded)
    assert prediction.finish() == ""
    assert store.coverage([SPACE]) == (5, 5)
    assert models.own.calls == ["release"]


def test_prediction_ends_if_indexing_fails(models: OneModel) -> None:
    store = store_of(PAGES)
    prediction = begin(models, store)
    prediction(900, 1000, "a.md")
    wait_until(lambda: store.coverage([SPACE]) == (5, 5))
    prediction.cancel()
    store.put([entry("new.md", Page(("About coffee.",)))])
    assert store.coverage([SPACE]) == (5, 6)
    assert models.own.calls == ["prepare", "release"]


def test_an_error_beside_indexing_is_raised_after_it(models: OneModel, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(PAGES)
    monkeypatch.setattr(store, "put_vectors", lambda *_: 1 / 0)
    prediction = begin(models, store)
    prediction(900, 1000, "a.md")
    wait_until(lambda: "release" in models.own.calls)
    with pytest.raises(ZeroDivisionError):
        prediction.finish()


def test_short_runs_load_nothing_beside_indexing(models: OneModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOADING_DELAY", 60.0)
    prediction = begin(models, store_of({}))
    assert prediction.finish() == ""
    assert not models.model.is_loaded
