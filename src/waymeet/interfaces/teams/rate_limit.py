"""A limit on the requests of each sender: a bucket that fills up steadily."""

from collections.abc import Callable
from time import monotonic

from waymeet.interfaces.http.problems import RequestRefusedError

_MAX_SENDERS = 10_000


class RateLimit:
    """Limits the requests of each sender to a number per minute.

    A share of them may be sent at once.
    """

    def __init__(
        self,
        per_minute: int,
        clock: Callable[[], float] = monotonic,
        *,
        share_at_once: float = 0.1,
        subject: str = "This token has sent more than {} requests per minute.",
        setting: str = "serve.token_requests",
    ) -> None:
        """Allow a number of requests per minute.

        `subject` is what the error says, with `{}` for the number, and `setting` the setting that changes it.
        """
        self._rate = per_minute / 60.0
        self._burst = max(per_minute * share_at_once, 1.0)
        self._clock, self._subject, self._setting = clock, subject, setting
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
                self._subject.format(f"{self._rate * 60:g}"),
                f"Try again in {seconds} s, or raise the setting {self._setting}.",
                {"Retry-After": str(seconds)},
            )
