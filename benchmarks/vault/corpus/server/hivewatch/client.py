"""A small client of our own API, for partners to copy."""

import time
from collections.abc import Callable

from hivewatch.readings import Reading, parse_reading


def retry_delay(attempt: int, told: float | None = None) -> float:
    """Say how long to wait before asking again: what the server told, else twice as long each time."""
    return told if told is not None else min(2.0**attempt, 60.0)


def fetch_readings(ask: Callable[[str], tuple[int, str]], hive: str) -> list[Reading]:
    """Fetch all readings of a hive, patiently."""
    for attempt in range(6):
        status, text = ask(f"/hives/{hive}/readings")
        if status != 429:
            return [parse_reading(line) for line in text.splitlines()]
        time.sleep(retry_delay(attempt))
    return []
