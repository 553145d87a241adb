"""What can be done to gateways and scales from afar."""

from hivewatch.hives import list_gateways

QUEUED: list[tuple[str, str]] = []


def reset_gateway(gateway: str) -> None:
    """Queue a restart; it happens when the station next reports."""
    QUEUED.append((gateway, "restart"))


def update_firmware(owner: str, image: str) -> int:
    """Queue an image for all stations of an owner, and say for how many."""
    stations = list_gateways(owner)
    QUEUED.extend((station, image) for station in stations)
    return len(stations)


def calibrate_scale(gateway: str, scale: str) -> None:
    """Ask a scale to take its four values at the next magnet."""
    QUEUED.append((gateway, f"corners {scale}"))


def keep_readings(days: int) -> str:
    """Write the rule by which old rows are removed."""
    return f"older than {days} days"
