"""Not asking more often than a provider allows: so many requests and so many tokens in any minute."""

from collections import deque
from threading import Lock

from waymeet.models.remote.http import Clock

_MINUTE = 60.0


class Pace:
    """Remembers what was sent in the last minute and waits until more may be."""

    def __init__(self, requests: int, tokens: int, clock: Clock) -> None:
        """Take the limits for a minute; 0 is none."""
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = Lock()

    def keep(self, tokens: int, *, wait: bool = True) -> None:
        """Wait until a request of so many tokens may be sent, and count it; without waiting it is only counted."""
        if not (self._requests or self._tokens):
            return
        while True:
            with self._lock:
                pause = self._pause(tokens)
                if pause <= 0.0 or not wait:
                    self._sent.append((self._clock.now(), tokens))
                    return
            self._clock.wait(pause)

    def _pause(self, tokens: int) -> float:
        """Say how long it is until enough of what was sent is a minute old; a request that is too large goes alone."""
        now = until = self._clock.now()
        while self._sent and self._sent[0][0] + _MINUTE <= now:
            self._sent.popleft()
        requests, total = len(self._sent) + 1, sum(each for _, each in self._sent) + tokens
        for sent, each in self._sent:
            if not (0 < self._requests < requests or 0 < self._tokens < total):
                break
            until, requests, total = sent + _MINUTE, requests - 1, total - each
        return until - now
