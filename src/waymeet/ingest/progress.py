"""Progress of an indexing run: what is done, at which rate, and how long the rest takes.

Files differ in size and type, so a file counts by the time that one like it takes on average, given as bytes of source
code. The estimate averages the rate of the whole run with that of its last part.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic

import msgspec

from waymeet.ingest.discover.walk import FoundFile
from waymeet.ingest.filetypes import file_type
from waymeet.ports import RunProgress, Store, TimedProgress

_METADATA = "indexing"
_FILE_WORK = 2_000
"""Work of a file without its content, such as opening and storing it."""
_DOCS_FACTOR, _OTHER_FACTOR = 1.2, 0.5
"""Work of a byte of a document, and of another file without a grammar."""
_LAST_WORK = 0.05
"""Work after the last file, as a share of that of all files: folders, merging segments, dates."""
_RECENT_SHARE = 0.5
"""Part of the work done by which the present rate is measured."""
_MIN_SHARE = 0.02
"""Share of the work below which there is no estimate."""
_SAMPLE_SECONDS = 0.2
_SAVE_SECONDS = 1.0

Sample = tuple[float, float]
"""Seconds since the start, and the work done by then."""


def estimate_seconds_left(samples: Sequence[Sample], total: float) -> float | None:
    """Estimate the remaining time of a run from samples of its past, or None at its start.

    >>> estimate_seconds_left([(0.0, 0.0), (1.0, 100.0), (2.0, 200.0)], 1000.0)
    8.0
    """
    (start, first), (now, done) = samples[0], samples[-1]
    if done - first < _MIN_SHARE * total or now <= start:
        return None
    seconds_a_unit = (now - start) / (done - first)
    earlier = bisect_right(samples, done - _RECENT_SHARE * (done - first), key=lambda sample: sample[1]) - 1
    before, done_before = samples[max(earlier, 0)]
    if done > done_before and now > before:
        seconds_a_unit = (seconds_a_unit + (now - before) / (done - done_before)) / 2
    return max(total - done, 0.0) * seconds_a_unit


def measure_work(file: FoundFile) -> float:
    """Return the work of a file, in bytes of source code."""
    if file.path_only_reason:
        return _FILE_WORK
    kind, _ = file_type(file.path)
    factor = 1.0 if kind == "code" else _DOCS_FACTOR if kind == "docs" else _OTHER_FACTOR
    return _FILE_WORK + factor * file.size


def total_work(files: Iterable[FoundFile]) -> float:
    """Return the work of a run, with what follows the last file."""
    return sum(map(measure_work, files)) * (1 + _LAST_WORK)


class ProgressMeter:
    """Measures a run over some files and saves its progress in the store, for `waymeet status`."""

    def __init__(self, files: Mapping[str, FoundFile], store: Store, clock: Callable[[], float] = monotonic) -> None:
        self._files = files
        self._store = store
        self._clock = clock
        self._start = clock()
        self._samples: list[Sample] = [(0.0, 0.0)]
        self._work, self._total_work = 0.0, total_work(files.values())
        self._done = self._bytes = 0
        self._total_bytes = sum(map(_text_bytes, files.values()))
        self._saved = 0.0
        self._is_saved = False

    def add(self, path: str, display: Callable[[int, int, str], None] | None) -> None:
        """Record that a file is done, and show it."""
        file = self._files[path]
        self._done += 1
        self._bytes += _text_bytes(file)
        self._work += measure_work(file)
        if display:
            display(self._done, len(self._files), path)
        now = self._clock() - self._start
        if now - self._samples[-1][0] < _SAMPLE_SECONDS:
            return
        self._samples.append((now, self._work))
        if isinstance(display, TimedProgress):
            display.show_time(self.read())

    def read(self) -> RunProgress:
        """Return the present progress."""
        now = max(self._clock() - self._start, 1e-3)
        left = estimate_seconds_left(self._samples, self._total_work)
        counts = (self._done, len(self._files), self._bytes, self._total_bytes)
        return RunProgress(os.getpid(), *counts, self._bytes / now, left)

    def save(self) -> None:
        """Save the progress in the store, at most once a second."""
        now = self._clock() - self._start
        if now - self._saved >= _SAVE_SECONDS:
            self._saved, self._is_saved = now, True
            self._store.set_metadata(_METADATA, msgspec.json.encode(self.read()).decode())

    def end(self) -> None:
        """Remove the saved progress."""
        if self._is_saved:
            self._store.set_metadata(_METADATA, "")


def saved_progress(store: Store) -> RunProgress | None:
    """Read the progress that a run has saved. It may have ended since."""
    text = store.metadata(_METADATA)
    return msgspec.json.decode(text, type=RunProgress) if text else None


def _text_bytes(file: FoundFile) -> int:
    return 0 if file.path_only_reason else file.size
