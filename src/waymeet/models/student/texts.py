"""The student as indexing uses it: texts in, vectors out."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Self

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.models.local.blas_threads import count_cores
from waymeet.models.student.agreement import measure_trust
from waymeet.models.student.file import SHA256
from waymeet.models.student.predict import Student
from waymeet.models.student.refit import Correction
from waymeet.models.student.selection import select_texts
from waymeet.ports import Refit

if TYPE_CHECKING:
    from waymeet.models.student.second_process import SecondProcess
    from waymeet.ports import Vector

_VERSION_DIGITS = 12
_MIN_SHARED = 3000
"""Texts from which a second process saves more time than its start takes."""


class _Shared:
    """What a student shares with its corrected copies."""

    def __init__(self) -> None:
        self.lock = Lock()  # counting tokens fills a table of words
        self.second: SecondProcess | None = None
        """The process for the next call of `predict_portions`."""


class TextStudent:
    """Predicts the vectors of texts. Threads may share one."""

    space = Student.space
    version = SHA256[:_VERSION_DIGITS]

    def __init__(self, student: Student | None = None, shared: "_Shared | None" = None) -> None:
        """Wrap a student, by default that of this package, which is read at its first use."""
        self._student = student
        self._shared = shared or _Shared()

    def predict(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """Predict a unit vector for each text."""
        with self._shared.lock:
            student = self._load()
            return list(student.predict(student.features(texts)))

    def prepare(self) -> None:
        """Start a second process for `predict_portions`, if there is a core for it."""
        if count_cores() == 1:
            return
        from waymeet.models.student.second_process import SecondProcess  # noqa: PLC0415 - for many texts only

        with self._shared.lock:
            self._shared.second = self._shared.second or SecondProcess()

    def release(self) -> None:
        """End the second process, if there is one."""
        second = self._take_second()
        if second:
            second.end()

    def predict_portions(self, portions: Iterable[Sequence[str]], count: int) -> "Iterator[Sequence[Vector]]":
        """Predict portions of texts in order, about `count` in all, on two cores if there are many."""
        if count >= _MIN_SHARED:
            self.prepare()
        second = self._take_second()
        if second is None:
            yield from map(self.predict, portions)
            return
        from waymeet.models.student.second_process import predict_portions  # noqa: PLC0415 - for many texts only

        try:
            yield from predict_portions(portions, self.predict, self._correction(), second)
        finally:
            second.end()

    def select(self, texts: Sequence[str], count: int) -> Sequence[int]:
        """Select about so many texts that represent all, and return their numbers."""
        numbers: list[int] = select_texts(np.asarray(self.predict(texts)), count).tolist()
        return numbers

    def refit(self, texts: Sequence[str], vectors: "Sequence[Vector]") -> Refit:
        """Compute the correction that brings the predictions for texts nearer to their true vectors."""
        with self._shared.lock:
            student = self._load()
            features, true = student.features(texts), np.asarray(vectors, dtype=np.float32)
            corrected = student.refit(features, true)
            trust = measure_trust(student, features, true).correlation
        return Refit(b64encode(_serialise(corrected.correction)).decode(), trust)

    def correct(self, correction: str) -> Self:
        """Return a student with a correction, or without one if it is empty.

        Raises:
            EmbeddingError: the correction is damaged.
        """
        try:
            content = b64decode(correction, validate=True)
        except (Base64Error, ValueError) as error:
            raise EmbeddingError(f"The correction of the student cannot be read: {error}.") from error
        with self._shared.lock:
            corrected = self._load().correct(Correction.from_bytes(content) if content else None)
        return type(self)(corrected, self._shared)

    def _take_second(self) -> "SecondProcess | None":
        """Take the second process, so that no other thread uses it."""
        with self._shared.lock:
            second, self._shared.second = self._shared.second, None
        return second

    def _correction(self) -> bytes:
        return _serialise(self._student.correction if self._student else None)

    def _load(self) -> Student:
        if self._student is None:
            self._student = Student.load()
        return self._student


def _serialise(correction: Correction | None) -> bytes:
    return correction.to_bytes() if correction else b""
