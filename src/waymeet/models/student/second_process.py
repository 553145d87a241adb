"""Prediction on two cores: a second process predicts some of the portions.

After indexing, a core is free. Counting tokens is Python code, so a thread would not use it.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import msgpack

from waymeet.ingest.workers.process import WorkerProcess, read_message, write_message
from waymeet.models.student.predict import Student
from waymeet.models.student.refit import Correction

if TYPE_CHECKING:
    from waymeet.ports import Vector

    Predict = Callable[[Sequence[str]], Sequence[Vector]]

_CODE = "from waymeet.models.student.second_process import main; main()"
_MAX_PENDING = 2
"""Portions sent ahead: the process works on one while the next is on its way."""
_MAX_WAITING = 8
"""Portions in memory after which this process waits for the other one."""
_WAIT_SECONDS = 60.0
"""Time to wait for a portion, of which a process predicts several in a second."""


def predict_portions(
    portions: Iterable[Sequence[str]], predict: "Predict", correction: bytes, second: "SecondProcess"
) -> "Generator[Sequence[Vector], None, None]":
    """Predict portions of texts here and in a second process, and yield their vectors in order."""
    waiting: deque[Sequence[Vector] | None] = deque()
    """Vectors to yield; None stands for those of the second process."""

    def take() -> "Sequence[Vector]":
        vectors = waiting.popleft()
        return second.collect(predict) if vectors is None else vectors

    second.send(correction)
    for texts in portions:
        is_sent = bool(texts) and second.submit(texts)
        waiting.append(None if is_sent else predict(texts))
        while waiting and (waiting[0] is not None or second.has_result or len(waiting) > _MAX_WAITING):
            yield take()
    while waiting:
        yield take()


class SecondProcess:
    """A process that predicts texts.

    Its first message is the correction of the student, empty for none.
    """

    def __init__(self) -> None:
        self._process = WorkerProcess.start(_CODE)
        self._sender = ThreadPoolExecutor(1)  # a write to a pipe lasts until the other end reads
        self._pending: deque[Sequence[str]] = deque()

    @property
    def has_result(self) -> bool:
        """Whether `collect` returns at once."""
        return bool(self._pending) and (self._process is None or self._process.has_message)

    def send(self, message: bytes) -> None:
        """Send a message as soon as the process reads it."""
        if self._process:
            self._sender.submit(self._process.send, message)

    def submit(self, texts: Sequence[str]) -> bool:
        """Send texts to be predicted if the process has started and has little to do.

        Returns whether they were sent.
        """
        if self._process is None or not self._process.check_ready() or len(self._pending) >= _MAX_PENDING:
            return False
        self._pending.append(texts)
        self.send(msgpack.encode(texts))
        return True

    def collect(self, predict: "Predict") -> "Sequence[Vector]":
        """Wait for the vectors of the texts that were sent first.

        If the process died or does not answer, they are predicted here.
        """
        texts = self._pending.popleft()
        message = self._process.receive(_WAIT_SECONDS) if self._process else None
        if message is None:
            self.end()
            return predict(texts)
        return list(np.frombuffer(message, dtype=np.float32).reshape(len(texts), -1))

    def end(self) -> None:
        """End the process at once."""
        if self._process:
            self._process.end()
        self._process = None
        self._sender.shutdown()


def main() -> None:
    """Predict the texts of messages from standard input until it ends.

    The first message is the correction of the student, empty for none. Vectors are written by a thread, so that the
    next texts need not wait until the other end has read them.
    """
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing else must get into the messages
    with Path(os.devnull).open("wb") as null:
        os.dup2(null.fileno(), 2)  # this process's errors are noticed and repaired by the other one
    student = Student.load()
    write_message(sink, b"")
    correction = read_message(source)
    student = student.correct(Correction.from_bytes(correction) if correction else None)
    with ThreadPoolExecutor(1) as writer:
        while (message := read_message(source)) is not None:
            texts = msgpack.decode(message, type=list[str])
            vectors = student.predict(student.features(texts))
            writer.submit(write_message, sink, np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
