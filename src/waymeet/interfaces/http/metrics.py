"""Request counters in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic, time

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Bounds of the histogram, in seconds."""
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[tuple[str, str], ...]


class RequestMetrics:
    """Counts requests. Used in the event loop only, not from threads."""

    def __init__(self) -> None:
        self.started = time()
        self.active = {False: 0, True: 0}
        """Active requests (False) and streams (True)."""
        self.last = monotonic()
        """When the last request ended that keeps the server alive."""
        self.lasting = 0
        self._answered: Counter[tuple[str, str, str, int]] = Counter()
        self._seconds: dict[tuple[str, str], float] = {}
        self._buckets: dict[tuple[str, str], list[int]] = {}

    @contextmanager
    def track(self, *, streams: bool, lasting: bool) -> Iterator[None]:
        """Count a request as active.

        A `lasting` one keeps an idle server from ending.
        """
        self.active[streams] += 1
        self.lasting += lasting
        try:
            yield
        finally:
            self.active[streams] -= 1
            self.lasting -= lasting
            if lasting:
                self.last = monotonic()

    def record(self, route: str, method: str, status: int, seconds: float, project: str = "") -> None:
        """Count an answered request, of a project if the server has several."""
        method = method if method in {"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"} else "other"
        self._answered[project, route, method, status] += 1
        self._seconds[project, route] = self._seconds.get((project, route), 0.0) + seconds
        buckets = self._buckets.setdefault((project, route), [0] * (len(_BOUNDS) + 1))
        buckets[bisect_left(_BOUNDS, seconds)] += 1

    def idle_seconds(self) -> float:
        """Give the seconds since the last request."""
        return 0.0 if self.lasting else monotonic() - self.last

    @property
    def total(self) -> int:
        """Number of requests so far."""
        return self._answered.total()

    def lines(self, projects: Container[str] | None = None) -> Iterator[str]:
        """Yield all metrics as text lines, or those of some projects."""
        by_status: list[tuple[Labels, float]] = [
            ((*_project_label(project), ("route", route), ("method", method), ("status", str(status))), number)
            for (project, route, method, status), number in sorted(self._answered.items())
            if projects is None or project in projects
        ]
        yield from family("waymeet_requests_total", "counter", "Answered requests.", by_status)
        yield "# HELP waymeet_request_seconds Duration of requests."
        yield "# TYPE waymeet_request_seconds histogram"
        for key, buckets in sorted(self._buckets.items()):
            if projects is None or key[0] in projects:
                yield from self._histogram_lines((*_project_label(key[0]), ("route", key[1])), buckets, key)
        yield from family("waymeet_requests_active", "gauge", "Active requests.", [((), self.active[False])])
        yield from family("waymeet_streams_active", "gauge", "Open streams.", [((), self.active[True])])
        yield from family("waymeet_start_time_seconds", "gauge", "Start time of the process.", [((), self.started)])

    def _histogram_lines(self, labels: Labels, buckets: Iterable[int], key: tuple[str, str]) -> Iterator[str]:
        below = 0
        for bound, number in zip((*map(str, _BOUNDS), "+Inf"), buckets, strict=True):
            below += number
            yield f"waymeet_request_seconds_bucket{_format_labels((*labels, ('le', bound)))} {below}"
        yield f"waymeet_request_seconds_sum{_format_labels(labels)} {self._seconds[key]}"
        yield f"waymeet_request_seconds_count{_format_labels(labels)} {below}"


def _project_label(project: str) -> Labels:
    return (("project", project),) if project else ()


def family(name: str, kind: str, help_text: str, values: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    """Yield the lines of one metric."""
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        yield f"{name}{_format_labels(labels)} {value}"


def gauges(values: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    """Yield the lines of single values with their help texts."""
    for name, (help_text, value) in values.items():
        yield from family(name, "gauge", help_text, [((), value)])


def _format_labels(labels: Labels) -> str:
    r"""Format labels.

    >>> _format_labels((("route", 'a"b\n'),)), _format_labels(())
    ('{route="a\\"b\\n"}', '')
    """
    escaped = ((name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")) for name, value in labels)
    inner = ",".join(f'{name}="{value}"' for name, value in escaped)
    return f"{{{inner}}}" if inner else ""
