"""A time limit that holds whatever the other side does: names that do not resolve, headers that trickle in."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from waymeet.errors import ModelError, WaymeetError

T = TypeVar("T")


class GivenUp(Exception):  # noqa: N818 - only tells abandoned work to end
    """Nobody waits for the answer any more."""


def within(seconds: float, work: Callable[[Event], T], late: ModelError) -> T:
    """Do some work, but wait no longer for it; the event tells work that was given up to end.

    A socket's own time limit starts anew with every byte, and resolving a name has none at all, so the work is done in
    a thread that can be left behind.
    """
    done: SimpleQueue[T | BaseException] = SimpleQueue()
    given_up = Event()

    def worker() -> None:
        try:
            done.put(work(given_up))
        except BaseException as error:  # noqa: BLE001 - handed over and raised where it belongs
            done.put(error)

    Thread(target=worker, name="waymeet-asking", daemon=True).start()
    try:
        result = done.get(timeout=seconds)
    except Empty:
        given_up.set()
        raise late from None
    if isinstance(result, BaseException):
        raise result.with_traceback(None) if isinstance(result, WaymeetError) else result
    return result
