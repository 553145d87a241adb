"""Circuit breaker for rerankers: too many slow calls suspend a reranker for a while."""

from collections import deque
from collections.abc import Callable, Sequence
from math import ceil
from threading import Lock
from time import monotonic

from waymeet.errors import CircuitOpenError
from waymeet.ports import Reranker
from waymeet.settings import Rerank


def p95(seconds: Sequence[float]) -> float:
    """Compute the 95th percentile by the nearest rank.

    >>> p95([0.1] * 19 + [9.0]), p95([0.1] * 18 + [9.0] * 2)
    (0.1, 9.0)
    """
    return sorted(seconds)[ceil(0.95 * len(seconds)) - 1]


class GuardedReranker:
    """Times the calls of a reranker and suspends it when they are too slow.

    Failed calls are timed, too. After the suspension a single call decides: if it is fast, counting starts anew; if it
    is slow, the reranker is suspended again.
    """

    def __init__(
        self, inner: Reranker, threshold: float, settings: Rerank, clock: Callable[[], float] = monotonic
    ) -> None:
        self._inner = inner
        self._threshold = threshold
        self._settings = settings
        self._clock = clock
        self._durations: deque[float] = deque(maxlen=settings.window_calls)
        self._suspended_until = 0.0
        self._is_on_trial = False
        self._lock = Lock()
        self.name = inner.name

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score texts, unless the reranker is suspended."""
        started = self._clock()
        with self._lock:
            remaining = self._suspended_until - started
        if remaining > 0.0:
            raise CircuitOpenError(
                f"{self.name} is suspended for {ceil(remaining)} more seconds: more than one call of twenty took "
                f"longer than {self._threshold * 1000:g} ms.",
                "Send fewer candidates (rerank.candidates), allow more time (rerank.p95_ms), or choose a faster model.",
            )
        try:
            return self._inner.score(query, texts)
        finally:
            self._record(self._clock() - started)

    def _record(self, duration: float) -> None:
        with self._lock:
            self._durations.append(duration)
            is_decided = self._is_on_trial or len(self._durations) >= self._settings.min_calls
            is_slow = p95([duration] if self._is_on_trial else self._durations) > self._threshold
            if is_decided and is_slow:
                self._suspended_until = self._clock() + self._settings.off_seconds
                self._durations.clear()
            self._is_on_trial = is_decided and is_slow
