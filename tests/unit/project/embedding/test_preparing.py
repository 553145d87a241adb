"""Loading of models beside indexing."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import pytest
from support.student import ConstantStudent, EnglishModel

from waymeet.ports import Progress
from waymeet.project.embedding import student as module
from waymeet.project.embedding.student import preparing
from waymeet.settings import Embedding

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from waymeet.ports import Vector
    from waymeet.project.models import Models


class RecordingStudent(ConstantStudent):
    """Records what is started and ended."""

    def __init__(self) -> None:
        super().__init__()
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


def prepare(models: OneModel, progress: Progress | None = None) -> "AbstractContextManager[Progress]":
    return preparing(cast("Models", models), Embedding(), progress)


def report_until(watch: Progress, done: int, total: int, is_enough: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_enough() and time.monotonic() < deadline:
        watch(done, total, "a.md")
        time.sleep(0.01)
    watch(done, total, "b.md")


def test_a_student_is_prepared_once_when_few_of_many_files_are_left(models: OneModel) -> None:
    seen: list[tuple[int, int, str]] = []
    with prepare(models, lambda *step: seen.append(step)) as watch:
        report_until(watch, 790, 1000, lambda: models.model.is_loaded)
        assert models.own.calls == []
        report_until(watch, 800, 1000, lambda: bool(models.own.calls))
    assert models.own.calls == ["prepare"]
    assert (790, 1000, "b.md") in seen
    assert seen[-1] == (800, 1000, "b.md")


def test_it_is_not_prepared_for_few_files(models: OneModel) -> None:
    with prepare(models) as watch:
        report_until(watch, 299, 299, lambda: models.model.is_loaded)
    assert models.own.calls == []


def test_it_is_released_if_indexing_fails(models: OneModel) -> None:
    def fail() -> None:
        with prepare(models) as watch:
            report_until(watch, 900, 1000, lambda: bool(models.own.calls))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert models.own.calls == ["prepare", "release"]


def test_short_runs_load_nothing(models: OneModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOADING_DELAY", 60.0)
    with prepare(models):
        pass
    assert not models.model.is_loaded
