"""The progress of an indexing run: rate, remaining time, and what other processes see of it."""

import json
from pathlib import Path

import pytest

from waymeet.ingest.discover.walk import FoundFile
from waymeet.ingest.progress import ProgressMeter, estimate_seconds_left, measure_work, saved_progress
from waymeet.ports import RunProgress
from waymeet.stores.memory.store import MemoryStore

RUNS = json.loads((Path(__file__).parents[2] / "fixtures" / "indexing_runs.json").read_text(encoding="utf-8"))
"""Recorded runs: the processor time of the whole run, its work, and samples of processor time and work done."""


def found(path: str, size: int, reason: str = "") -> FoundFile:
    return FoundFile(path, f"/root/{path}", size, 0, reason)


@pytest.mark.parametrize("name", RUNS)
def test_the_remaining_time_of_recorded_runs_is_right_within_30_percent(name: str) -> None:
    run = RUNS[name]
    samples = [(seconds, work) for seconds, work in run["samples"]]
    errors = []
    for number in range(1, len(samples) + 1):
        seconds, work = samples[number - 1]
        estimate = estimate_seconds_left(samples[:number], run["work"])
        if estimate is not None and work >= 0.1 * run["work"]:
            left = run["seconds"] - seconds
            errors.append(abs(estimate - left) > 0.3 * left + 0.5)  # half a second near the end
    assert len(errors) > 40
    assert not any(errors)


def test_a_run_has_no_estimate_at_its_start() -> None:
    assert estimate_seconds_left([(0.0, 0.0)], 100.0) is None
    assert estimate_seconds_left([(0.0, 0.0), (1.0, 1.0)], 100.0) is None
    assert estimate_seconds_left([(0.0, 0.0), (1.0, 50.0)], 100.0) == pytest.approx(1.0)


def test_the_present_rate_counts_more_than_its_share() -> None:
    steady = [(float(second), 10.0 * second) for second in range(9)]
    slower = [*steady, (16.0, 100.0)]
    assert 0 < estimate_seconds_left(slower, 200.0) > 100 / (100 / 16)  # type: ignore[operator]


def test_work_depends_on_size_and_type() -> None:
    assert measure_work(found("a.md", 9000)) > measure_work(found("a.py", 9000)) > measure_work(found("a.po", 9000))
    assert measure_work(found("a.bin", 9_000_000, "too large")) < measure_work(found("a.po", 9000))


class Display:
    """A display that keeps what it is told."""

    def __init__(self) -> None:
        self.files: list[tuple[int, int]] = []
        self.times: list[RunProgress] = []

    def __call__(self, done: int, total: int, item: str) -> None:
        del item
        self.files.append((done, total))

    def show_time(self, progress: RunProgress) -> None:
        self.times.append(progress)


def test_the_meter_shows_files_rate_and_time_and_saves_them_until_the_end() -> None:
    files = {f"{number}.py": found(f"{number}.py", 1000) for number in range(10)}
    seconds = iter(range(1000))
    store, display = MemoryStore(), Display()
    meter = ProgressMeter(files, store, lambda: float(next(seconds)))
    for path in list(files)[:5]:
        meter.add(path, display)
    meter.save()
    saved = saved_progress(store)
    assert display.files == [(number, 10) for number in range(1, 6)]
    assert display.times[-1].seconds_left == pytest.approx(12.0, rel=0.2)  # 2 s a file
    assert saved
    assert (saved.files, saved.total_files, saved.bytes, saved.total_bytes) == (5, 10, 5000, 10_000)
    assert saved.rate > 0
    meter.end()
    assert saved_progress(store) is None


def test_a_function_without_times_is_called_with_files_only() -> None:
    calls = []
    meter = ProgressMeter({"a.py": found("a.py", 10)}, MemoryStore())
    meter.add("a.py", lambda *call: calls.append(call))
    meter.end()
    assert calls == [(1, 1, "a.py")]
