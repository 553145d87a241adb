"""The rota, and whom a page reaches."""

from hivewatch.alerting import send_alert

ROTA = ("priya", "tomas", "liang")
OWNERS = {"intake": "priya", "firmware": "tomas", "boards": "liang"}


def who_is_on_call(week: int) -> str:
    """Name whoever carries the phone in a week of the year."""
    return ROTA[week % len(ROTA)]


def wake_somebody(part: str, week: int) -> list[str]:
    """Ring the phone of the week, then that of the part's owner."""
    first, second = who_is_on_call(week), OWNERS.get(part, "maren")
    return [first] if first == second else [first, second]


def hand_over(week: int) -> tuple[str, str]:
    """Give who leaves on Tuesday and who takes over."""
    return who_is_on_call(week - 1), who_is_on_call(week)


def hive_stolen(hive_id: str, owner: str, hour: int, week: int) -> list[str]:
    """Do what a theft calls for: the owner's phone, then ours."""
    return [send_alert(hive_id, owner, "theft", hour), *wake_somebody("intake", week)]
