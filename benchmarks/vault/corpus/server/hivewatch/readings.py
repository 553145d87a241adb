"""Readings as gateways send them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """One weighing of one hive."""

    hive: str
    at: int
    grams: int
    raw: bool = True


def parse_reading(line: str) -> Reading:
    """Read one line that a gateway sent: hive, seconds since 1970, grams, and a mark if smoothed."""
    hive, at, grams, *marks = line.strip().split(";")
    return Reading(hive, int(at), int(grams), "s" not in marks)


def without_doubles(readings: list[Reading]) -> list[Reading]:
    """Keep the first of readings that came twice."""
    seen: set[tuple[str, int]] = set()
    kept = []
    for each in readings:
        if (each.hive, each.at) not in seen:
            seen.add((each.hive, each.at))
            kept.append(each)
    return kept
