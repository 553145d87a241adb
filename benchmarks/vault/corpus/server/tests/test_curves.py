"""Tests of detect_swarm, smooth_weights and the calibration."""

from hivewatch.calibrating import load_calibration, tare_offset
from hivewatch.curves import detect_swarm, smooth_weights
from hivewatch.readings import Reading


def _curve(*grams: int) -> list[Reading]:
    return [Reading("h1", at * 600, each) for at, each in enumerate(grams)]


def test_detect_swarm_on_a_warm_day() -> None:
    assert detect_swarm(_curve(42000, 42000, 41900, 40100, 40000, 40000), 22.0)
    assert not detect_swarm(_curve(42000, 42000, 41900, 40100, 40000, 40000), 9.0)


def test_smooth_weights_ignores_a_gust() -> None:
    assert max(smooth_weights(_curve(42000, 47000, 42000, 42000))) == 42000


def test_load_calibration_and_tare_offset() -> None:
    zero = load_calibration({"a": 10, "b": 20, "c": 30, "d": 40})
    assert tare_offset(1025, zero, 20.0) == 1000
