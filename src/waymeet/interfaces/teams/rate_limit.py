"""A limit on the requests of each token: a bucket that fills up steadily."""

from collections.abc import Callable
from time import monotonic

from waymeet.interfaces.http.problems import RequestRefusedError

_MAX_SENDERS = 10_000


class RateLimit:
    """Limits the requests of each sender to a number per minute.

    A tenth of it may be sent at once.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._rate = per_minute / 60.0
        self._burst = max(per_minute / 10.0, 1.0)
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        """What is left of each bucket, and when that was computed."""

    def take(self, sender: str) -> None:
        """Count a request.

        Raises:
            RequestRefusedError: the sender has sent too many.
        """
        now = self._clock()
        left, since = self._buckets.pop(sender, (self._burst, now))
        left = min(left + (now - since) * self._rate, self._burst)
        if len(self._buckets) >= _MAX_SENDERS:
            self._buckets.pop(next(iter(self._buckets)))
        self._buckets[sender] = (left - 1.0 if left >= 1.0 else left, now)
        if left < 1.0:
            seconds = max(int((1.0 - left) / self._rate + 0.999), 1)
            raise RequestRefusedError(
                429,
                "too_many_requests",
                f"This token has sent more than {self._rate * 60:g} requests per minute.",
                f"Try again in {seconds} s, or raise the setting serve.token_requests.",
                {"Retry-After": str(seconds)},
            )
