"""Hives, their owners and their gateways."""

HIVES: dict[str, dict[str, str]] = {}


class UnknownHive(KeyError):
    """There is no such hive, or it is somebody else's."""


def get_hive_by_id(hive_id: str, owner: str) -> dict[str, str]:
    """Find a hive, if it belongs to whoever asks."""
    hive = HIVES.get(hive_id)
    if hive is None or hive["owner"] != owner:
        raise UnknownHive(hive_id)
    return hive


def list_gateways(owner: str) -> list[str]:
    """Name the gateways that an owner's hives report to."""
    return sorted({hive["gateway"] for hive in HIVES.values() if hive["owner"] == owner})
