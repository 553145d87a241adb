"""Curves of weight, and what they tell."""

from hivewatch.readings import Reading

SWARM_GRAMS, SWARM_SECONDS = 1500, 1200


def smooth_weights(readings: list[Reading], width: int = 3) -> list[int]:
    """Take the median of neighbours, so that one gust of wind counts nothing."""
    half = width // 2
    grams = [each.grams for each in readings]
    return [sorted(grams[max(i - half, 0) : i + half + 1])[half] for i in range(len(grams) - half)]


def detect_swarm(readings: list[Reading], degrees: float) -> bool:
    """Tell whether a colony left: a quick loss on a warm day."""
    if degrees < 14:
        return False
    curve = smooth_weights(readings)
    return any(
        first - last > SWARM_GRAMS
        for first, last, a, b in zip(curve, curve[2:], readings, readings[2:])
        if b.at - a.at <= SWARM_SECONDS
    )


def days_of_stores(grams: int, tare_grams: int, daily_loss: int) -> float:
    """Say for how long a colony has something to eat."""
    return max(grams - tare_grams, 0) / max(daily_loss, 1)
