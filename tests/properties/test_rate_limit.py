"""No minute holds more requests or tokens than the user allows."""

from hypothesis import given
from hypothesis import strategies as st

from waymeet.models.remote.embedder import RateLimit
from waymeet.models.remote.http import Clock


class Time:
    """A clock that waiting moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


@given(
    requests=st.integers(0, 5),
    tokens=st.integers(0, 100),
    sent=st.lists(st.tuples(st.integers(1, 120), st.floats(0, 40)), max_size=30),
)
def test_no_minute_holds_more_than_it_may(requests: int, tokens: int, sent: list[tuple[int, float]]) -> None:
    time = Time()
    limit = RateLimit(requests, tokens, Clock(now=lambda: time.now, wait=time.wait))
    done: list[tuple[float, int]] = []
    for size, pause in sent:
        time.now += pause
        limit.acquire(size)
        done.append((time.now, size))
    for start, _ in done:
        minute = [size for at, size in done if start <= at < start + 60.0 - 1e-6]
        assert not requests or len(minute) <= requests
        assert not tokens or sum(minute) <= tokens or len(minute) == 1


def test_without_limits_there_is_no_wait() -> None:
    time = Time()
    limit = RateLimit(0, 0, Clock(now=lambda: time.now, wait=time.wait))
    for _ in range(1000):
        limit.acquire(10_000)
    assert time.now == 0.0
