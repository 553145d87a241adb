"""Work that is done beside a loop, again whenever the loop asks for it, so that the loop never waits."""

from collections.abc import Callable
from threading import Event, Thread
from typing import TypeVar

from waymeet.errors import WaymeetError
from waymeet.ingest.embed.batches import Embedded
from waymeet.ingest.index import Report
from waymeet.ingest.watch import Hints, Pace, Round, watch

Found = TypeVar("Found")

_PATIENCE = 5.0
"""Seconds that whoever ends the loop waits for the work that is under way; it loses a batch at most."""


def watch_and_embed(
    look: Callable[[], Report | None],
    embed: Callable[[Callable[[], bool]], Embedded],
    told: Callable[[Round], None],
    hints: Hints,
    pace: Pace,
) -> None:
    """Watch, and embed beside it what was taken in, so that no change waits for a model; trouble is told once."""
    last = ""

    def tell(trouble: str, hint: str) -> None:
        nonlocal last
        if trouble != last and trouble:
            told(Round(trouble=trouble, hint=hint, code="failed"))
        last = trouble

    def task(ended: Callable[[], bool]) -> None:
        came = embed(ended)
        tell(came.trouble, came.hint)

    beside = Alongside(task, lambda error: tell(error.message, error.hint))
    try:
        watch(lambda: beside.then(look()), told, hints, pace)
    finally:
        hints.close()
        beside.close()


class Alongside:
    """A thread with one task."""

    def __init__(self, task: Callable[[Callable[[], bool]], None], failed: Callable[[WaymeetError], None]) -> None:
        """Take a task, which is told how to find out that it should stop, and somebody to tell of its failures."""
        self._task = task
        self._failed = failed
        self._asked = Event()
        self._ended = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def then(self, found: Found) -> Found:
        """Have the task done once more, and give back what was found; asking often while it is done is asking once."""
        self._asked.set()
        return found

    def close(self) -> None:
        """End it, at the task's next opportunity."""
        self._ended.set()
        self._asked.set()
        self._thread.join(_PATIENCE)

    def _work(self) -> None:
        while self._asked.wait() and not self._ended.is_set():
            self._asked.clear()
            try:
                self._task(self._ended.is_set)
            except WaymeetError as error:
                self._failed(error)
