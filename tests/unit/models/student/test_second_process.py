"""Prediction on two cores."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from waymeet.ingest.workers.process import WorkerProcess
from waymeet.models.student import second_process, texts
from waymeet.models.student.second_process import SecondProcess, predict_portions
from waymeet.models.student.texts import TextStudent

if TYPE_CHECKING:
    from waymeet.ports import Vector

PORTIONS = [[f"How to rotate key {number} of {total} keys" for number in range(total)] for total in (3, 5, 0, 4, 2, 6)]
READY_THEN_SILENT = "import sys, time; sys.stdout.buffer.write(bytes(8)); sys.stdout.buffer.flush(); time.sleep(600)"


class Recorder:
    """Predicts by the student of the package, and records what it was given."""

    def __init__(self) -> None:
        self.student = TextStudent()
        self.portions: list[Sequence[str]] = []

    def __call__(self, portion: Sequence[str]) -> "Sequence[Vector]":
        self.portions.append(portion)
        return self.student.predict(portion)


@pytest.fixture
def wait_for_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send the first portion to the second process, too."""
    check_ready = WorkerProcess.check_ready

    def wait(process: WorkerProcess) -> bool:
        deadline = time.monotonic() + 60
        while not check_ready(process) and time.monotonic() < deadline:
            time.sleep(0.01)
        return process.is_ready

    monkeypatch.setattr(WorkerProcess, "check_ready", wait)


def predict_all(predict: Recorder) -> "list[Sequence[Vector]]":
    second = SecondProcess()
    try:
        return list(predict_portions(PORTIONS, predict, b"", second))
    finally:
        second.end()


def check_vectors(vectors: "list[Sequence[Vector]]", student: TextStudent) -> None:
    assert [len(portion) for portion in vectors] == [len(portion) for portion in PORTIONS]
    for portion, predicted in zip(PORTIONS, vectors, strict=True):
        if portion:
            assert np.array(predicted) == pytest.approx(np.array(student.predict(portion)), abs=1e-6)


@pytest.mark.usefixtures("wait_for_start")
def test_two_processes_predict_what_one_does_in_the_same_order() -> None:
    predict = Recorder()
    vectors = predict_all(predict)
    check_vectors(vectors, TextStudent())
    assert PORTIONS[0] not in predict.portions


@pytest.mark.usefixtures("wait_for_start")
def test_the_second_process_uses_the_correction() -> None:
    plain = TextStudent()
    known = [f"Text {number} about tea" for number in range(20)]
    refit = plain.refit(known, list(np.roll(np.array(plain.predict(known)), 1, axis=1)))
    corrected = plain.correct(refit.correction)
    texts_of = iter(PORTIONS)
    vectors = list(corrected.predict_portions(texts_of, 10_000))
    check_vectors(vectors, corrected)
    assert np.abs(np.array(vectors[0]) - np.array(plain.predict(PORTIONS[0]))).max() > 0.01


@pytest.mark.parametrize("code", ["raise SystemExit(1)", READY_THEN_SILENT])
@pytest.mark.usefixtures("wait_for_start")
def test_portions_of_a_process_that_dies_or_hangs_are_predicted_here(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(second_process, "_CODE", code)
    monkeypatch.setattr(second_process, "_WAIT_SECONDS", 0.1)
    if code != READY_THEN_SILENT:
        monkeypatch.setattr(WorkerProcess, "check_ready", lambda _: True)
    predict = Recorder()
    check_vectors(predict_all(predict), TextStudent())
    assert sorted(map(len, predict.portions)) == sorted(map(len, PORTIONS))


def test_all_is_predicted_here_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkerProcess, "start", lambda _: None)
    check_vectors(predict_all(Recorder()), TextStudent())


def test_the_process_ends_if_the_caller_stops_early_or_predicts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = list[int]()
    end = WorkerProcess.end
    monkeypatch.setattr(WorkerProcess, "end", lambda process: ended.append(end(process)))
    student = TextStudent()
    portions = student.predict_portions(iter(PORTIONS), 10_000)
    next(portions)
    del portions
    assert len(ended) == 1
    student.prepare()
    student.prepare()
    student.release()
    student.release()
    assert len(ended) == 2


def test_few_texts_need_no_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkerProcess, "start", lambda _: pytest.fail("a process was started"))
    check_vectors(list(TextStudent().predict_portions(PORTIONS, 20)), TextStudent())
    monkeypatch.setattr(texts, "count_cores", lambda: 1)
    check_vectors(list(TextStudent().predict_portions(PORTIONS, 10_000)), TextStudent())
