"""A guard before a slow reranker: if too many calls take too long, it is left alone for a while, then tried again."""

from collections import deque
from collections.abc import Callable, Sequence
from math import ceil
from threading import Lock
from time import monotonic

from waymeet.errors import CircuitOpenError
from waymeet.ports import Reranker
from waymeet.settings import Rerank


def p95(seconds: Sequence[float]) -> float:
    """Give the time that 95 of 100 calls do not exceed (the nearest rank).

    >>> p95([0.1] * 19 + [9.0]), p95([0.1] * 18 + [9.0] * 2)
    (0.1, 9.0)
    """
    return sorted(seconds)[ceil(0.95 * len(seconds)) - 1]


class GuardedReranker:
    """Times every call to another reranker, failed ones included, and rests it when they take too long.

    After a rest one call decides: quick, and the count starts anew; slow, and it rests again.
    """

    def __init__(
        self, inner: Reranker, threshold: float, numbers: Rerank, clock: Callable[[], float] = monotonic
    ) -> None:
        self._inner = inner
        self._threshold = threshold
        self._numbers = numbers
        self._clock = clock
        self._last: deque[float] = deque(maxlen=numbers.window_calls)
        self._rests_until = 0.0
        self._on_trial = False
        self._lock = Lock()
        self.name = inner.name

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score texts, unless the reranker rests."""
        started = self._clock()
        with self._lock:
            left = self._rests_until - started
        if left > 0.0:
            raise CircuitOpenError(
                f"{self.name} is left alone for {ceil(left)} more seconds: it took too long too often "
                f"(above {self._threshold * 1000:g} ms in more than one call of twenty).",
                "Send fewer candidates (rerank.candidates), allow more time (rerank.p95_ms), or take a quicker model.",
            )
        try:
            return self._inner.score(query, texts)
        finally:
            self._note(self._clock() - started)

    def _note(self, took: float) -> None:
        with self._lock:
            self._last.append(took)
            judged = self._on_trial or len(self._last) >= self._numbers.min_calls
            slow = p95([took] if self._on_trial else self._last) > self._threshold
            if judged and slow:
                self._rests_until = self._clock() + self._numbers.off_seconds
                self._last.clear()
            self._on_trial = judged and slow
