"""Who is told what, and how."""

from hivewatch.curves import detect_swarm
from hivewatch.hives import get_hive_by_id
from hivewatch.readings import Reading

WAYS = {"theft": "phone", "swarm": "message", "hunger": "mail"}


def choose_channel(kind: str, hour: int) -> str:
    """Choose how somebody is told: at night only theft rings a phone."""
    way = WAYS[kind]
    return "message" if way == "mail" and hour < 6 else way


def send_alert(hive_id: str, owner: str, kind: str, hour: int) -> str:
    """Tell the owner of a hive what happened to it."""
    hive = get_hive_by_id(hive_id, owner)
    return f"{choose_channel(kind, hour)}: {hive['name']} - {kind}"


def look_at(readings: list[Reading], owner: str, degrees: float, hour: int) -> list[str]:
    """Send the alerts that new readings call for."""
    if readings and detect_swarm(readings, degrees):
        return [send_alert(readings[0].hive, owner, "swarm", hour)]
    return []
