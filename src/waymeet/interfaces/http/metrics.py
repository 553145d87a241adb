"""What is counted, and how Prometheus reads it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic, time

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds, of the histogram."""
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[tuple[str, str], ...]


class RequestMetrics:
    """Counts requests. It lives in the event loop: nothing here is for threads."""

    def __init__(self) -> None:
        self.started = time()
        self.active = {False: 0, True: 0}
        """Requests and streams, at this moment."""
        self.last = monotonic()
        """When somebody last wanted something."""
        self.lasting = 0
        self._answered: Counter[tuple[str, str, int]] = Counter()
        self._seconds: dict[str, float] = {}
        self._buckets: dict[str, list[int]] = {}

    @contextmanager
    def one(self, *, streams: bool, lasting: bool) -> Iterator[None]:
        """Count a request as active; one that is `lasting` keeps the process from ending."""
        self.active[streams] += 1
        self.lasting += lasting
        try:
            yield
        finally:
            self.active[streams] -= 1
            self.lasting -= lasting
            if lasting:
                self.last = monotonic()

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        method = method if method in {"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"} else "other"
        self._answered[route, method, status] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds
        buckets = self._buckets.setdefault(route, [0] * (len(_BOUNDS) + 1))
        buckets[bisect_left(_BOUNDS, seconds)] += 1

    def idle_seconds(self) -> float:
        """Say for how long nobody has wanted anything."""
        return 0.0 if self.lasting else monotonic() - self.last

    @property
    def total(self) -> int:
        """Requests so far."""
        return self._answered.total()

    def lines(self) -> Iterator[str]:
        """Write down what was counted."""
        by_status: list[tuple[Labels, float]] = [
            ((("route", route), ("method", method), ("status", str(status))), number)
            for (route, method, status), number in sorted(self._answered.items())
        ]
        yield from family("waymeet_requests_total", "counter", "Requests that were answered.", by_status)
        yield "# HELP waymeet_request_seconds How long requests took."
        yield "# TYPE waymeet_request_seconds histogram"
        for route, buckets in sorted(self._buckets.items()):
            below = 0
            for bound, number in zip((*map(str, _BOUNDS), "+Inf"), buckets, strict=True):
                below += number
                labels = _written((("route", route), ("le", bound)))
                yield f"waymeet_request_seconds_bucket{labels} {below}"
            yield f"waymeet_request_seconds_sum{_written((('route', route),))} {self._seconds[route]}"
            yield f"waymeet_request_seconds_count{_written((('route', route),))} {below}"
        yield from family("waymeet_requests_active", "gauge", "Requests being answered.", [((), self.active[False])])
        yield from family("waymeet_streams_active", "gauge", "Streams that are open.", [((), self.active[True])])
        yield from family("waymeet_start_time_seconds", "gauge", "When it began.", [((), self.started)])


def family(name: str, kind: str, said: str, values: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    """Write down one metric."""
    yield f"# HELP {name} {said}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        yield f"{name}{_written(labels)} {value}"


def gauges(values: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    """Write down single values with what they mean."""
    for name, (said, value) in values.items():
        yield from family(name, "gauge", said, [((), value)])


def _written(labels: Labels) -> str:
    r"""Write labels.

    >>> _written((("route", 'a"b\n'),)), _written(())
    ('{route="a\\"b\\n"}', '')
    """
    escaped = ((name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")) for name, value in labels)
    inner = ",".join(f'{name}="{value}"' for name, value in escaped)
    return f"{{{inner}}}" if inner else ""
