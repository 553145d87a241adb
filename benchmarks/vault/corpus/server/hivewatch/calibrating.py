"""What a scale knows about itself."""

FURTHEST_GRAMS = 50


def load_calibration(corners: dict[str, int]) -> int:
    """Give the zero point of a scale from the values of its corners."""
    values = sorted(corners.values())
    if values[-1] - values[0] > FURTHEST_GRAMS:
        raise ValueError("the corners differ too much: turn the foot below the highest one")
    return sum(values) // len(values)


def tare_offset(grams: int, zero: int, degrees: float) -> int:
    """Correct a weight by the zero point and by the cold."""
    return grams - zero + round((20 - degrees) * 1.8)
